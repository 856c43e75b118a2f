package mapreduce

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachKind runs f with the two kinds of output directory; the second replaces an earlier output.
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

// planOf is a plan of which only the output counts.
func planOf(c *committer) *Plan { return &Plan{output: c} }

func beside(t *testing.T, out string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// What a killed run has committed stays, what it had not is gone, and the job ends as any other.
func TestResume(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "first")
		require.True(t, planOf(c).Resumable())
		die(t, c)
		require.NoError(t, dest().Check())
		c = newCommitter(dest())
		require.NoError(t, c.setupJob())
		p := planOf(c)
		require.Equal(t, []AttemptID{{Kind: ReduceKind}}, p.Committed())
		require.False(t, p.Complete())
		require.ErrorIs(t, c.commitTask(AttemptID{ReduceKind, 0, 1}), ErrCommitted)
		require.ErrorIs(t, newCommitter(dest()).setupJob(), ErrOutputBusy)
		require.ErrorIs(t, dest().Check(), ErrOutputBusy)
		writePart(t, c, AttemptID{ReduceKind, 1, 1}, "second")
		require.NoError(t, c.commitTask(AttemptID{ReduceKind, 1, 1}))
		require.NoError(t, c.commitJob())
		require.NoError(t, p.ForgetJob())
		require.NoError(t, p.ForgetJob(), "once more")
		want := output("first")
		want["part-r-00001"] = "second"
		require.Equal(t, want, tree(t, out))
		require.Equal(t, []string{"out"}, beside(t, out))
	})
}

// Whatever step of the end a run was killed at, the next with its token does the rest.
func TestResumeEnd(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		changed := false // the two names have changed places, where the system can do that
		steps := []func(s *localStore) error{
			func(s *localStore) error { return s.out.root.Rename(temporary+"/"+success, success) },
			func(s *localStore) error {
				if s.old == nil {
					return nil
				}
				if changed = s.tree.exchange(s.out.path, s.dir) == nil; !changed {
					return nil
				}
				s.out.path, s.old.path = s.dir, s.out.path
				return s.old.root.Remove(success) // half of its removal
			},
		}
		c := begun(t, dest(), "whole")
		require.NoError(t, c.abortTask(AttemptID{ReduceKind, 1, 0}))
		for n, step := range steps {
			require.NoError(t, step(c.store.(*localStore)))
			die(t, c)
			require.NoError(t, dest().Check())
			c = newCommitter(dest())
			require.NoError(t, c.setupJob(), n)
			p := planOf(c)
			require.True(t, p.Complete(), n)
			require.Equal(t, []AttemptID{{Kind: ReduceKind}}, p.Committed())
			if n == 1 && (changed || c.store.(*localStore).old == nil) {
				require.Equal(t, []string{"out"}, beside(t, out), "the replaced output is gone")
			}
		}
		require.NoError(t, c.commitJob())
		die(t, c)
		c = newCommitter(dest())
		require.NoError(t, c.setupJob())
		require.NoError(t, c.commitJob(), "once more")
		die(t, c)
		require.NoError(t, dest().Finish())
		require.NoError(t, dest().Finish(), "once more")
		require.NoError(t, os.Mkdir(filepath.Join(out, temporary), 0o777))
		require.NoError(t, dest().Finish(), "killed before the last step")
		require.NoDirExists(t, filepath.Join(out, temporary))
		require.Equal(t, output("whole"), tree(t, out))
		require.Equal(t, []string{"out"}, beside(t, out))
		require.ErrorIs(t, Dir(out).Resumable("mine").Check(), ErrOutputExists)
	})
}

// What another job left is cleaned as ever, and what a run left that was killed before it had said
// whose it is.
func TestResumeOfAnother(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "of another")
		die(t, c)
		d := dest().Resumable("another")
		require.NoError(t, d.Check())
		c = newCommitter(d)
		require.NoError(t, c.setupJob())
		require.Empty(t, planOf(c).Committed())
		s := c.store.(*localStore)
		require.NoError(t, s.temp.WriteFile(resumable, []byte("anoth"), 0o666))
		die(t, c)
		c = newCommitter(dest().Resumable("another"))
		require.NoError(t, c.setupJob())
		require.NoError(t, c.abortJob())
		if c.store.(*localStore).replace {
			require.Equal(t, output("earlier"), tree(t, out))
		} else {
			require.NoDirExists(t, out)
		}
	})
}

// Parts that are not of the job as it is now can be dropped; those of another compression go.
func TestDropCommitted(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "old")
		require.NoError(t, c.store.(*localStore).out.root.WriteFile("part-r-00007.zst", nil, 0o666))
		die(t, c)
		c = newCommitter(dest())
		require.NoError(t, c.setupJob())
		p := planOf(c)
		require.NoError(t, p.DropCommitted())
		require.Empty(t, p.Committed())
		writePart(t, c, AttemptID{ReduceKind, 0, 1}, "new")
		require.NoError(t, c.commitTask(AttemptID{ReduceKind, 0, 1}))
		require.NoError(t, c.commitJob())
		require.NoError(t, p.ForgetJob())
		require.Equal(t, output("new"), tree(t, out))
	})
}

// Left for the next run, an output is as after a kill.
func TestLeaveJob(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		c := begun(t, dest(), "first")
		require.NoError(t, planOf(c).LeaveJob())
		require.NoError(t, planOf(c).AbortJob(), "it is not this run's any more")
		c = newCommitter(dest())
		require.NoError(t, c.setupJob())
		require.Len(t, planOf(c).Committed(), 1)
		require.NoError(t, c.abortJob())
	})
	out := filepath.Join(t.TempDir(), "out")
	c := begun(t, Dir(out), "first")
	require.False(t, planOf(c).Resumable())
	require.NoError(t, planOf(c).LeaveJob())
	require.NoDirExists(t, out, "nobody could go on with it")
}
