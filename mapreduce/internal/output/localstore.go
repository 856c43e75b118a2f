package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// Dir implements mapreduce.Dir, which documents it.
func Dir(dir string) Destination {
	if stores.Named(dir) {
		return Destination{store: &remoteStore{url: stores.Clean(dir)}}
	}
	return Destination{store: &localStore{dir: filepath.Clean(dir)}}
}

// ReplacedDir implements mapreduce.ReplacedDir, which documents it.
func ReplacedDir(dir string) Destination {
	if stores.Named(dir) {
		return Destination{store: &remoteStore{url: stores.Clean(dir), replace: true}}
	}
	return Destination{store: &localStore{dir: filepath.Clean(dir), replace: true}}
}

// localStore is an output in a local directory. Attempts write to _temporary/ATTEMPT in it; a
// commit renames the file.
type localStore struct {
	tree    dirTree
	dir     string
	replace bool
	token   string // of a resumable job; empty: not resumable

	out    *outputDir // the directory being written; nil if Setup failed
	temp   *os.Root   // its directory of temporary files
	begun  string     // the path of out while attempts write
	old    *outputDir // the earlier output, while it is locked
	ended  bool       // the output is complete or removed
	killed string     // see Committer.Left
	// complete says that all parts and _SUCCESS exist.
	complete bool

	late  bool       // see Destination.Late
	mu    sync.Mutex // held while the directory is created
	waits bool       // late, and the directory is not created yet
}

// Success is the name of the empty file that marks a complete output.
const Success = "_SUCCESS"

func (s *localStore) Name() string { return s.dir }

// beside returns the path of a directory next to the output, _NAME and ending.
func (s *localStore) beside(ending string) string {
	return filepath.Join(filepath.Dir(s.dir), "_"+filepath.Base(s.dir)+ending)
}

// check returns the error that Setup would return, and changes nothing.
func (s *localStore) check() error {
	if d, err := s.openResumable(s.dir); d != nil || err != nil {
		if d != nil {
			err = d.release()
		}
		return err
	}
	there, err := s.find()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return there.release()
}

// find opens and locks the existing output, or returns why it may not be replaced.
func (s *localStore) find() (*outputDir, error) {
	there, err := openOutputDir(s.tree, s.dir)
	if err != nil {
		return nil, err
	}
	if err := s.refuse(there); err != nil { // before locking, so that others are not locked out
		return nil, errors.Join(err, there.release())
	}
	if err := there.take(false); err != nil {
		return nil, err
	}
	err = s.refuse(there)
	if err == nil && !s.replace && !there.real {
		err = fmt.Errorf("%s: %w: unfinished, maybe left by a run that was killed", s.dir, ErrOutputExists)
	}
	if err != nil {
		return nil, errors.Join(err, there.release())
	}
	return there, nil
}

// refuse returns why an existing output may not be replaced, or nil.
func (s *localStore) refuse(there *outputDir) error {
	list, stranger, err := there.entries()
	switch {
	case err != nil && !there.inPlace():
		return there.busy() // somebody has removed it since it was opened
	case err != nil:
		return err
	case s.replace && stranger != "":
		return fmt.Errorf("%s: %w: it holds %s, which is not the output of a job; not overwritten", s.dir,
			ErrOutputExists, stranger)
	case s.replace || there.unfinished():
		return nil
	case len(list) == 0:
		return fmt.Errorf("%s: %w: an empty directory", s.dir, ErrOutputExists)
	}
	return fmt.Errorf("%s: %w", s.dir, ErrOutputExists)
}

func (s *localStore) Setup() error {
	if err := s.tree.makeParents(s.dir); err != nil {
		return err
	}
	if err := s.heal(); err != nil {
		return err
	}
	if s.token != "" {
		if found, err := s.resume(); found || err != nil {
			return err
		}
	}
	if s.late {
		err := s.check()
		s.waits = err == nil
		return err
	}
	return s.make()
}

// make creates the output's directory, or one beside it if there is an earlier output.
func (s *localStore) make() (err error) {
	defer func() {
		if err == nil {
			s.begun = s.out.path
		}
	}()
	done, err := s.makeWhole()
	if done || err != nil {
		return err
	}
	out, err := makeOutputDir(s.tree, s.dir)
	if errors.Is(err, fs.ErrExist) {
		out, err = s.takeOver()
	}
	if err != nil {
		return err
	}
	return s.begin(out)
}

