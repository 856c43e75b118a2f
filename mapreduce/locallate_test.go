package mapreduce

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A late output is checked at once, made by the first attempt that writes, and ends as any other.
func TestLateOutput(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	c := newCommitter(Dir(out).Late().Resumable("mine"))
	require.NoError(t, c.setupJob())
	require.NoDirExists(t, out)
	require.Nil(t, c.store.(*localStore).out, "it has no files open")
	require.NoError(t, c.abortTask(AttemptID{ReduceKind, 0, 0}), "nothing is written yet")
	require.NoError(t, planOf(c).DropCommitted())
	writePart(t, c, AttemptID{ReduceKind, 0, 0}, "text")
	require.DirExists(t, out)
	require.ErrorIs(t, newCommitter(Dir(out).Late()).setupJob(), ErrOutputExists)
	require.NoError(t, c.commitTask(AttemptID{ReduceKind, 0, 0}))
	require.NoError(t, c.commitJob())
	require.NoError(t, planOf(c).ForgetJob())
	require.Equal(t, output("text"), tree(t, out))
	require.ErrorIs(t, newCommitter(Dir(out).Late()).setupJob(), ErrOutputExists)

	c = newCommitter(ReplacedDir(out).Late())
	require.NoError(t, c.setupJob())
	writePart(t, c, AttemptID{ReduceKind, 0, 0}, "new")
	require.Equal(t, output("text"), tree(t, out), "until the new one is complete")
	require.NoError(t, c.commitTask(AttemptID{ReduceKind, 0, 0}))
	require.NoError(t, c.commitJob())
	require.Equal(t, output("new"), tree(t, out))
}

// A late output whose job writes nothing is there all the same when it has succeeded, and never when
// it has not, whoever comes late.
func TestLateOutputOfNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := newCommitter(Dir(out).Late())
	require.NoError(t, c.setupJob())
	require.NoError(t, c.commitJob())
	require.FileExists(t, filepath.Join(out, success))
	require.NoError(t, os.RemoveAll(out))

	for _, end := range []func(*committer) error{
		(*committer).abortJob,
		func(c *committer) error { return c.store.(*localStore).leave() },
	} {
		c = newCommitter(Dir(out).Late())
		require.NoError(t, c.setupJob())
		require.NoError(t, end(c))
		_, err := c.open(AttemptID{ReduceKind, 0, 0})
		require.ErrorIs(t, err, errUnprepared)
		require.NoDirExists(t, out)
	}
}

// What somebody else has made in the place of a late output stays, and the job fails at once.
func TestLateOutputComesTooLate(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := newCommitter(Dir(out).Late())
	require.NoError(t, c.setupJob())
	complete(t, Dir(out), "of another")
	_, err := c.open(AttemptID{ReduceKind, 0, 0})
	require.ErrorIs(t, err, ErrOutputExists)
	require.True(t, IsPermanent(err))
	require.NoError(t, c.abortJob())
	require.Equal(t, output("of another"), tree(t, out))
}

// What a killed run has left of a late output is taken over.
func TestLateOutputIsResumed(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		die(t, begun(t, dest().Late(), "first"))
		c := newCommitter(dest().Late())
		require.NoError(t, c.setupJob())
		require.Equal(t, []AttemptID{{Kind: ReduceKind}}, planOf(c).Committed())
		require.NoError(t, c.commitJob())
		require.NoError(t, planOf(c).ForgetJob())
		require.Equal(t, output("first"), tree(t, out))
	})
}
