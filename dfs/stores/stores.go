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
	// CreateNew creates a small file. If several callers do so at the same time, one succeeds; the
	// others, and callers for an existing file, get an error that wraps fs.ErrExist.
	CreateNew(name string, data []byte) error
	// RemoveAll removes a file, or a directory with its content. A missing file is not an error.
	RemoveAll(name string) error

	// Begin begins a file that becomes visible as name with Complete. Several may be begun for one
	// name; attempt distinguishes them.
	Begin(name, attempt string) (Part, error)
	// Complete makes a closed part, possibly of another process, the file of that name, and
	// replaces an existing one. Repeating a Complete that succeeded is not an error.
	Complete(name, receipt string) error
	// AbandonAll drops all parts in a directory that any process has begun and not completed.
	AbandonAll(dir string) error
}

// Part is a file that is not visible yet. It must be used by one goroutine at a time.
type Part interface {
	io.WriteCloser
	// Receipt returns, after Close, the argument for Complete: a line of text.
	Receipt() string
	// Abort drops the part, before or after Close; it cannot be completed then.
	Abort() error
}

// Version identifies the content of a file, such as the ETag of an object.
type Version string

// Place is a range of a file, in bytes, and the hosts that store it.
type Place struct {
	Offset, Length int64
	Hosts          []string
}

// Located is a Store that knows where the bytes of its files are.
type Located interface {
	Store
	// Places returns the ranges of a whole file, in order.
	Places(name string) ([]Place, error)
}

// Rooted is a Store with a name that means the same store on any machine and for any user.
type Rooted interface {
	Store
	// Root returns that name, such as hdfs://USER@HOST:PORT.
	Root() string
}

// Ticketed is a Store that a process opens with a file of its user, such as a Kerberos ticket.
type Ticketed interface {
	Store
	// Ticket returns the file, and the environment variable that names it as FILE:PATH. Both are
	// empty if the store needs none.
	Ticket() (variable, file string)
}

var registry = struct {
	mu     sync.Mutex
	opens  map[string]func(host string) (Store, error)
	opened map[string]*opening // by scheme and host
	other  map[string]string   // names of Use: the store to open instead
}{opens: map[string]func(string) (Store, error){}, opened: map[string]*opening{}}

// Roots returns the Root of each opened Rooted store, by the name under which it was opened.
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

// Tickets returns the ticket files of the opened stores, by environment variable.
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

// Use makes Open open roots[name] in place of a store called name. roots is what Roots returned in
// another process: there, user or settings may give the name another meaning.
func Use(roots map[string]string) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.other = roots
}

// opening opens a store once; if that fails, the next call tries again.
type opening struct {
	mu    sync.Mutex
	store Store
}

func (o *opening) get() Store {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.store
}

// Register registers a scheme, such as s3. open connects to a host or opens a bucket; host is empty
// if the name has none. Call Register in init functions; it replaces a scheme of the same name.
func Register(scheme string, open func(host string) (Store, error)) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.opens[scheme] = open
}

// Named reports whether a name belongs to a store, registered or not: whether it begins with a
// scheme and ://.
func Named(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// Clean returns the shortest form of a store name.
func Clean(name string) string {
	root, within := Split(name)
	if within == "." {
		return root
	}
	return root + "/" + within
}

// Split returns the scheme and host of a store name, as in s3://BUCKET, and the name within the
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

// missing returns the error for a scheme that no imported package registers.
func missing(scheme string) error {
	known := map[string]string{"s3": "s3", "s3a": "s3", "hdfs": "hdfs"}
	if client := known[scheme]; client != "" {
		return fmt.Errorf(`this program was built without %s://: import _ "github.com/tarry-mr/tarry/contrib/%s" in it`, scheme, client)
	}
	return fmt.Errorf("%s:// is no store that is known: want hdfs:// or s3://", scheme)
}
