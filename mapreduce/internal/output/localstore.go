package output

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/nofollow"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Dir implements mapreduce.Dir, which documents it.
func Dir(dir string) Destination { return directory(dir, false) }

// ReplacedDir implements mapreduce.ReplacedDir, which documents it.
func ReplacedDir(dir string) Destination { return directory(dir, true) }

func directory(dir string, replace bool) Destination {
	if stores.Named(dir) {
		return inStore(&dirStore{url: stores.Clean(dir), replace: replace})
	}
	s := &localStore{dir: filepath.Clean(dir), replace: replace}
	return Destination{place: place{store: s, local: s}}
}

// inStore returns a Destination that writes to a directory of a store or a dfs.
func inStore(s *dirStore) Destination { return Destination{place: place{store: s, dir: s}} }

// localStore is an output in a local directory, NAME. The job writes in _NAME.new beside it, whose
// lock makes it the only one that writes this output:
//
//	write    an attempt writes to _temporary/ATTEMPT
//	commit   the file gets the name of its part
//	seal     all parts are committed: _SUCCESS is created, and _temporary removed
//	publish  _NAME.new becomes NAME; an earlier output is swapped with it, and then removed
//	forget   _RESUME is removed
//
// So a killed run leaves _NAME.new, unlocked. A run with the token in _RESUME continues there, also
// with a NAME that is not forgotten; any other run empties it.
type localStore struct {
	tree    dirTree
	dir     string
	replace bool
	token   string // of a resumable job; empty: not resumable
	late    bool   // see Destination.Late

	out    *outputDir // where the job writes, or its published output; nil if Setup failed
	old    *outputDir // the earlier output, locked; nil if there is none
	ended  bool       // the output is complete, left or removed
	killed string     // see Committer.Left

	mu    sync.Mutex // held while the directory is created
	waits bool       // late, and the directory is not created yet
	temp  *os.Root   // the directory of temporary files; nil if it is not created
}

const (
	// Success is the name of the empty file that marks a complete output.
	Success = "_SUCCESS"
	// Temporary is the name of the directory, in the output, of uncommitted parts.
	Temporary = "_temporary"
	// resumeMark is the name of the file with the token of a resumable job.
	resumeMark = "_RESUME"
)

// Late returns d with a directory that the first writing attempt creates, although SetupJob makes
// the same checks. A job that waits for its turn then has no files open. If another job writes
// there by then, the job fails at once with ErrOutputExists. SetupJob still takes over the output
// of a killed run of the same job. Destinations other than local directories are returned
// unchanged.
func (d Destination) Late() Destination {
	if d.local != nil {
		d.local.late = true
	}
	return d
}

func (s *localStore) Name() string { return s.dir }

// beside returns the path of a directory next to the output, _NAME and ending.
func (s *localStore) beside(ending string) string {
	return filepath.Join(filepath.Dir(s.dir), "_"+filepath.Base(s.dir)+ending)
}

func (s *localStore) busy() error {
	return fmt.Errorf("%s: %w: %w", s.dir, ErrOutputExists, ErrOutputBusy)
}

// check returns the error that Setup would return, and changes nothing.
func (s *localStore) check() error {
	done, err := s.published()
	if done != nil {
		return done.release()
	}
	if err == nil {
		_, err = s.look()
	}
	return err
}

