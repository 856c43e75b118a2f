// Package stores knows file systems that are elsewhere by the scheme of their names, such as
// hdfs://HOST/DIR and s3://BUCKET/KEY, for the inputs and outputs of jobs.
//
// It has none itself: a program imports those that it wants, so that nobody carries clients that are
// not used. The tarry command has both:
//
//	import _ "github.com/tarry-mr/tarry/contrib/s3"
//
// Then mapreduce.Files("s3://logs/2026/**/*.gz") and mapreduce.Dir("s3://results/counts") work like
// names of this machine.
package stores

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// Store is a file system elsewhere. Names are those of io/fs. Its methods are safe for concurrent use;
// they try again by themselves what may work then, and their errors name what they are about.
//
// Its files implement io.ReaderAt, which is safe for concurrent use, too. Sys of a fs.FileInfo is a
// Version, or nil if the size and the time of a file are all that tells one content from another.
type Store interface {
	fs.StatFS
	fs.ReadDirFS
	// CreateNew makes a small file. Of several that do so at the same time one succeeds; to the others,
	// or where it is there already, it is an error that wraps fs.ErrExist.
	CreateNew(name string, data []byte) error
	// RemoveAll removes a file, or a directory with all it holds; nothing there is no error.
	RemoveAll(name string) error

	// Begin begins a file that nobody sees as name until Complete, if ever. Several may be begun with
	// one name; attempt tells them apart.
	Begin(name, attempt string) (Part, error)
	// Complete makes a part, which maybe another process has begun and closed, the file of a name, in
	// place of one that is there. Once that has been done, doing it again is no error.
	Complete(name, receipt string) error
	// AbandonAll ends all that was begun in a directory, by whatever process, and not completed.
	AbandonAll(dir string) error
}

// Part is a file that nobody sees yet. One goroutine uses it.
type Part interface {
	io.WriteCloser
	// Receipt is, after Close, what Complete has to be told: a line of text.
	Receipt() string
	// Abort drops what was written, before or after Close; nobody may complete it then.
	Abort() error
}

// Version tells one content of a file from another, such as the ETag of an object.
type Version string

// Place is a stretch of a file, in bytes, and the names of the hosts that hold it.
type Place struct {
	Offset, Length int64
	Hosts          []string
}

// Located is a Store that says where the bytes of its files are.
type Located interface {
	Store
	// Places are those of a whole file, in order.
	Places(name string) ([]Place, error)
}

var registry = struct {
	mu     sync.Mutex
	opens  map[string]func(host string) (Store, error)
	opened map[string]*opening // by scheme and host
}{opens: map[string]func(string) (Store, error){}, opened: map[string]*opening{}}

// opening is a store that is opened once; of one that cannot be opened the next call tries again.
type opening struct {
	mu    sync.Mutex
	store Store
}

// Register makes a scheme known, such as s3: open connects to a host, or opens a bucket; it is empty where
// the name has none. It is for init functions; a scheme that is known is replaced.
func Register(scheme string, open func(host string) (Store, error)) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.opens[scheme] = open
}

// Named reports whether a name is that of a store, known or not: whether it begins with a scheme and ://.
func Named(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// Clean is a name of a store in its shortest form.
func Clean(name string) string {
	root, within := Split(name)
	if within == "." {
		return root
	}
	return root + "/" + within
}

// Split returns the scheme and host of a name of a store, as in s3://BUCKET, and the name within it.
func Split(name string) (root, within string) {
	scheme, rest, _ := strings.Cut(name, "://")
	host, within, _ := strings.Cut(rest, "/")
	if within = strings.TrimPrefix(path.Clean("/"+within), "/"); within == "" {
		within = "."
	}
	return scheme + "://" + host, within
}

// Open returns the store of a name, the same one for each name of a host, and the name within it.
func Open(name string) (s Store, within string, err error) {
	if !Named(name) {
		return nil, "", fmt.Errorf("%s: not the name of a store, such as s3://BUCKET/KEY", name)
	}
	root, within := Split(name)
	scheme, host, _ := strings.Cut(root, "://")
	registry.mu.Lock()
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

// missing is the error of a scheme that the program does not know.
func missing(scheme string) error {
	known := map[string]string{"s3": "s3", "s3a": "s3", "hdfs": "hdfs"}
	if client := known[scheme]; client != "" {
		return fmt.Errorf(`this program was built without %s://: import _ "github.com/tarry-mr/tarry/contrib/%s" in it`, scheme, client)
	}
	return fmt.Errorf("%s:// is no store that is known: want hdfs:// or s3://", scheme)
}
