package output

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
)

// eachKind runs f with a new output directory, and with one that replaces an earlier output.
func eachKind(t *testing.T, f func(t *testing.T, dest func() Destination, out string)) {
	t.Run("new", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		f(t, func() Destination { return Dir(out).Resumable("mine") }, out)
	})
	t.Run("replaced", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		complete(t, Dir(out), "earlier")
		f(t, func() Destination { return ReplacedDir(out).Resumable("mine") }, out)
	})
	t.Run("within a root", func(t *testing.T) {
		root := rootAt(t, t.TempDir())
		out := filepath.Join(root.Name(), "a", "out")
		f(t, func() Destination { return Dir(out).Within(root).Resumable("mine") }, out)
	})
	t.Run("replaced within a root", func(t *testing.T) {
		root := rootAt(t, t.TempDir())
		out := filepath.Join(root.Name(), "a", "out")
		complete(t, Dir(out), "earlier")
		f(t, func() Destination { return ReplacedDir(out).Within(root).Resumable("mine") }, out)
	})
}

func beside(t *testing.T, out string) (list []string) {
	t.Helper()
	entries := must(os.ReadDir(filepath.Dir(out)))(t)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// After a kill, the next run with the token finds the committed parts; other files are removed. The
// job then ends like any other.
func TestResume(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "first")
		require.True(t, c.Resumable())
		die(t, c)
		require.NoError(t, dest().Check())
		c = NewCommitter(dest())
		require.NoError(t, c.SetupJob())
		require.Equal(t, []attempt.ID{{Kind: attempt.Reduce}}, c.Tasks())
		require.False(t, c.Complete())
		require.ErrorIs(t, c.CommitTask(reduce(0, 1)), ErrCommitted)
		require.ErrorIs(t, NewCommitter(dest()).SetupJob(), ErrOutputBusy)
		require.ErrorIs(t, dest().Check(), ErrOutputBusy)
		writePart(t, c, reduce(1, 1), "second")
		require.NoError(t, c.CommitTask(reduce(1, 1)))
		require.NoError(t, c.CommitJob())
		require.NoError(t, c.ForgetJob())
		require.NoError(t, c.ForgetJob(), "once more")
		want := output("first")
		want["part-r-00001"] = "second"
		require.Equal(t, want, files(t, out))
		require.Equal(t, []string{"out"}, beside(t, out))
	})
}

// If a run is killed at any step of its commit, the next run with its token completes the output.
func TestResumeEnd(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		steps := []func(s *localStore) error{
			func(s *localStore) error { return s.out.root.WriteFile(Success, nil, 0o666) },
			(*localStore).seal,
			func(s *localStore) error {
				require.NoError(t, s.seal())
				if s.old == nil {
					return s.tree.rename(s.out.path, s.dir)
				}
				if err := s.tree.swap(s.out.path, s.dir); err != nil {
					t.Skip(err)
				}
				return s.old.root.Remove("part-r-00000") // as after half of the removal
			},
		}
		c := begun(t, dest(), "whole")
		require.NoError(t, c.AbortTask(reduce(1, 0)))
		for n, step := range steps {
			require.NoError(t, step(c.local))
			die(t, c)
			require.NoError(t, dest().Check())
			c = NewCommitter(dest())
			require.NoError(t, c.SetupJob(), n)
			require.True(t, c.Complete(), n)
			require.Equal(t, []attempt.ID{{Kind: attempt.Reduce}}, c.Tasks())
		}
		require.Equal(t, []string{"out"}, beside(t, out), "the replaced output is gone")
		require.NoError(t, c.CommitJob())
		die(t, c)
		c = NewCommitter(dest())
		require.NoError(t, c.SetupJob())
		require.NoError(t, c.CommitJob(), "once more")
		die(t, c)
		require.NoError(t, dest().Finish())
		require.NoError(t, dest().Finish(), "once more")
		require.Equal(t, output("whole"), files(t, out))
		require.Equal(t, []string{"out"}, beside(t, out))
		require.ErrorIs(t, Dir(out).Resumable("mine").Check(), ErrOutputExists)
	})
}

// A run with another token removes the files of a killed run. So does one with the same token if
// the killed run had written only a part of it.
func TestResumeOfAnother(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "of another")
		die(t, c)
		d := dest().Resumable("another")
		require.NoError(t, d.Check())
		c = NewCommitter(d)
		require.NoError(t, c.SetupJob())
		require.Empty(t, c.Tasks())
		s := c.local
		require.NoError(t, s.out.root.WriteFile(resumeMark, []byte("anoth"), 0o666))
		die(t, c)
		c = NewCommitter(dest().Resumable("another"))
		require.NoError(t, c.SetupJob())
		require.NoError(t, c.AbortJob())
		if c.local.replace {
			require.Equal(t, output("earlier"), files(t, out))
		} else {
			require.NoDirExists(t, out)
		}
	})
}

// DropCommitted removes the parts that a killed run has left. Parts in another compression are
// removed at once.
func TestDropCommitted(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "old")
		require.NoError(t, c.local.out.root.WriteFile("part-r-00007.zst", nil, 0o666))
		die(t, c)
		c = NewCommitter(dest())
		require.NoError(t, c.SetupJob())
		require.NoError(t, c.DropCommitted())
		require.Empty(t, c.Tasks())
		writePart(t, c, reduce(0, 1), "new")
		require.NoError(t, c.CommitTask(reduce(0, 1)))
		require.NoError(t, c.CommitJob())
		require.NoError(t, c.ForgetJob())
		require.Equal(t, output("new"), files(t, out))
	})
}

// After LeaveJob, the next run finds the output as after a kill.
func TestLeaveJob(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "first")
		require.NoError(t, c.LeaveJob())
		require.NoError(t, c.AbortJob(), "it is not this run's any more")
		c = NewCommitter(dest())
		require.NoError(t, c.SetupJob())
		require.Len(t, c.Tasks(), 1)
		require.NoError(t, c.AbortJob())
	})
	out := filepath.Join(t.TempDir(), "out")
	c := begun(t, Dir(out), "first")
	require.False(t, c.Resumable())
	require.NoError(t, c.LeaveJob())
	require.NoDirExists(t, out, "nobody could go on with it")
}
