package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
)

// begun returns a Committer, set up, with one committed and one unfinished part.
func begun(t *testing.T, d Destination, text string) *Committer {
	t.Helper()
	c := NewCommitter(d)
	require.NoError(t, c.SetupJob())
	writePart(t, c, reduce(0, 0), text)
	require.NoError(t, c.CommitTask(reduce(0, 0)))
	writePart(t, c, reduce(1, 0), "unfinished")
	return c
}

// die closes the files of an output, and leaves them as a killed process does.
func die(t *testing.T, c *Committer) {
	t.Helper()
	s := c.local
	if s.temp != nil {
		require.NoError(t, s.temp.Close())
	}
	require.NoError(t, s.out.release())
	if s.old != nil {
		require.NoError(t, s.old.release())
	}
}

// complete writes a whole output.
func complete(t *testing.T, d Destination, text string) {
	t.Helper()
	require.NoError(t, begun(t, d, text).CommitJob())
}

func output(text string) map[string]string {
	return map[string]string{"part-r-00000": text, "_SUCCESS": ""}
}

func TestOneOfManyGetsTheOutput(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		if earlier {
			complete(t, Dir(out), "earlier")
		}
		var won atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				c := NewCommitter(ReplacedDir(out))
				if !earlier && i%2 == 0 {
					c = NewCommitter(Dir(out))
				}
				if err := c.SetupJob(); err != nil {
					if !errors.Is(err, ErrOutputExists) {
						t.Error(err)
					}
					return
				}
				won.Add(1)
				writePart(t, c, reduce(0, 0), "mine")
				for range 8 { // other runs come meanwhile
					if err := NewCommitter(ReplacedDir(out)).SetupJob(); !errors.Is(err, ErrOutputBusy) {
						t.Error(err)
					}
				}
				if err := errors.Join(c.CommitTask(reduce(0, 0)), c.CommitJob()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Positive(t, won.Load())
		require.Equal(t, output("mine"), files(t, out))
		require.Equal(t, output("mine"), files(t, dir+"/out"), "nothing else is left")
		require.Len(t, must(os.ReadDir(dir))(t), 1)
	}
}

// A run that opens an output while another run removes it gets ErrOutputBusy.
func TestOutputThatIsRemovedMeanwhile(t *testing.T) {
	for _, d := range []Destination{Dir("out"), ReplacedDir("out")} {
		t.Chdir(t.TempDir())
		complete(t, d, "earlier")
		there := must(openOutputDir(dirTree{}, "out"))(t)
		require.NoError(t, os.RemoveAll("out"))
		require.ErrorIs(t, d.store.(*localStore).refuse(there), ErrOutputBusy)
		require.NoError(t, there.release())
	}
}

// A new output appears at once, whole.
func TestOutputsAppearWhole(t *testing.T) {
	dir := t.TempDir()
	name := func(i int) string { return filepath.Join(dir, strconv.Itoa(i)) }
	const outputs = 200
	seen := make(chan error)
	go func() {
		defer close(seen)
		for i := 0; i < outputs; {
			list, err := os.ReadDir(name(i))
			switch {
			case errors.Is(err, os.ErrNotExist):
			case err == nil && len(list) == 2 && list[0].Name() == Success:
				i++
			default:
				seen <- fmt.Errorf("%s: %v %w", name(i), list, err)
				return
			}
		}
	}()
	for i := range outputs {
		complete(t, Dir(name(i)), "text")
	}
	require.NoError(t, <-seen)
}

// If something else gets the output's name while the job runs, it stays, and the commit fails.
func TestNameIsTakenMeanwhile(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	c := begun(t, Dir(out), "mine")
	require.NoError(t, os.Mkdir(out, 0o700))
	require.ErrorIs(t, c.CommitJob(), ErrOutputExists)
	require.NoError(t, c.AbortJob())
	require.Empty(t, must(os.ReadDir(out))(t))
	require.Len(t, must(os.ReadDir(dir))(t), 1)
}

func TestReplacedOutput(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	complete(t, ReplacedDir(out), "one")
	c := begun(t, ReplacedDir(out), "two")
	require.Equal(t, output("one"), files(t, out))
	require.ErrorIs(t, ReplacedDir(out).Check(), ErrOutputBusy)
	require.NoError(t, c.AbortJob())
	require.NoError(t, c.AbortJob(), "again")
	require.Equal(t, output("one"), files(t, dir+"/out"))
	require.NoError(t, ReplacedDir(out).Check())
	require.ErrorIs(t, Dir(out).Check(), ErrOutputExists)
	complete(t, ReplacedDir(out), "three")
	require.Equal(t, map[string]string{"out/part-r-00000": "three", "out/_SUCCESS": ""}, files(t, dir))
}

