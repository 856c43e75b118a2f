//go:build unix

package differential

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// If an input file changes at a random moment after its job was bound, the job writes the output
// for the old content. Otherwise it fails: its error names the file, and no output remains.
func TestInputsThatChange(t *testing.T) {
	rounds := 16
	if long {
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
		err := c.round(cluster)
		ends[c.end]++
		require.NoError(t, err, "round %d: %s of %q of %d bytes after %v",
			round, c.change.name, c.job, len(c.old), c.wait)
		require.NoError(t, os.RemoveAll(c.dir))
	}
	t.Logf("%d rounds: %v", rounds, ends)
	require.Positive(t, ends["the old output"])
	require.Positive(t, ends["an error"])
}

// changing is one round of TestInputsThatChange: a file, a job on it and a change.
type changing struct {
	dir, path string
	old       []byte
	packed    bool
	job       string
	change    change
	steps     []inputStep
	wait      time.Duration
	end       string
}

// plan returns the round's job, which reads path and writes to the directory out.
func (c *changing) plan(path, out string) (*mapreduce.Plan, error) {
	src, err := mapreduce.File(path)
	if err != nil {
		return nil, err
	}
	to := mapreduce.Dir(out)
	switch c.job {
	case "sort":
		return jobs.Sort(jobs.SortOptions{}).Bind(mapreduce.Lines(src), mapreduce.Text[jobs.Line](to))
	case "wordcount":
		return jobs.WordCount().Bind(mapreduce.Chunks(src), mapreduce.Text[jobs.Count](to))
	case "index":
		return jobs.Index(src).Bind(mapreduce.Chunks(src), mapreduce.Text[jobs.Posting](to))
	}
	search, err := jobs.Grep("7", jobs.GrepOptions{})
	if err != nil {
		return nil, err
	}
	return search.Bind(mapreduce.Chunks(src), mapreduce.Raw[[]byte](to))
}

// inputStep is one system call of a change, such as a write or rename.
type inputStep func(path string) error

// change is a way to replace a file's content: steps returns the calls that replace old by fresh.
type change struct {
	name  string
	steps func(r *rand.Rand, old, fresh []byte) []inputStep
}

// pieces overwrites the file with fresh in a few calls.
func pieces(r *rand.Rand, fresh []byte) []inputStep {
	var list []inputStep
	for off := 0; off < len(fresh); {
		n := min(len(fresh)-off, 1+r.IntN(len(fresh)))
		piece, at := fresh[off:off+n], int64(off)
		list = append(list, func(path string) error { return writeAt(path, piece, at) })
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

func truncated(n int) inputStep {
	return func(path string) error { return os.Truncate(path, int64(n)) }
}

func changes() []change {
	same := func(old, fresh []byte) []byte { return fresh[:min(len(old), len(fresh))] }
	return []change{
		{"truncating and rewriting", func(r *rand.Rand, _, fresh []byte) []inputStep {
			return append([]inputStep{truncated(0)}, pieces(r, fresh)...)
		}},
		{"overwriting with more", func(r *rand.Rand, old, fresh []byte) []inputStep { return pieces(r, slices.Concat(fresh, old)) }},
		{"overwriting in place", func(r *rand.Rand, old, fresh []byte) []inputStep { return pieces(r, same(old, fresh)) }},
		{"overwriting, its time set back", func(r *rand.Rand, old, fresh []byte) []inputStep {
			list := pieces(r, same(old, fresh))
			for i, do := range list {
				list[i] = func(path string) error {
					info, err := os.Stat(path)
					return errors.Join(err, do(path), os.Chtimes(path, time.Time{}, info.ModTime()))
				}
			}
			return list
		}},
		{"writing through a mapping", func(_ *rand.Rand, old, fresh []byte) []inputStep {
			return []inputStep{func(path string) error { return writeMapped(path, same(old, fresh)) }}
		}},
		{"appending", func(_ *rand.Rand, old, fresh []byte) []inputStep {
			return []inputStep{func(path string) error { return writeAt(path, fresh, int64(len(old))) }}
		}},
		{"shrinking", func(_ *rand.Rand, old, _ []byte) []inputStep { return []inputStep{truncated(len(old) / 2)} }},
		{"renaming", func(_ *rand.Rand, _, fresh []byte) []inputStep {
			return []inputStep{func(path string) error {
				return errors.Join(os.WriteFile(path+".new", fresh, 0o600), os.Rename(path+".new", path))
			}}
		}},
		{"removing", func(*rand.Rand, []byte, []byte) []inputStep { return []inputStep{os.Remove} }},
	}
}

// newChanging creates the file of a round, and draws its job and its change.
func newChanging(t *testing.T, r *rand.Rand) *changing {
	dir, all := t.TempDir(), changes()
	c := &changing{dir: dir, path: filepath.Join(dir, "input")}
	c.job = []string{"sort", "wordcount", "grep", "index"}[r.IntN(4)]
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

// numberLines returns lines of numbers, at least size bytes.
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

// round runs the job while the file changes, and returns an error unless the job ends as
// TestInputsThatChange allows.
func (c *changing) round(cluster *actors.Cluster) error {
	out := filepath.Join(c.dir, "out")
	plan, err := c.plan(c.path, out)
	if err != nil {
		return err
	}
	changed := make(chan error, 1)
	go func() {
		time.Sleep(c.wait) // real time: the change may begin at any moment of the job
		var err error
		for _, s := range c.steps {
			err = errors.Join(err, s(c.path))
		}
		changed <- err
	}()
	_, err = actors.RunOn(context.Background(), cluster, plan, actors.SubmitOptions{Reduces: 2})
	if err := <-changed; err != nil {
		return fmt.Errorf("the change: %w", err)
	}
	_, left := os.Stat(filepath.Join(out, "_SUCCESS"))
	switch {
	case err == nil:
		c.end = "the old output"
		want, wrong := c.expected()
		got, err := readParts(out)
		if wrong = errors.Join(left, wrong, err); wrong == nil && !slices.Equal(slices.Concat(want...), slices.Concat(got...)) {
			wrong = errors.New("succeeded with what is not the output of the old content")
		}
		return wrong
	case !strings.Contains(err.Error(), c.path):
		return fmt.Errorf("an error that does not name the file: %w", err)
	}
	c.end = "an error"
	if _, left := os.Stat(out); left == nil {
		return fmt.Errorf("left its output after %w", err)
	}
	return nil
}

// expected returns what the job must write for the first content of its input file. RunLocal
// computes it from a copy.
func (c *changing) expected() ([][]string, error) {
	name, out := filepath.Join(c.dir, "old", c.path), filepath.Join(c.dir, "expected")
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, c.old, 0o600)); err != nil {
		return nil, err
	}
	plan, err := c.plan(name, out)
	if err == nil {
		_, err = mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{Reduces: 2})
	}
	if err != nil {
		return nil, err
	}
	parts, err := readParts(out)
	for _, lines := range parts {
		for i := range lines {
			lines[i] = strings.ReplaceAll(lines[i], name, c.path)
		}
	}
	return parts, err
}
