// Package stores opens remote file systems by the scheme of their names, such as hdfs://HOST/DIR
// and s3://BUCKET/KEY, for the inputs and outputs of jobs.
//
// It contains no clients: a program imports those that it needs. The tarry command has both:
//
//	import _ "github.com/tarry-mr/tarry/contrib/s3"
//
// Then mapreduce.Files("s3://logs/2026/**/*.gz") and mapreduce.Dir("s3://results/counts") work like
// local names.
package stores

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// Store is a remote file system. Names are those of io/fs. Its methods are safe for concurrent use,
// retry transient failures themselves and name the file in their errors.
//
// Its files implement io.ReaderAt, which is safe for concurrent use too. Sys of a fs.FileInfo
// returns a Version, or nil if only size and time identify a file's content.
type Store interface {
	fs.StatFS
	fs.ReadDirFS
	// CreateNew creates a small file. If the file exists, the error wraps fs.ErrExist. Of callers
	// at the same time, one succeeds, and the others get this error.
	CreateNew(name string, data []byte) error
	// RemoveAll removes a file, or a directory with its content. A missing file is not an error.
	RemoveAll(name string) error

	// Begin starts to write a file that becomes visible as name only by Complete. Several attempts
	// may do so for one name; attempt distinguishes them.
	Begin(name, attempt string) (Part, error)
	// Complete makes a closed part visible as name and replaces an existing file. The part may be
	// of another process. A second call for the same part succeeds, too.
	Complete(name, receipt string) error
	// AbandonAll drops all parts below dir that any process has begun and not completed.
	AbandonAll(dir string) error
}

// Part is a file being written that is not visible yet. One goroutine at a time may use it.
type Part interface {
	io.WriteCloser
	// Receipt returns the argument for Complete, a line of text. Call it after Close.
	Receipt() string
	// Abort drops the part, before or after Close, so that it cannot be completed.
	Abort() error
}

// Version identifies the content of a file, such as the ETag of an object.
type Version string

// Place is a range of a file, in bytes, and the hosts that store it.
type Place struct {
	Offset, Length int64
	Hosts          []string
}

// Located is a Store that knows on which hosts the bytes of its files are.
type Located interface {
	Store
	// Places returns ranges of a file that together are the whole file, in order.
	Places(name string) ([]Place, error)
}

// Rooted is a Store that can give its root a name with the same meaning on each machine.
type Rooted interface {
	Store
	// Root returns that name, such as hdfs://USER@HOST:PORT.
	Root() string
}

// Ticketed is a Store that can only be opened with a file of the user, such as a Kerberos ticket.
type Ticketed interface {
	Store
	// Ticket returns the file's path, and the environment variable through which another process
	// finds the file: its value must be "FILE:" and the path. Both are "" if the store needs no
	// file.
	Ticket() (variable, file string)
}

var registry = struct {
	mu     sync.Mutex
	opens  map[string]func(host string) (Store, error)
	opened map[string]*opening // by scheme and host
	other  map[string]string   // by name: the store that Use has Open open instead
}{opens: map[string]func(string) (Store, error){}, opened: map[string]*opening{}}

// Roots returns the Root of each opened Rooted store, by the name that was opened.
func Roots() map[string]string {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	list := map[string]string{}
	for name, o := range registry.opened {
		if s, ok := o.get().(Rooted); ok {
			list[name] = s.Root()
		}
	}
	return list
}

// Tickets returns the files that the opened stores need, by environment variable.
func Tickets() map[string]string {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	list := map[string]string{}
	for _, o := range registry.opened {
		if s, ok := o.get().(Ticketed); ok {
			if variable, file := s.Ticket(); file != "" {
				list[variable] = file
			}
		}
	}
	return list
}

// Use makes Open(name) open roots[name] instead. roots is what Roots returned in another process,
// where another user or configuration may give the name another meaning.
func Use(roots map[string]string) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.other = roots
}

// opening opens a store at its first use, for all callers; after an error the next call retries.
type opening struct {
	mu    sync.Mutex
	store Store
}

func (o *opening) get() Store {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.store
}

// Register makes Open use open for names with a scheme, such as s3. host is the name's host or
// bucket, or "". Call it from init functions; a second call replaces the first.
func Register(scheme string, open func(host string) (Store, error)) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.opens[scheme] = open
}

// Named reports whether a name has the form SCHEME://, so that it belongs to a store, whether or
// not that is registered.
func Named(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// Clean returns the shortest name of the same file in a store.
func Clean(name string) string {
	root, within := Split(name)
	if within == "." {
		return root
	}
	return root + "/" + within
}

// Split splits a name into its store, such as s3://BUCKET, and the name of the file within the
// store.
func Split(name string) (root, within string) {
	scheme, rest, _ := strings.Cut(name, "://")
	host, within, _ := strings.Cut(rest, "/")
	if within = strings.TrimPrefix(path.Clean("/"+within), "/"); within == "" {
		within = "."
	}
	return scheme + "://" + host, within
}

// Open returns the store that a file's name begins with, and the file's name within that store.
// Names with the same scheme and host share a store; see also Use.
func Open(name string) (s Store, within string, err error) {
	if !Named(name) {
		return nil, "", fmt.Errorf("%s: not the name of a store, such as s3://BUCKET/KEY", name)
	}
	root, within := Split(name)
	registry.mu.Lock()
	scheme, host, _ := strings.Cut(cmp.Or(registry.other[root], root), "://")
	open := registry.opens[scheme]
	o := registry.opened[root]
	if o == nil {
		o = new(opening)
		registry.opened[root] = o
	}
	registry.mu.Unlock()
	if open == nil {
		return nil, "", fmt.Errorf("%s: %w", name, missing(scheme))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.store == nil {
		if o.store, err = open(host); err != nil {
			o.store = nil
			return nil, "", fmt.Errorf("%s: %w", root, err)
		}
	}
	return o.store, within, nil
}

// missing returns the error for an unregistered scheme; it names the package to import, if known.
func missing(scheme string) error {
	known := map[string]string{"s3": "s3", "s3a": "s3", "hdfs": "hdfs"}
	if client := known[scheme]; client != "" {
		return fmt.Errorf(`this program was built without %s://: import _ "github.com/tarry-mr/tarry/contrib/%s" in it`, scheme, client)
	}
	return fmt.Errorf("%s:// is no store that is known: want hdfs:// or s3://", scheme)
}