// look returns the error that make would return, and changes nothing. It reports whether a killed
// run with this token has left its directory.
func (s *localStore) look() (resumes bool, err error) {
	there, err := s.earlier()
	if there != nil {
		err = there.release()
	}
	if err != nil {
		return false, err
	}
	d, err := openOutputDir(s.tree, s.beside(".new"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if list, _, err := d.entries(); err == nil && len(list) == 0 {
		return false, d.release() // a run that has just created it must not find it locked
	}
	if err := s.takeLeft(d); err != nil {
		return false, err
	}
	return s.isResumable(d), d.release()
}

// earlier opens the existing output; nil if there is none. The error says why the job must leave it
// alone.
func (s *localStore) earlier() (*outputDir, error) {
	there, err := openOutputDir(s.tree, s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := s.refuse(there); err != nil {
		return nil, errors.Join(err, there.release())
	}
	return there, nil
}

// refuse returns why an existing output may not be replaced, or nil.
func (s *localStore) refuse(there *outputDir) error {
	list, stranger, err := there.entries()
	switch {
	case err != nil && !there.inPlace():
		return s.busy() // somebody has removed it since it was opened
	case err != nil:
		return err
	case s.replace && stranger != "":
		return fmt.Errorf("%s: %w: it holds %s, which is not the output of a job; not overwritten", s.dir,
			ErrOutputExists, stranger)
	case s.replace:
		return nil
	case len(list) == 0:
		return fmt.Errorf("%s: %w: an empty directory", s.dir, ErrOutputExists)
	}
	return fmt.Errorf("%s: %w", s.dir, ErrOutputExists)
}

// takeLeft locks a directory that a run has left. If it cannot, it closes the directory.
func (s *localStore) takeLeft(d *outputDir) error {
	if !d.take() {
		return s.busy()
	}
	if d.leftBehind() {
		return nil
	}
	return errors.Join(fmt.Errorf("%s: %w: maybe left by a run that was killed; remove it", d.path, ErrOutputExists),
		d.release())
}

func (s *localStore) Setup() error {
	if err := s.tree.makeParents(s.dir); err != nil {
		return err
	}
	done, err := s.published()
	if done != nil {
		s.resume(done)
	}
	if done != nil || err != nil {
		return err
	}
	resumes, err := s.look()
	if err != nil {
		return err
	}
	if s.waits = s.late && !resumes; s.waits {
		return nil
	}
	return s.make()
}

// make claims the directory in which the job writes. Another run may have published an output since
// look, so make looks for one again, and locks it.
func (s *localStore) make() error {
	out, err := s.claim()
	if err != nil {
		return err
	}
	if s.old, err = s.earlier(); s.old != nil && !s.old.take() {
		s.old, err = nil, s.busy()
	}
	if err == nil {
		err = s.begin(out)
	}
	switch {
	case err == nil:
		return nil
	case s.isResumable(out):
		err = errors.Join(err, out.release())
	default:
		err = errors.Join(err, out.remove())
	}
	if s.old != nil {
		err = errors.Join(err, s.old.release())
	}
	return err
}

// claim creates and locks the directory in which the job writes, or locks what a killed run has
// left of it.
func (s *localStore) claim() (*outputDir, error) {
	path := s.beside(".new")
	exists := s.tree.mkdir(path)
	if exists != nil && !errors.Is(exists, fs.ErrExist) {
		if at, ok := errors.AsType[*fs.PathError](exists); ok {
			at.Path = s.dir // the name that users know
		}
		return nil, exists
	}
	out, err := openOutputDir(s.tree, path)
	switch {
	case errors.Is(err, fs.ErrNotExist): // another run has published it
		err = s.busy()
	case err != nil:
	case exists != nil:
		err = s.takeLeft(out)
	case !out.take():
		err = s.busy()
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// begin empties the directory, unless a run with this token has left it, and creates the directory
// of temporary files.
func (s *localStore) begin(out *outputDir) (err error) {
	if !s.isResumable(out) {
		s.killed = out.runText()
		if err = out.empty(); err == nil && s.token != "" {
			err = out.root.WriteFile(resumeMark, []byte(s.token), 0o666)
		}
	}
	if err = cmp.Or(err, out.removeTemporary()); err != nil {
		return err
	}
	if err = out.root.Mkdir(Temporary, 0o700); err != nil {
		return err
	}
	if s.temp, err = out.root.OpenRoot(Temporary); err == nil {
		s.out = out
	}
	return err
}

// ready returns the directory of temporary files, and creates it if Late has postponed that. If too
// many files are open, another attempt may succeed.
func (s *localStore) ready() (*os.Root, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits {
		err := s.make()
		if errors.Is(err, ErrOutputExists) || errors.Is(err, nofollow.ErrLink) {
			err = fault.Permanent(err)
		}
		if err != nil {
			return nil, err
		}
		s.waits = false
	}
	if s.temp == nil {
		return nil, ErrUnprepared
	}
	return s.temp, nil
}

func (s *localStore) Create(p Part) (io.WriteCloser, error) {
	temp, err := s.ready()
	if err != nil {
		return nil, err
	}
	if err := temp.RemoveAll(p.Attempt); err != nil {
		return nil, err
	}
	return s.open(temp, p, os.O_CREATE|os.O_EXCL)
}

// reopen opens an attempt's closed file again, to write at its end.
func (s *localStore) reopen(p Part) (io.WriteCloser, error) { return s.open(s.temp, p, os.O_APPEND) }

// open opens an attempt's file to write to it. If the job is resumable, Close forces it to disk.
func (s *localStore) open(temp *os.Root, p Part, how int) (io.WriteCloser, error) {
	f, err := temp.OpenFile(p.Attempt, os.O_WRONLY|how, 0o666)
	if err != nil {
		return nil, err
	}
	if s.token != "" {
		return syncedFile{f}, nil
	}
	return f, nil
}

// syncedFile is a file whose Close forces its content to disk.
type syncedFile struct{ *os.File }

// Close implements io.Closer.
func (f syncedFile) Close() error { return errors.Join(f.Sync(), f.File.Close()) }

func (s *localStore) Commit(p Part) error {
	return s.out.root.Rename(Temporary+"/"+p.Attempt, p.name)
}

func (s *localStore) Discard(p Part) error {
	s.mu.Lock()
	temp := s.temp
	s.mu.Unlock()
	if temp == nil {
		return nil
	}
	err := cmp.Or(temp.RemoveAll(p.Attempt), temp.RemoveAll(p.Attempt+ownDir))
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
