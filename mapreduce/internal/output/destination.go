package output

import (
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"regexp"
	"sync"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Destination is where an output goes. A destination serves one job: a second one finds the
// directory there (ErrOutputExists), or is told that the Writer or Collected is used
// (ErrDestinationUsed).
type Destination struct {
	store       Store
	compression Compression
	extension   string // of the names of parts, before that of the compression
	meter       *meter
}

// Extension returns d with parts whose names end with ext, such as .csv: a point and 1 to 20 letters,
// digits or underscores; Bind refuses any other. That of a compression comes after it.
func (d Destination) Extension(ext string) Destination {
	d.extension = ext
	return d
}

var extensions = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.\w{1,20}$`) })

// CheckExtension is an error if the extension of parts cannot be one.
func CheckExtension(d Destination) error {
	if d.extension != "" && !extensions().MatchString(d.extension) {
		return fmt.Errorf("the extension %q is not a point and 1 to 20 letters, digits or underscores", d.extension)
	}
	return nil
}

// Compressed returns d with its parts compressed; their names get an extension.
func (d Destination) Compressed(c Compression) Destination {
	d.compression = c
	return d
}

// Check reports an output that SetupJob would refuse as things are, and changes nothing.
func (d Destination) Check() error {
	if s, ok := d.store.(interface{ check() error }); ok {
		return s.check()
	}
	return nil
}

// To is where a store of another package puts the parts.
func To(s Store) Destination { return Destination{store: s} }

// Given reports whether d is more than the zero value.
func Given(d Destination) bool { return d.store != nil }

// Routable is an error unless files of names can be written beside the parts.
func Routable(d Destination) error {
	if !inDirectory(d.store) {
		return fmt.Errorf("mapreduce.Routed to %s: it takes a directory, such as Dir", d.store.Name())
	}
	return nil
}

// inDirectory reports whether parts of a store lie in a directory.
func inDirectory(s Store) bool {
	switch s.(type) {
	case *localStore, *dirStore, *remoteStore:
		return true
	}
	return false
}

// Part is the output of one attempt.
type Part struct {
	Attempt string // the attempt's name
	name    string // of the part within the output
	Index   int    // of the task
	Tasks   int    // that write a part; set for create only, as are host and budget
	Host    string // of the attempt
	Budget  *memory.Budget
}

// Store keeps parts. Its methods are safe for concurrent use, except that those
// of one part are called one after the other.
type Store interface {
	Name() string
	Setup() error
	Create(Part) (io.WriteCloser, error)
	Commit(Part) error // makes the part visible
	Discard(Part) error
	Success() error
	Abort() error
}

// FS is a file system that outputs can be written to. Names are slash
// separated. Its methods must be safe for concurrent use.
type FS interface {
	// Create makes a file, and the directories above it.
	Create(name string) (io.WriteCloser, error)
	// Rename moves a file, and makes the directories above its new name.
	Rename(oldName, newName string) error
	// RemoveAll removes a file or a directory with all it holds; nothing there is no error.
	RemoveAll(name string) error
	// Exists reports whether a file or directory is there.
	Exists(name string) (bool, error)
}

// appendFS is an FS whose files can be written on.
type appendFS interface {
	FS
	// Append opens a file that Create has made, and that was closed, to write after what is in it.
	Append(name string) (io.WriteCloser, error)
}

// InFS is mapreduce.InFS, where its promises stand.
func InFS(fsys FS, dir string) Destination {
	return Destination{store: &dirStore{fs: fsys, dir: dir}}
}

// ErrEnded is the error of an attempt that outlived its job.
var ErrEnded = errors.New("the job has ended")

// Temporary is the directory of parts that are not committed.
const Temporary = "_temporary"

// dirStore writes attempts to dir/_temporary/attempt, a file, and renames it.
type dirStore struct {
	fs    FS
	dir   string
	owned bool        // set by setup: abort may remove dir
	ended atomic.Bool // attempts that come late write no more
}

// claims are the outputs in file systems of others that jobs of this process write now: an
// FS cannot say whether it made a directory or found it.
var claims sync.Map // of claim

type claim struct {
	fs  FS
	dir string
}

func (d *dirStore) Name() string { return d.dir }

func (d *dirStore) Setup() (err error) {
	if c, ok := d.claim(); ok {
		if _, taken := claims.LoadOrStore(c, true); taken {
			return fmt.Errorf("%s: %w: %w", d.dir, ErrOutputExists, ErrOutputBusy)
		}
		defer func() {
			if !d.owned {
				claims.Delete(c)
			}
		}()
	}
	there, err := d.fs.Exists(d.dir)
	if err != nil {
		return err
	}
	if there {
		return fmt.Errorf("%s: %w", d.dir, ErrOutputExists)
	}
	f, err := d.fs.Create(path.Join(d.dir, Temporary, "setup")) // what cannot be written fails now
	if err != nil {
		return err
	}
	d.owned = true
	return f.Close()
}

// claim is the output's; false if file systems of this type cannot be told from each other.
func (d *dirStore) claim() (c claim, ok bool) {
	if !reflect.ValueOf(d.fs).Comparable() {
		return c, false
	}
	return claim{d.fs, path.Clean(d.dir)}, true
}

// end lets others have the name.
func (d *dirStore) end() {
	d.owned = false
	if c, ok := d.claim(); ok {
		claims.Delete(c)
	}
}

func (d *dirStore) place(p Part) string { return path.Join(d.dir, Temporary, p.Attempt) }

func (d *dirStore) Create(p Part) (io.WriteCloser, error) {
	if d.ended.Load() {
		return nil, ErrEnded
	}
	return d.fs.Create(d.place(p))
}

func (d *dirStore) Commit(p Part) error {
	if d.ended.Load() {
		return ErrEnded
	}
	return d.fs.Rename(d.place(p), path.Join(d.dir, p.name))
}

func (d *dirStore) Discard(p Part) error { return d.fs.RemoveAll(d.place(p)) }

func (d *dirStore) Success() error {
	if err := d.fs.RemoveAll(path.Join(d.dir, Temporary)); err != nil {
		return err
	}
	f, err := d.fs.Create(path.Join(d.dir, Success))
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	d.ended.Store(true)
	d.end()
	return nil
}

func (d *dirStore) Abort() error {
	if !d.owned {
		return nil
	}
	d.ended.Store(true)
	defer d.end()
	return d.fs.RemoveAll(d.dir)
}
