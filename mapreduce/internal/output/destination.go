package output

import (
	"fmt"
	"io"
	"regexp"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Destination says where a job writes its output. It serves one job: a second one gets
// ErrOutputExists for a directory, or ErrDestinationUsed for a Writer or Collected.
type Destination struct {
	place
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
	switch {
	case d.local != nil:
		return d.local.check()
	case d.dir != nil:
		return d.dir.check()
	}
	return nil
}

// To returns a Destination that writes to s, a store of another package.
func To(s Store) Destination { return Destination{place: place{store: s}} }

// IsSet reports whether d has a store; the zero value does not.
func IsSet(d Destination) bool { return d.store != nil }

// Routable returns an error unless d is a directory, where mapreduce.Routed can write more files.
func Routable(d Destination) error {
	if !d.inDirectory() {
		return fmt.Errorf("mapreduce.Routed to %s: it takes a directory, such as Dir", d.store.Name())
	}
	return nil
}

// place is a Store and, for what only some stores can do, the same store by its type: at most one
// of the other fields is set.
type place struct {
	store  Store
	local  *localStore    // a local directory
	dir    *dirStore      // a directory of a store or a dfs
	stream *BufferedStore // parts for a user's Writer
}

// inDirectory reports whether the parts are in a directory.
func (p *place) inDirectory() bool { return p.local != nil || p.dir != nil }

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
