package mapreduce

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Destination is where an output goes. A destination serves one job.
type Destination struct {
	store       store
	compression Compression
}

// Compressed returns d with its parts compressed; their names get an extension.
func (d Destination) Compressed(c Compression) Destination {
	d.compression = c
	return d
}

// part is the output of one attempt.
type part struct {
	attempt string // the attempt's name
	name    string // of the part within the output
	index   int    // of the task
}

// store keeps parts. Its methods are safe for concurrent use, except that those
// of one part are called one after the other.
type store interface {
	name() string
	setup() error
	create(part) (io.WriteCloser, error)
	commit(part) error // makes the part visible
	discard(part) error
	success() error
	abort() error
}

// OutputFS is a file system that outputs can be written to. Names are slash
// separated. Its methods must be safe for concurrent use.
type OutputFS interface {
	// Create makes a file, and the directories above it.
	Create(name string) (io.WriteCloser, error)
	// Rename moves a file, and makes the directories above its new name.
	Rename(oldName, newName string) error
	// RemoveAll removes a file or a directory with all it holds; nothing there is no error.
	RemoveAll(name string) error
	// Exists reports whether a file or directory is there.
	Exists(name string) (bool, error)
}

// Dir is a directory of this machine, which must not exist yet.
func Dir(dir string) Destination { return InFS(localFS{}, filepath.ToSlash(dir)) }

// InFS is a directory of another file system, such as a dfs; it must not exist yet.
func InFS(fsys OutputFS, dir string) Destination {
	return Destination{store: &dirStore{fs: fsys, dir: dir}}
}

// temporary is the directory of parts that are not committed.
const temporary = "_temporary"

// dirStore writes attempts to dir/_temporary/attempt, a file, and renames it: three
// system calls a part, for jobs of ten thousand.
type dirStore struct {
	fs    OutputFS
	dir   string
	owned bool // set by setup: abort may remove dir
}

func (d *dirStore) name() string { return d.dir }

func (d *dirStore) setup() error {
	there, err := d.fs.Exists(d.dir)
	if err != nil {
		return err
	}
	if there {
		return fmt.Errorf("%s: %w", d.dir, ErrOutputExists)
	}
	f, err := d.fs.Create(path.Join(d.dir, temporary, "setup")) // what cannot be written fails now
	if err != nil {
		return err
	}
	d.owned = true
	return f.Close()
}

func (d *dirStore) place(p part) string { return path.Join(d.dir, temporary, p.attempt) }

func (d *dirStore) create(p part) (io.WriteCloser, error) { return d.fs.Create(d.place(p)) }

func (d *dirStore) commit(p part) error {
	return d.fs.Rename(d.place(p), path.Join(d.dir, p.name))
}

func (d *dirStore) discard(p part) error { return d.fs.RemoveAll(d.place(p)) }

func (d *dirStore) success() error {
	if err := d.fs.RemoveAll(path.Join(d.dir, temporary)); err != nil {
		return err
	}
	f, err := d.fs.Create(path.Join(d.dir, "_SUCCESS"))
	if err != nil {
		return err
	}
	return f.Close()
}

func (d *dirStore) abort() error {
	if !d.owned {
		return nil
	}
	return d.fs.RemoveAll(d.dir)
}

// localFS is the file system of this machine.
type localFS struct{}

func (localFS) Create(name string) (io.WriteCloser, error) {
	f, err := os.Create(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	return os.Create(name)
}

func (localFS) Rename(oldName, newName string) error { return os.Rename(oldName, newName) }
func (localFS) RemoveAll(name string) error          { return os.RemoveAll(name) }

func (localFS) Exists(name string) (bool, error) {
	_, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
