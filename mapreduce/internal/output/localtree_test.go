package output

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/nofollow"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

func rootAt(t *testing.T, dir string) *os.Root {
	t.Helper()
	root := must(os.OpenRoot(dir))(t)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	return root
}

// A symbolic link on the path of an output within a root is not followed, neither out of the root
// nor within it. It may be created at any step of the job.
func TestOutputWithinARoot(t *testing.T) {
	id := reduce(0, 0)
	link := func(t *testing.T, name, to string) {
		t.Helper()
		if _, err := os.Lstat(name); err == nil {
			require.NoError(t, os.Rename(name, name+".away"))
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.Symlink(to, name))
	}
	for _, laid := range []string{"a", "a/b", "a/b/out", "a/b/_out.new"} {
		for _, out := range []bool{false, true} {
			for step := range 4 {
				for _, replace := range []bool{false, true} {
					dir := t.TempDir()
					root := rootAt(t, filepath.Join(dir, "."))
					to := filepath.Join(t.TempDir(), "elsewhere")
					if !out {
						to = filepath.Join(dir, "elsewhere")
					}
					require.NoError(t, os.MkdirAll(filepath.Join(to, "b"), 0o700))
					target := filepath.Join(dir, "a", "b", "out")
					d := Dir(target)
					if replace {
						complete(t, Dir(target), "earlier")
						d = ReplacedDir(target)
					}
					c := NewCommitter(d.Within(root).Late())
					steps := []func() error{
						c.SetupJob,
						func() error {
							w, err := c.Open(id)
							if err == nil {
								_, err = w.Write([]byte("text"))
								err = errors.Join(err, w.Close())
							}
							return err
						},
						func() error { return c.CommitTask(id) },
						c.CommitJob,
					}
					var err error
					for n, do := range steps {
						if n == step {
							link(t, filepath.Join(dir, laid), to)
						}
						if err = do(); err != nil {
							break
						}
					}
					if step == 1 && (laid == "a" || laid == "a/b") {
						require.ErrorIs(t, err, nofollow.ErrLink)
						require.True(t, fault.IsPermanent(err))
					}
					if err != nil {
						_ = c.AbortJob()
					}
					require.Empty(t, files(t, to), "%s out=%t step=%d replace=%t", laid, out, step, replace)
					require.Len(t, must(os.ReadDir(to))(t), 1)
				}
			}
		}
	}
	_, err := dirTree{rootAt(t, t.TempDir())}.open(t.TempDir())
	require.ErrorContains(t, err, "it is not below")
}

// An output of Late is checked at SetupJob, and created when the first attempt writes. Then it ends
// like any other.
func TestLateOutput(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	c := NewCommitter(Dir(out).Late().Resumable("mine"))
	require.NoError(t, c.SetupJob())
	require.NoDirExists(t, out)
	require.Nil(t, c.local.out, "it has no files open")
	require.NoError(t, c.AbortTask(reduce(0, 0)), "nothing is written yet")
	require.NoError(t, c.DropCommitted())
	writePart(t, c, reduce(0, 0), "text")
	require.DirExists(t, filepath.Join(dir, "_out.new"))
	require.ErrorIs(t, NewCommitter(Dir(out).Late()).SetupJob(), ErrOutputExists)
	require.NoError(t, c.CommitTask(reduce(0, 0)))
	require.NoError(t, c.CommitJob())
	require.NoError(t, c.ForgetJob())
	require.Equal(t, output("text"), files(t, out))
	require.ErrorIs(t, NewCommitter(Dir(out).Late()).SetupJob(), ErrOutputExists)

	c = NewCommitter(ReplacedDir(out).Late())
	require.NoError(t, c.SetupJob())
	writePart(t, c, reduce(0, 0), "new")
	require.Equal(t, output("text"), files(t, out), "until the new one is complete")
	require.NoError(t, c.CommitTask(reduce(0, 0)))
	require.NoError(t, c.CommitJob())
	require.Equal(t, output("new"), files(t, out))
}

// If a job writes nothing, its output of Late exists after success, and does not after failure.
// Late attempts do not change that.
func TestLateOutputOfNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := NewCommitter(Dir(out).Late())
	require.NoError(t, c.SetupJob())
	require.NoError(t, c.CommitJob())
	require.FileExists(t, filepath.Join(out, Success))
	require.NoError(t, os.RemoveAll(out))

	for _, end := range []func(*Committer) error{
		(*Committer).AbortJob,
		func(c *Committer) error { return c.local.leave() },
	} {
		c = NewCommitter(Dir(out).Late())
		require.NoError(t, c.SetupJob())
		require.NoError(t, end(c))
		_, err := c.Open(reduce(0, 0))
		require.ErrorIs(t, err, ErrUnprepared)
		require.NoDirExists(t, out)
	}
}

// If another process creates the output of a Late job first, the job fails at once, and that output
// stays.
func TestLateOutputComesTooLate(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := NewCommitter(Dir(out).Late())
	require.NoError(t, c.SetupJob())
	complete(t, Dir(out), "of another")
	_, err := c.Open(reduce(0, 0))
	require.ErrorIs(t, err, ErrOutputExists)
	require.True(t, fault.IsPermanent(err))
	require.NoError(t, c.AbortJob())
	require.Equal(t, output("of another"), files(t, out))
}

// A Late output that a killed run has left is resumed.
func TestLateOutputIsResumed(t *testing.T) {
	eachKind(t, func(t *testing.T, dest func() Destination, out string) {
		die(t, begun(t, dest().Late(), "first"))
		c := NewCommitter(dest().Late())
		require.NoError(t, c.SetupJob())
		require.Equal(t, []attempt.ID{{Kind: attempt.Reduce}}, c.Tasks())
		require.NoError(t, c.CommitJob())
		require.NoError(t, c.ForgetJob())
		require.Equal(t, output("first"), files(t, out))
	})
}
