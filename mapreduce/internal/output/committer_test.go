package output

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
)

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(b)
		return err
	}))
	return files
}

// reduce returns the ID of an attempt of a reduce.
func reduce(index, try int) attempt.ID {
	return attempt.ID{Kind: attempt.Reduce, Index: index, Try: try}
}

func writePart(t *testing.T, c *Committer, id attempt.ID, text string) {
	t.Helper()
	w, err := c.Open(id)
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func TestOneAttemptOfATaskIsCommitted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a", "out")
	c := NewCommitter(Dir(out))
	require.NoError(t, c.SetupJob())
	first, second := reduce(3, 0), reduce(3, 1)
	writePart(t, c, first, "slow")
	writePart(t, c, second, "fast")
	writePart(t, c, reduce(0, 0), "killed")
	require.NoError(t, c.CommitTask(second))
	require.ErrorIs(t, c.CommitTask(first), ErrCommitted)
	require.NoError(t, c.AbortTask(first))
	require.NoError(t, c.AbortTask(reduce(0, 0)))
	require.NoError(t, c.AbortTask(second), "aborting what is committed does nothing")
	require.NoError(t, c.CommitJob())
	require.Equal(t, map[string]string{"part-r-00003": "fast", "_SUCCESS": ""}, files(t, out))
}

func TestAbortJobLeavesNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := NewCommitter(Dir(out))
	require.NoError(t, c.SetupJob())
	writePart(t, c, attempt.ID{Kind: attempt.Map, Index: 0, Try: 0}, "part")
	require.NoError(t, c.CommitTask(attempt.ID{Kind: attempt.Map, Index: 0, Try: 0}))
	require.FileExists(t, filepath.Join(out, "part-m-00000"))
	require.NoError(t, c.AbortJob())
	require.NoDirExists(t, out)
}

func TestUnwritableOutputFailsAtSetup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, NewCommitter(Dir(filepath.Join(file, "out"))).SetupJob())
}
