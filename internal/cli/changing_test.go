//go:build unix

package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// TestInputsThatChange changes an input at a random moment of a job: it ends in the output of one
// of the states that the file was in, each a whole one, or in an error that names the file and
// leaves no output. Half of the rounds run in this process, where the job is bound to the old
// content before the change begins; half run the program.
func TestInputsThatChange(t *testing.T) {
	rounds := 16
	if os.Getenv("LONG_TESTS") != "" {
		rounds = 500
	}
	cluster, err := actors.Start(actors.Config{
		Nodes: 3, MapSlots: 2, BlockSize: 64 << 10, Memory: 64 << 20, SpillDir: t.TempDir(),
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Close()) }()
	ends := map[string]int{}
	for round := range rounds {
		r := rand.New(rand.NewPCG(1, uint64(round)))
		c := newChanging(t, r)
		err := c.round(cluster, round%2 == 0)
		ends[c.end]++
		require.NoError(t, err, "round %d: %s of %q of %d bytes after %v",
			round, c.change.name, c.job, len(c.old), c.wait)
		require.NoError(t, os.RemoveAll(c.dir))
	}
	t.Logf("%d rounds: %v", rounds, ends)
	require.Positive(t, ends["the old output"])
	require.Positive(t, ends["an error"])
}

// changing is one round.
type changing struct {
	dir, path string
	old       []byte
	packed    bool
	job       []string // its name and arguments, but for the inputs
	change    change
	steps     []step
	wait      time.Duration
	end       string
}

// plan is the job on a file.
func (c *changing) plan(path, out string) (*mapreduce.Plan, error) {
	src, err := mapreduce.File(path)
	if err != nil {
		return nil, err
	}
	order, err := parseOrder(c.job[0], append(slices.Clone(c.job[1:]), path, "--output", out))
	if err != nil {
		return nil, err
	}
	return order.Stages[0](context.Background(), nil, []mapreduce.Source{src}, mapreduce.Dir(out))
}

// step is a part of a change, and what the file holds after it, nil if it is gone.
type step struct {
	do    func(path string) error
	after []byte
}

// change is a way to change a file that holds old to one that holds fresh.
type change struct {
	name  string
	steps func(r *rand.Rand, old, fresh []byte) []step
}

// pieces writes fresh over old in a few calls.
func pieces(r *rand.Rand, old, fresh []byte) []step {
	var list []step
	now := bytes.Clone(old)
	for off := 0; off < len(fresh); {
		n := min(len(fresh)-off, 1+r.IntN(len(fresh)))
		piece, at := fresh[off:off+n], int64(off)
		if now = bytes.Clone(now); len(now) < off+n {
			now = append(now, make([]byte, off+n-len(now))...)
		}
		copy(now[off:], piece)
		list = append(list, step{func(path string) error { return writeAt(path, piece, at) }, now})
		off += n
	}
	return list
}

func writeAt(path string, b []byte, off int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, off)
	return errors.Join(err, f.Close())
}

