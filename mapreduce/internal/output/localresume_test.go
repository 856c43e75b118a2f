package output

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
)

// eachKind runs f with both kinds of output directory; the second replaces an earlier output.
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

// Committed parts of a killed run remain, its other files are removed, and the job ends like any
// other.
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

// Whichever step of the end a run was killed at, the next run with its token completes it.
func TestResumeEnd(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		changed := false // the two directories were exchanged, where the system can do that
		steps := []func(s *localStore) error{
			func(s *localStore) error { return s.out.root.Rename(Temporary+"/"+Success, Success) },
			func(s *localStore) error {
				if s.old == nil {
					return nil
				}
				if changed = s.tree.exchange(s.out.path, s.dir) == nil; !changed {
					return nil
				}
				s.out.path, s.old.path = s.dir, s.out.path
				return s.old.root.Remove(Success) // half of the removal is done
			},
		}
		c := begun(t, dest(), "whole")
		require.NoError(t, c.AbortTask(reduce(1, 0)))
		for n, step := range steps {
			require.NoError(t, step(c.Store.(*localStore)))
			die(t, c)
			require.NoError(t, dest().Check())
			c = NewCommitter(dest())
			require.NoError(t, c.SetupJob(), n)
			require.True(t, c.Complete(), n)
			require.Equal(t, []attempt.ID{{Kind: attempt.Reduce}}, c.Tasks())
			if n == 1 && (changed || c.Store.(*localStore).old == nil) {
				require.Equal(t, []string{"out"}, beside(t, out), "the replaced output is gone")
			}
		}
		require.NoError(t, c.CommitJob())
		die(t, c)
		c = NewCommitter(dest())
		require.NoError(t, c.SetupJob())
		require.NoError(t, c.CommitJob(), "once more")
		die(t, c)
		require.NoError(t, dest().Finish())
		require.NoError(t, dest().Finish(), "once more")
		require.NoError(t, os.Mkdir(filepath.Join(out, Temporary), 0o777))
		require.NoError(t, dest().Finish(), "killed before the last step")
		require.NoDirExists(t, filepath.Join(out, Temporary))
		require.Equal(t, output("whole"), files(t, out))
		require.Equal(t, []string{"out"}, beside(t, out))
		require.ErrorIs(t, Dir(out).Resumable("mine").Check(), ErrOutputExists)
	})
}

// Files of another job are removed as always, and so are those of a run that was killed before it
// had recorded its token.
func TestResumeOfAnother(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "of another")
		die(t, c)
		d := dest().Resumable("another")
		require.NoError(t, d.Check())
		c = NewCommitter(d)
		require.NoError(t, c.SetupJob())
		require.Empty(t, c.Tasks())
		s := c.Store.(*localStore)
		require.NoError(t, s.temp.WriteFile(resumeMark, []byte("anoth"), 0o666))
		die(t, c)
		c = NewCommitter(dest().Resumable("another"))
		require.NoError(t, c.SetupJob())
		require.NoError(t, c.AbortJob())
		if c.Store.(*localStore).replace {
			require.Equal(t, output("earlier"), files(t, out))
		} else {
			require.NoDirExists(t, out)
		}
	})
}

// Parts that the current job does not have can be dropped; those with another compression are
// removed.
func TestDropCommitted(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "old")
		require.NoError(t, c.Store.(*localStore).out.root.WriteFile("part-r-00007.zst", nil, 0o666))
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

// An output that was left for the next run is as after a kill.
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