// makeWhole creates the directory beside its place, with the job's token, and moves it there. So a
// killed run leaves only what the next one recognizes. It returns done false if the place is taken
// or the system does not support the move.
func (s *localStore) makeWhole() (done bool, err error) {
	if _, err := s.tree.lstat(s.dir); err == nil {
		return false, nil
	}
	out, err := s.makeBeside()
	if errors.Is(err, ErrOutputBusy) {
		return false, err
	}
	if err != nil {
		return false, nil //nolint:nilerr // something else has that name
	}
	if err := s.begin(out); err != nil {
		return false, err
	}
	if err := s.tree.renameNew(out.path, s.dir); err != nil {
		s.out = nil
		return false, errors.Join(s.temp.Close(), out.remove())
	}
	out.path = s.dir
	return true, nil
}

// makeBeside creates a directory beside the output, and clears what a killed run left there.
func (s *localStore) makeBeside() (*outputDir, error) {
	path := s.beside(".new")
	out, err := makeOutputDir(s.tree, path)
	if !errors.Is(err, fs.ErrExist) {
		return out, err
	}
	if err := s.clear(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out, err = makeOutputDir(s.tree, path)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s: %w: %w", path, ErrOutputExists, ErrOutputBusy)
	}
	return out, err
}

// begin creates the directory of temporary files, with a file in it that later becomes _SUCCESS.
func (s *localStore) begin(out *outputDir) error {
	temp, err := beginIn(out)
	if err == nil && s.token != "" {
		if err = s.mark(temp); err != nil {
			err = errors.Join(err, temp.Close())
		}
	}
	if err != nil {
		err = errors.Join(err, out.remove())
		if s.old != nil {
			err = errors.Join(err, s.old.release())
		}
		return err
	}
	s.out, s.temp = out, temp
	return nil
}

func beginIn(out *outputDir) (*os.Root, error) {
	if err := out.root.Mkdir(Temporary, 0o700); err != nil {
		return nil, err
	}
	temp, err := out.root.OpenRoot(Temporary)
	if err != nil {
		return nil, err
	}
	f, err := temp.OpenFile(Success, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, errors.Join(err, temp.Close())
	}
	return temp, f.Close()
}

// takeOver returns a directory to write to where an output exists: leftovers of a killed run,
// emptied, or a new one beside the earlier output, which stays until the new one is complete.
func (s *localStore) takeOver() (*outputDir, error) {
	there, err := s.find()
	if err != nil {
		return nil, err
	}
	if there.real && there.unfinished() {
		s.killed = there.runText()
		if err := there.empty(); err != nil {
			return nil, errors.Join(err, there.release())
		}
		return there, nil
	}
	out, err := s.makeBeside()
	if err != nil {
		return nil, errors.Join(err, there.release())
	}
	s.old = there
	return out, nil
}

// clear removes the directory at path, left by a run that was killed while replacing an output.
func (s *localStore) clear(path string) error {
	d, err := openLocked(s.tree, path)
	if err != nil {
		return err
	}
	if !d.leftBehind() {
		return errors.Join(fmt.Errorf("%s: %w: maybe left by a run that was killed; remove it", path, ErrOutputExists),
			d.release())
	}
	return d.remove()
}

// heal repairs the leftovers of a run that was killed between the two renames of change, on systems
// without exchange.
func (s *localStore) heal() error {
	old, err := openLocked(s.tree, s.beside(".old"))
	if errors.Is(err, ErrOutputBusy) {
		return err
	}
	if err != nil {
		return nil // it does not exist
	}
	if !old.leftBehind() {
		return old.release()
	}
	if _, err := s.tree.lstat(s.dir); !errors.Is(err, fs.ErrNotExist) {
		return old.remove()
	}
	defer func() { _ = old.release() }()
	if made, err := openLocked(s.tree, s.beside(".new")); err == nil {
		defer func() { _ = made.release() }()
		if made.has(Success) && made.leftBehind() {
			return s.tree.rename(made.path, s.dir)
		}
	}
	return s.tree.rename(old.path, s.dir)
}