func writeMapped(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := unix.Mmap(int(f.Fd()), 0, len(b), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	copy(data, b)
	return unix.Munmap(data)
}

func truncated(n int) func(path string) error {
	return func(path string) error { return os.Truncate(path, int64(n)) }
}

func changes() []change {
	same := func(old, fresh []byte) []byte { return fresh[:min(len(old), len(fresh))] }
	return []change{
		{"truncating and rewriting", func(r *rand.Rand, _, fresh []byte) []step {
			return append([]step{{truncated(0), []byte{}}}, pieces(r, nil, fresh)...)
		}},
		{"overwriting with more", func(r *rand.Rand, old, fresh []byte) []step {
			return pieces(r, old, slices.Concat(fresh, old))
		}},
		{"overwriting in place", func(r *rand.Rand, old, fresh []byte) []step {
			return pieces(r, old, same(old, fresh))
		}},
		{"overwriting, its time set back", func(r *rand.Rand, old, fresh []byte) []step {
			list := pieces(r, old, same(old, fresh))
			for i, s := range list {
				list[i].do = func(path string) error {
					info, err := os.Stat(path)
					return errors.Join(err, s.do(path), os.Chtimes(path, time.Time{}, info.ModTime()))
				}
			}
			return list
		}},
		{"writing through a mapping", func(_ *rand.Rand, old, fresh []byte) []step {
			b := same(old, fresh)
			return []step{{func(path string) error { return writeMapped(path, b) }, slices.Concat(b, old[len(b):])}}
		}},
		{"appending", func(_ *rand.Rand, old, fresh []byte) []step {
			add := func(path string) error { return writeAt(path, fresh, int64(len(old))) }
			return []step{{add, slices.Concat(old, fresh)}}
		}},
		{"shrinking", func(_ *rand.Rand, old, _ []byte) []step {
			return []step{{truncated(len(old) / 2), old[:len(old)/2]}}
		}},
		{"renaming", func(_ *rand.Rand, _, fresh []byte) []step {
			return []step{{func(path string) error {
				return errors.Join(os.WriteFile(path+".new", fresh, 0o600), os.Rename(path+".new", path))
			}, fresh}}
		}},
		{"removing", func(*rand.Rand, []byte, []byte) []step { return []step{{os.Remove, nil}} }},
	}
}

// newChanging makes a file, and chooses what is to become of it.
func newChanging(t *testing.T, r *rand.Rand) *changing {
	dir, all := t.TempDir(), changes()
	c := &changing{dir: dir, path: filepath.Join(dir, "input")}
	c.job = [][]string{{"sort"}, {"wordcount"}, {"grep", "7"}, {"index"}}[r.IntN(4)]
	c.change, c.packed = all[r.IntN(len(all))], r.IntN(5) == 0
	size := 1 + r.IntN(1<<uint(8+r.IntN(14)))
	c.old = c.pack(numberLines(r, size))
	fresh := c.pack(numberLines(r, size/2+r.IntN(size+1)))
	if c.packed {
		c.path += ".gz"
	}
	c.steps = c.change.steps(r, c.old, fresh)
	c.wait = time.Duration(r.Int64N(int64(60 * time.Millisecond)))
	require.NoError(t, os.WriteFile(c.path, c.old, 0o600))
	if old := time.Now().Add(-time.Hour); r.IntN(2) == 0 {
		require.NoError(t, os.Chtimes(c.path, old, old))
	}
	return c
}

// numberLines are lines of numbers, at least size bytes.
func numberLines(r *rand.Rand, size int) []byte {
	var b []byte
	for len(b) < size {
		b = fmt.Appendf(b, "%d %d\n", r.IntN(1000), r.IntN(1<<30))
	}
	return b
}

func (c *changing) pack(b []byte) []byte {
	if !c.packed {
		return b
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(b)
	_ = w.Close()
	return packed.Bytes()
}

// round runs the job while the file changes.
func (c *changing) round(cluster *actors.Cluster, here bool) error {
	out := filepath.Join(c.dir, "out")
	changed := make(chan error, 1)
	begin := func() {
		go func() {
			// Real time, since the program is another process: it waits for nothing, and whatever
			// happens within it the round must hold. Events of the run would come too late: they
			// are written at its end, and of 500 changes 449 then missed it.
			time.Sleep(c.wait)
			for _, s := range c.steps {
				if err := s.do(c.path); err != nil {
					changed <- err
					return
				}
			}
			changed <- nil
		}()
	}
	var err error
	states := [][]byte{c.old}
	if here {
		err = c.runHere(cluster, out, begin)
	} else {
		begin()
		for _, s := range c.steps {
			states = append(states, s.after)
		}
		err = c.runProgram(out)
	}
	if err := <-changed; err != nil {
		return fmt.Errorf("the change: %w", err)
	}
	return c.judge(err, out, states)
}

func (c *changing) runHere(cluster *actors.Cluster, out string, begin func()) error {
	plan, err := c.plan(c.path, out)
	if err != nil {
		return err
	}
	begin()
	job, err := cluster.Submit(context.Background(), plan, actors.SubmitOptions{Reduces: 2})
	if err != nil {
		return err
	}
	_, err = job.Wait(context.Background())
	return err
}

func (c *changing) runProgram(out string) error {
	args := slices.Concat([]string{"run"}, c.job, []string{c.path, "-q", "--output", out})
	args = append(args, "--block-size", "64KiB", "--nodes", "2")
	if c.job[0] != "grep" {
		args = append(args, "--reduces", "2")
	}
	text, err := exec.Command("tarry", args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// judge compares what came out with what may.
func (c *changing) judge(err error, out string, states [][]byte) error {
	if err != nil {
		c.end = "an error"
		if _, left := os.Stat(out); left == nil {
			return fmt.Errorf("left its output after %w", err)
		}
		if !strings.Contains(err.Error(), c.path) {
			return fmt.Errorf("an error that does not name the file: %w", err)
		}
		return nil
	}
	got, err := partsOf(out)
	if err != nil {
		return err
	}
	for i, state := range states {
		if state == nil {
			continue
		}
		if want, err := c.expected(i, state); err == nil && bytes.Equal(want, got) {
			c.end = "a new output"
			if i == 0 {
				c.end = "the old output"
			}
			return nil
		}
	}
	return errors.New("succeeded with what is the output of no state of the file")
}

// expected is the output for one state of the file.
func (c *changing) expected(i int, state []byte) ([]byte, error) {
	name := filepath.Join(c.dir, fmt.Sprint(i), c.path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, state, 0o600)); err != nil {
		return nil, err
	}
	out := filepath.Join(c.dir, fmt.Sprint("expected", i))
	plan, err := c.plan(name, out)
	if err != nil {
		return nil, err
	}
	if _, err := mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{Reduces: 2}); err != nil {
		return nil, err
	}
	b, err := partsOf(out)
	return bytes.ReplaceAll(b, []byte(name), []byte(c.path)), err
}

// partsOf joins the parts of an output that is complete.
func partsOf(dir string) ([]byte, error) {
	if _, err := os.Stat(filepath.Join(dir, "_SUCCESS")); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, b...)
	}
	return all, nil
}
