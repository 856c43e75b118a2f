package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarry-mr/tarry/internal/nofollow"
)

// own is what belongs to the server itself, and no job reads or writes: its State, and files of
// tokens, certificates and keys. It is known by what the system calls the same file, whatever name or
// link leads to it.
type own struct {
	state string   // a directory; empty: none
	files []string // absolute; one that is not there is passed over
}

// errOwn is why a job does not get at a file or directory.
var errOwn = errors.New("it belongs to the server (its state, or a file of tokens, certificates or keys)")

// newOwn is what a configuration makes the server's own.
func newOwn(cfg *Config) (*own, error) {
	o := &own{state: cfg.State}
	var err error
	if o.state != "" {
		o.state, err = filepath.Abs(o.state)
	}
	for _, name := range cfg.Secrets {
		full, bad := filepath.Abs(name)
		o.files, err = append(o.files, full), errors.Join(err, bad)
	}
	return o, err
}

// checkFile refuses an opened file of the machine, whose path has no symbolic links in it.
func (o *own) checkFile(path string, opened fs.FileInfo) error {
	for _, name := range o.files {
		if info, err := os.Stat(name); err == nil && os.SameFile(info, opened) {
			return errOwn
		}
	}
	if o.state == "" {
		return nil
	}
	state, err := os.Stat(o.state)
	if err != nil {
		return err
	}
	if within(path, state) {
		return errOwn
	}
	if opened.Mode().IsRegular() && hasLinks(opened) {
		return o.checkHardLink(opened)
	}
	return nil
}

// checkHardLink refuses a file that has another name below the state.
func (o *own) checkHardLink(opened fs.FileInfo) error {
	return filepath.WalkDir(o.state, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			info, bad := e.Info()
			if err = bad; err == nil && os.SameFile(info, opened) {
				return errOwn
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed meanwhile
		}
		return err
	})
}

// checkOutput refuses a directory of the machine that is within the state, or holds what is the
// server's own. It need not be there, and its path has no symbolic links in it.
func (o *own) checkOutput(path string) error {
	if o.state != "" {
		state, err := os.Stat(o.state)
		if err != nil {
			return err
		}
		if within(path, state) {
			return errOwn
		}
	}
	there, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // what is not there holds nothing
	}
	for _, name := range append([]string{o.state}, o.files...) {
		if real, err := filepath.EvalSymlinks(name); err == nil && name != "" && within(real, there) {
			return errOwn
		}
	}
	return nil
}

// within reports whether a path is a directory or below it. The path is absolute and has no symbolic
// links in it; names at its end need not be there.
func within(path string, dir fs.FileInfo) bool {
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, dir) {
			return true
		}
		above := filepath.Dir(path)
		if above == path {
			return false
		}
		path = above
	}
}

// inputFS is a root as the file system of jobs' inputs: symbolic links lead nowhere but to other places
// below the root, and files of the server's own are not opened, whenever a link to them was laid.
type inputFS struct {
	fs.StatFS // looks at files, and opens none
	root      *root
	own       *own
}

func (r *root) inputs(o *own) fs.FS {
	return inputFS{r.dir.FS().(fs.StatFS), r, o}
}

// ReadDir implements fs.ReadDirFS.
func (i inputFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(i.StatFS, name) }

// Open implements fs.FS.
func (i inputFS) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(i.root.path, filepath.FromSlash(name)))
	if err != nil {
		return fail(err)
	}
	rel, err := filepath.Rel(i.root.path, real)
	if err != nil || !filepath.IsLocal(rel) {
		return fail(errors.New("it leads out of the root"))
	}
	f, err := nofollow.Open(i.root.dir, filepath.ToSlash(rel))
	if err != nil {
		return fail(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = i.own.checkFile(real, info)
	}
	if err != nil {
		_ = f.Close()
		return fail(err)
	}
	return f, nil
}