func TestWhatAKilledRunLeft(t *testing.T) {
	for _, d := range []func(string) Destination{Dir, ReplacedDir} {
		t.Run("while attempts wrote", func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			if d("").store.(*localStore).replace {
				complete(t, d(out), "one")
			}
			c := begun(t, d(out), "two")
			require.ErrorIs(t, d(out).Check(), ErrOutputBusy)
			die(t, c)
			require.NoError(t, d(out).Check())
			complete(t, d(out), "three")
			require.Equal(t, map[string]string{"out/part-r-00000": "three", "out/_SUCCESS": ""}, files(t, dir))
		})
	}
	for step := range 3 { // of making the directory
		t.Run(fmt.Sprint("in set-up step ", step), func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			s := Dir(out).store.(*localStore)
			made := must(s.claim())(t)
			if step > 0 {
				require.NoError(t, s.begin(made))
				require.NoError(t, s.temp.Close())
			}
			if step > 1 { // a run that empties it
				require.NoError(t, made.root.WriteFile("errors-r-00000", nil, 0o600))
			}
			require.ErrorIs(t, NewCommitter(Dir(out)).SetupJob(), ErrOutputBusy)
			require.NoError(t, made.release())
			complete(t, Dir(out), "one")
			require.Equal(t, map[string]string{"out/part-r-00000": "one", "out/_SUCCESS": ""}, files(t, dir))
		})
	}
	// An output that another one has replaced is removed, and not continued, from the middle on.
	t.Run("in the removal of the earlier output", func(t *testing.T) {
		dir := t.TempDir()
		out, mine := filepath.Join(dir, "out"), func(out string) Destination { return Dir(out).Resumable("mine") }
		c := begun(t, mine(filepath.Join(dir, "old")), "one")
		require.NoError(t, c.CommitJob())
		old := c.local.out
		require.NoError(t, old.root.Remove(resumeMark))
		require.NoError(t, old.root.Remove("part-r-00000"))
		die(t, c)
		require.NoError(t, os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "_out.new")))
		c = NewCommitter(mine(out))
		require.NoError(t, c.SetupJob())
		require.False(t, c.Complete())
		require.Empty(t, files(t, filepath.Join(dir, "_out.new"))[Success])
		require.NoError(t, c.AbortJob())
		require.Empty(t, files(t, dir))
	})
}

// An earlier output that is moved away while a job runs is not emptied.
func TestMovedEarlierOutputIsKept(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	complete(t, Dir(out), "one")
	c := begun(t, ReplacedDir(out), "two")
	require.NoError(t, c.AbortTask(reduce(1, 0)))
	require.NoError(t, os.Rename(out, out+".kept"))
	require.ErrorContains(t, c.CommitJob(), out+": another process has moved it")
	require.NoError(t, c.AbortJob())
	require.Equal(t, output("one"), files(t, out+".kept"))
}

func TestWhatNoJobWroteIsKept(t *testing.T) {
	for _, stranger := range []string{"notes.txt", "part-r-00000/", "_SUCCESS/", "_temporary", "part-r-00000@"} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		name := filepath.Join(out, stranger)
		require.NoError(t, os.Mkdir(out, 0o700))
		switch {
		case stranger[len(stranger)-1] == '/':
			require.NoError(t, os.Mkdir(name, 0o700))
		case stranger[len(stranger)-1] == '@':
			require.NoError(t, os.Symlink(dir, name[:len(name)-1]))
		default:
			require.NoError(t, os.WriteFile(name, nil, 0o600))
		}
		for _, d := range []Destination{Dir(out), ReplacedDir(out)} {
			require.ErrorIs(t, d.Check(), ErrOutputExists, stranger)
			c := NewCommitter(d)
			require.ErrorIs(t, c.SetupJob(), ErrOutputExists, stranger)
			require.NoError(t, c.AbortJob())
		}
		require.Len(t, must(os.ReadDir(out))(t), 1, stranger)
	}
	dir := t.TempDir()
	notes := filepath.Join(dir, "_out.new", "notes.txt")
	require.NoError(t, os.Mkdir(filepath.Dir(notes), 0o700))
	require.NoError(t, os.WriteFile(notes, nil, 0o600))
	for _, err := range []error{Dir(dir + "/out").Check(), NewCommitter(Dir(dir + "/out")).SetupJob()} {
		require.ErrorIs(t, err, ErrOutputExists)
		require.ErrorContains(t, err, "_out.new: output exists: maybe left by a run that was killed; remove it")
	}
	require.FileExists(t, notes)
	empty := t.TempDir()
	require.ErrorContains(t, Dir(empty).Check(), "an empty directory")
	require.NoError(t, ReplacedDir(empty).Check())
}

