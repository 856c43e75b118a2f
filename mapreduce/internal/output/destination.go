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

// Destination says where a job writes its output. It serves one job: a second one gets
// ErrOutputExists for a directory, or ErrDestinationUsed for a Writer or Collected.
type Destination struct {
	store       Store
	compression Compression
	extension   string // of part names, before the compression's extension
	meter       *meter
}

// Extension returns d with names of parts that end with ext, such as .csv: a point and 1 to 20
// letters, digits or underscores. Bind rejects other extensions. A compression's extension follows
// it.
func (d Destination) Extension(ext string) Destination {
	d.extension = ext
	return d
}

var extensions = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.\w{1,20}$`) })

// CheckExtension returns an error if Destination.Extension was given an invalid extension.
func CheckExtension(d Destination) error {
	if d.extension != "" && !extensions().MatchString(d.extension) {
		return fmt.Errorf("the extension %q is not a point and 1 to 20 letters, digits or underscores", d.extension)
	}
	return nil
}

// Compressed returns d with compressed parts, whose names get an extension.
func (d Destination) Compressed(c Compression) Destination {
	d.compression = c
	return d
}

// Check returns the error that SetupJob would return now, so that users learn of it early. It
// changes nothing.
func (d Destination) Check() error {
	if s, ok := d.store.(interface{ check() error }); ok {
		return s.check()
	}
	return nil
}

// To returns a Destination that writes to s, a store of another package.
func To(s Store) Destination { return Destination{store: s} }

// Given reports whether d names a place; the zero value does not.
func Given(d Destination) bool { return d.store != nil }

// Routable returns an error unless d is a directory, where mapreduce.Routed can write more files.
func Routable(d Destination) error {
	if !inDirectory(d.store) {
		return fmt.Errorf("mapreduce.Routed to %s: it takes a directory, such as Dir", d.store.Name())
	}
	return nil
}

// inDirectory reports whether the parts of a store are in a directory.
func inDirectory(s Store) bool {
	switch s.(type) {
	case *localStore, *dirStore, *remoteStore:
		return true
	}
	return false
}

// Part is the output of one attempt: the file that it writes.
type Part struct {
	Attempt string // the attempt's name
	name    string // its name within the output
	Index   int    // of the task
	Tasks   int    // number of tasks that write a part; set only for Create, like Host and Budget
	Host    string // of the attempt
	Budget  *memory.Budget
}

// Store is where a Committer keeps parts. Its methods are safe for concurrent use, but those for
// the same part are called one after the other.
type Store interface {
	Name() string
	Setup() error
	Create(Part) (io.WriteCloser, error)
	Commit(Part) error // makes the part visible
	Discard(Part) error
	Success() error
	Abort() error
}

// FS is a file system for outputs. Names are separated by slashes. Its methods must be safe for
// concurrent use.
type FS interface {
	// Create creates a file and the directories above it.
	Create(name string) (io.WriteCloser, error)
	// Rename moves a file and creates the directories above its new name.
	Rename(oldName, newName string) error
	// RemoveAll removes a file, or a directory with its content. A missing file is not an error.
	RemoveAll(name string) error
	// Exists reports whether a file or directory exists.
	Exists(name string) (bool, error)
}

// appendFS is an FS that can append to files, so that routed files may be closed and reopened.
type appendFS interface {
	FS
	// Append opens a closed file of Create to write at its end.
	Append(name string) (io.WriteCloser, error)
}

// InFS implements mapreduce.InFS, which documents it.
func InFS(fsys FS, dir string) Destination {
	return Destination{store: &dirStore{fs: fsys, dir: dir}}
}

// ErrEnded is the error of an attempt that writes or commits after its job has ended.
var ErrEnded = errors.New("the job has ended")

// Temporary is the name of the directory, in the output, of uncommitted parts.
const Temporary = "_temporary"

// dirStore is an output in an FS. Attempts write to dir/_temporary; a commit renames their files.
type dirStore struct {
	fs    FS
	dir   string
	owned bool        // set by Setup: Abort may remove dir
	ended atomic.Bool // late attempts may not write
}

// claims lists the outputs in an FS that jobs of this process are writing, so that no two write
// one: an FS does not report whether it created a directory or found it.
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
	f, err := d.fs.Create(path.Join(d.dir, Temporary, "setup")) // fails now if the directory is not writable
	if err != nil {
		return err
	}
	d.owned = true
	return f.Close()
}

// claim returns the key of the output in claims; false if values of the FS cannot be compared.
func (d *dirStore) claim() (c claim, ok bool) {
	if !reflect.ValueOf(d.fs).Comparable() {
		return c, false
	}
	return claim{d.fs, path.Clean(d.dir)}, true
}

// end ends the job's claim, so that another job may write there.
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
