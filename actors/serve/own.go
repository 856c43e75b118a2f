package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarry-mr/tarry/internal/nofollow"
)

// own are the absolute names of what belongs to the server itself and no job may read or write: its
// State, and files of tokens, certificates and keys. Missing ones are ignored. They are identified
// by the system's file identity, whatever name or link leads to them.
type own []string

// errOwn is the reason why a job may not use a file or directory.
var errOwn = errors.New("it belongs to the server (its state, or a file of tokens, certificates or keys)")

// newOwn returns the server's own files of a configuration.
func newOwn(cfg *Config) (o own, err error) {
	for _, name := range append([]string{cfg.State}, cfg.Secrets...) {
		if name == "" {
			continue
		}
		full, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		o = append(o, full)
	}
	return o, nil
}

// check rejects a place that is one of the server's own files, is within the State, or is a
// directory with any of them in it. there describes what is at the path; nil if nothing is. The
// path must be absolute and without symbolic links.
func (o own) check(path string, there fs.FileInfo) error {
	for _, name := range o {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			continue
		}
		info, err := os.Stat(real)
		if err == nil && (within(path, info) || there != nil && within(real, there)) {
			return errOwn
		}
	}
	return nil
}

// within reports whether path is the file or directory of info, or below it. path must be absolute
// and without symbolic links; its last elements need not exist.
func within(path string, info fs.FileInfo) bool {
	for {
		if at, err := os.Stat(path); err == nil && os.SameFile(at, info) {
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
	own       own
}

func (r *root) inputs(o own) fs.FS {
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
