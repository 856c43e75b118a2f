package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarry-mr/tarry/internal/nofollow"
)

// own holds the files that belong to the server itself and that no job may read or write: its
// State, and files of tokens, certificates and keys. They are identified by the system's file
// identity, whatever name or link leads to them.
type own struct {
	state string   // a directory; empty if there is none
	paths []string // absolute: state and the files; missing files are ignored
}

// errOwn is the reason why a job may not use a file or directory.
var errOwn = errors.New("it belongs to the server (its state, or a file of tokens, certificates or keys)")

// newOwn returns the server's own files of a configuration.
func newOwn(cfg *Config) (*own, error) {
	o := new(own)
	for _, name := range append([]string{cfg.State}, cfg.Secrets...) {
		if name == "" {
			continue
		}
		full, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		o.paths = append(o.paths, full)
	}
	if cfg.State != "" {
		o.state = o.paths[0]
	}
	return o, nil
}

// check rejects a place that is one of the server's own files, is within the State, or is a
// directory with any of them in it. there describes what is at the path; nil if nothing is. The
// path must be absolute and without symbolic links.
func (o *own) check(path string, there fs.FileInfo) error {
	for _, name := range o.paths {
		info, err := os.Stat(name)
		switch {
		case err != nil && name == o.state:
			return err
		case err != nil:
		case info.IsDir() && within(path, info), there != nil && (os.SameFile(info, there) || contains(there, name)):
			return errOwn
		}
	}
	if o.state != "" && there != nil && there.Mode().IsRegular() && hasLinks(there) {
		return o.checkHardLink(there)
	}
	return nil
}

// contains reports whether a directory contains a file.
func contains(dir fs.FileInfo, name string) bool {
	real, err := filepath.EvalSymlinks(name)
	return dir.IsDir() && err == nil && within(real, dir)
}

// checkHardLink rejects a file that has another name below the state directory.
func (o *own) checkHardLink(opened fs.FileInfo) error {
	return filepath.WalkDir(o.state, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			info, bad := e.Info()
			if err = bad; err == nil && os.SameFile(info, opened) {
				return errOwn
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		return err
	})
}

// within reports whether path is dir or below it. path must be absolute and without symbolic links;
// its last elements need not exist.
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

// inputFS is a root as the file system of jobs' inputs. Symbolic links lead only to other places
// below the root. The server's own files cannot be opened, even through links made later.
type inputFS struct {
	fs.StatFS // for Stat only, opens no files
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
		err = i.own.check(real, info)
	}
	if err != nil {
		_ = f.Close()
		return fail(err)
	}
	return f, nil
}
