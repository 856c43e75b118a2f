package mapreduce

import (
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"regexp"
	"sync"
	"sync/atomic"
)

// Destination is where an output goes. A destination serves one job: a second one finds the
// directory there (ErrOutputExists), or is told that the Writer or Collected is used
// (ErrDestinationUsed).
type Destination struct {
	store       store
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

func (d Destination) checkExtension() error {
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

// part is the output of one attempt.
type part struct {
	attempt string // the attempt's name
	name    string // of the part within the output
	index   int    // of the task
	tasks   int    // that write a part; set for create only, as are host and budget
	host    string // of the attempt
	budget  *Memory
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

// AppendFS is an OutputFS whose files can be written on, as [Routed] asks for beyond 64 names.
type AppendFS interface {
	OutputFS
	// Append opens a file that Create has made, and that was closed, to write after what is in it.
	Append(name string) (io.WriteCloser, error)
}

// InFS is a directory of another file system, such as a dfs; it must not exist yet.
func InFS(fsys OutputFS, dir string) Destination {
	return Destination{store: &dirStore{fs: fsys, dir: dir}}
}

// errEnded is the error of an attempt that outlived its job.
var errEnded = errors.New("the job has ended")

// temporary is the directory of parts that are not committed.
const temporary = "_temporary"

// dirStore writes attempts to dir/_temporary/attempt, a file, and renames it.
type dirStore struct {
	fs    OutputFS
	dir   string
	owned bool        // set by setup: abort may remove dir
	ended atomic.Bool // attempts that come late write no more
}

// claims are the outputs in file systems of others that jobs of this process write now: an
// OutputFS cannot say whether it made a directory or found it.
var claims sync.Map // of claim

type claim struct {
	fs  OutputFS
	dir string
}

func (d *dirStore) name() string { return d.dir }

func (d *dirStore) setup() (err error) {
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
	f, err := d.fs.Create(path.Join(d.dir, temporary, "setup")) // what cannot be written fails now
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

func (d *dirStore) place(p part) string { return path.Join(d.dir, temporary, p.attempt) }

func (d *dirStore) create(p part) (io.WriteCloser, error) {
	if d.ended.Load() {
		return nil, errEnded
	}
	return d.fs.Create(d.place(p))
}

func (d *dirStore) commit(p part) error {
	if d.ended.Load() {
		return errEnded
	}
	return d.fs.Rename(d.place(p), path.Join(d.dir, p.name))
}

func (d *dirStore) discard(p part) error { return d.fs.RemoveAll(d.place(p)) }

func (d *dirStore) success() error {
	if err := d.fs.RemoveAll(path.Join(d.dir, temporary)); err != nil {
		return err
	}
	f, err := d.fs.Create(path.Join(d.dir, success))
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

func (d *dirStore) abort() error {
	if !d.owned {
		return nil
	}
	d.ended.Store(true)
	defer d.end()
	return d.fs.RemoveAll(d.dir)
}
