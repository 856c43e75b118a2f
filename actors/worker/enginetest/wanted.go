package enginetest

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Book writes a file of random lines, of about this number of bytes, and returns its path.
func Book(t testing.TB, dir, name string, bytes int) string {
	rng := rand.New(rand.NewPCG(uint64(bytes), 7))
	var b []byte
	for len(b) < bytes {
		for range rng.IntN(12) {
			b = fmt.Appendf(b, "%c%c%d ", 'a'+rng.IntN(20), 'a'+rng.IntN(7), rng.IntN(1+rng.IntN(50)))
		}
		b = append(b, '\n')
	}
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return path
}

// Inputs writes the inputs of all jobs to dir, and returns a function from a job to its inputs.
func Inputs(t testing.TB, dir string) func(name string) []string {
	books := []string{Book(t, dir, "a", 100_000), Book(t, dir, "b", 20_000)}
	pairs, tera := filepath.Join(dir, "pairs"), Book(t, dir, "tera", 150_000)
	others := map[string][]string{
		"nothing": {Book(t, dir, "empty", 0)}, "terasort": {tera}, "secondary sort": {pairs},
		"largest": {Book(t, dir, "c", 2000), Book(t, dir, "d", 1000)}, // each line is a large key
	}
	require.NoError(t, os.Truncate(tera, 150_000))
	rng := rand.New(rand.NewPCG(1, 7))
	var lines []byte
	for range 10_000 {
		lines = fmt.Appendf(lines, "%c\t%d\n", 'a'+rng.IntN(20), rng.IntN(1000))
	}
	require.NoError(t, os.WriteFile(pairs, lines, 0o600))
	return func(name string) []string {
		if own := others[name]; own != nil {
			return own
		}
		return books
	}
}

// SmallDisk returns a directory on a disk of this size, such as 100k, or skips the test.
func SmallDisk(t testing.TB, size string) string {
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tarry", disk).CombinedOutput(); err != nil {
		t.Skipf("only who may mount can fill a disk: %s", out)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", disk).Run()) })
	return disk
}

// Files returns the contents of all files below dir, an output, by name.
func Files(t testing.TB, dir string) map[string]string {
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var b []byte
			b, err = os.ReadFile(path)
			files[path[len(dir)+1:]] = string(b)
		}
		return err
	}))
	return files
}

// Wanted returns the expected output and counters of a job: those of RunLocal. But sums of floats
// depend on which records share a map, so the output of the job "floats" is that of attempts.
func Wanted(t testing.TB, name string, reduces int, block int64, inputs []string) (map[string]string, *counter.Set) {
	out := filepath.Join(t.TempDir(), "want")
	p, err := Bind(name, t.TempDir(), out, inputs)
	require.NoError(t, err)
	c, err := mr.RunLocal(t.Context(), p, mr.LocalOptions{Reduces: reduces, Blocks: p.Job().BlocksOf(block)})
	require.NoError(t, err)
	if name == "floats" {
		return inAttempts(t, name, reduces, block, inputs), c
	}
	return Files(t, out), c
}

// inAttempts returns the output of a job whose attempts run one after the other in this process. As
// on an engine, each map combines only its own records.
func inAttempts(t testing.TB, name string, reduces int, block int64, inputs []string) map[string]string {
	out := filepath.Join(t.TempDir(), "want")
	p, err := Bind(name, t.TempDir(), out, inputs)
	require.NoError(t, err)
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{Reduces: reduces}))
	splits, err := p.Splits(t.Context(), p.Job().BlocksOf(block))
	require.NoError(t, err)
	var outputs []*cluster.MapOutput
	for i, split := range p.Job().JoinSmall(splits, block) {
		o, err := p.RunMap(t.Context(), &cluster.MapAttempt{Index: i, Split: split})
		require.NoError(t, err)
		defer o.Release()
		outputs = append(outputs, o)
	}
	for n := range reduces {
		rest := outputs
		a := &cluster.ReduceAttempt{Index: n, Next: func(context.Context) (s cluster.Segment, err error) {
			if len(rest) == 0 {
				return s, io.EOF
			}
			s, rest = rest[0].Segment(n), rest[1:]
			return s, nil
		}}
		require.NoError(t, p.RunReduce(t.Context(), a))
		require.NoError(t, p.Job().CommitTask(a.ID()))
	}
	require.NoError(t, p.CommitJob())
	return Files(t, out)
}