// Symbolic links are not followed, wherever another user who may write there creates them.
func TestSymbolicLinksAreNotFollowed(t *testing.T) {
	id := reduce(0, 0)
	victim := func(t *testing.T) string {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "precious"), []byte("x"), 0o600))
		return dir
	}
	same := func(t *testing.T, dir string) {
		require.Equal(t, map[string]string{"precious": "x"}, files(t, dir))
	}
	for _, name := range []string{"out", "_out.new"} {
		t.Run(name, func(t *testing.T) {
			dir, v := t.TempDir(), victim(t)
			out := filepath.Join(dir, "out")
			if name != "out" {
				complete(t, Dir(out), "one")
			}
			require.NoError(t, os.Symlink(v, filepath.Join(dir, name)))
			c := NewCommitter(ReplacedDir(out))
			if err := c.SetupJob(); err == nil {
				writePart(t, c, id, "two")
				require.NoError(t, errors.Join(c.CommitTask(id), c.CommitJob()))
			}
			require.NoError(t, c.AbortJob())
			same(t, v)
		})
	}
	for _, name := range []string{
		"_temporary", "_temporary/r-00000-0", "_SUCCESS", "part-r-00000",
		"_temporary/_SUCCESS",
	} {
		for _, target := range []string{"", "/precious"} {
			t.Run(name+" to"+target, func(t *testing.T) {
				v, dir := victim(t), t.TempDir()
				c := NewCommitter(Dir(filepath.Join(dir, "out")))
				require.NoError(t, c.SetupJob())
				link := filepath.Join(dir, "_out.new", name)
				require.NoError(t, os.RemoveAll(link))
				require.NoError(t, os.Symlink(v+target, link))
				if w, err := c.Open(id); err == nil {
					_, _ = w.Write([]byte("text"))
					require.NoError(t, w.Close())
					_ = errors.Join(c.CommitTask(id), c.CommitJob())
				}
				_ = c.AbortJob()
				same(t, v)
			})
		}
	}
	t.Run("output", func(t *testing.T) { // a link in place of the output's directory
		v, dir := victim(t), t.TempDir()
		c := begun(t, Dir(filepath.Join(dir, "out")), "one")
		made := filepath.Join(dir, "_out.new")
		require.NoError(t, os.Rename(made, made+".away"))
		require.NoError(t, os.Symlink(v, made))
		require.NoError(t, c.CommitTask(reduce(1, 0)))
		require.ErrorContains(t, c.CommitJob(), "another process has moved it")
		require.NoError(t, c.AbortJob())
		same(t, v)
	})
}

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

// reduce returns the ID of an attempt at a reduce, for tests of its part.
func reduce(index, try int) attempt.ID {
	return attempt.ID{Kind: attempt.Reduce, Index: index, Try: try}
}

func writePart(t *testing.T, c *Committer, id attempt.ID, text string) {
	t.Helper()
	w := must(c.Open(id))(t)
	must(io.WriteString(w, text))(t)
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

func TestUnwritableOutputFailsAtSetup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, NewCommitter(Dir(filepath.Join(file, "out"))).SetupJob())
}

// must returns the result of a call; an error of the call ends the test.
func must[T any](result T, err error) func(t require.TestingT) T {
	return func(t require.TestingT) T { require.NoError(t, err); return result }
}

// An aborted output is removed although other processes, which do not know that their job has
// ended, still create files in it.
func TestAbortWhileOthersWrite(t *testing.T) {
	for range 10 {
		out := filepath.Join(t.TempDir(), "out")
		c := begun(t, Dir(out), "text")
		where, err := c.Shared().Meeting()
		require.NoError(t, err)
		notes := filepath.Join(where, Temporary, "notes")
		require.NoError(t, os.Mkdir(notes, 0o700))
		var others, begin sync.WaitGroup
		begin.Add(1)
		others.Go(func() {
			for i := range 500 {
				if i == 100 {
					begin.Done()
				}
				_ = os.WriteFile(filepath.Join(notes, strconv.Itoa(i)), nil, 0o600) // fails when the directory is gone
			}
		})
		begin.Wait()
		require.NoError(t, c.AbortJob())
		others.Wait()
		require.NoDirExists(t, where)
	}
}
