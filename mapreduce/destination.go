package mapreduce

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Compression is how output parts are compressed.
type Compression uint8

// The compressions of output.
const (
	NoCompression Compression = iota
	Gzip
	Zstd
	S2
)

var compressionNames = [...]string{"none", "gzip", "zstd", "s2"}

// String returns the name that ParseCompression takes.
func (c Compression) String() string { return compressionNames[c] }

// Extension returns the file name extension, with its dot.
func (c Compression) Extension() string { return [...]string{"", ".gz", ".zst", ".s2"}[c] }

// ParseCompression returns the compression called none, gzip, zstd or s2.
func ParseCompression(name string) (Compression, error) {
	if i := slices.Index(compressionNames[:], name); i >= 0 {
		return Compression(i), nil
	}
	return 0, fmt.Errorf("unknown compression %q: want none, gzip, zstd or s2", name)
}

func (c Compression) wrap(w io.Writer) (io.WriteCloser, error) {
	switch c {
	case Gzip:
		return gzip.NewWriter(w), nil
	case Zstd:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	case S2:
		return s2.NewWriter(w, s2.WriterConcurrency(1)), nil
	case NoCompression:
	}
	return nopCloser{w}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Destination is where an output goes. A destination serves one job.
type Destination struct {
	store       store
	compression Compression
}

// Compressed returns d with its parts compressed.
func (d Destination) Compressed(c Compression) Destination {
	d.compression = c
	return d
}

// store keeps parts; its methods are safe for concurrent use. Names of parts
// contain no slash; attempts are directories of their own.
type store interface {
	name() string
	setup() error
	create(attempt, part string) (io.WriteCloser, error)
	commit(attempt, part string) error // makes the part visible; last wins
	discard(attempt string) error
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

// dirStore writes attempts to dir/_temporary/attempt/part and renames them.
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
	d.owned = true
	return nil
}

func (d *dirStore) create(attempt, part string) (io.WriteCloser, error) {
	return d.fs.Create(path.Join(d.dir, "_temporary", attempt, part))
}

func (d *dirStore) commit(attempt, part string) error {
	if err := d.fs.Rename(path.Join(d.dir, "_temporary", attempt, part), path.Join(d.dir, part)); err != nil {
		return err
	}
	return d.discard(attempt)
}

func (d *dirStore) discard(attempt string) error {
	return d.fs.RemoveAll(path.Join(d.dir, "_temporary", attempt))
}

func (d *dirStore) success() error {
	if err := d.fs.RemoveAll(path.Join(d.dir, "_temporary")); err != nil {
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

// Writer sends parts to w in the order of their numbers, each as soon as it and
// all before it are committed; w is not closed. Parts that wait are held in memory, large ones
// in temporary files.
func Writer(name string, w io.Writer) Destination {
	return Destination{store: &writerStore{label: name, w: w}}
}

type writerStore struct {
	label string
	w     io.Writer
	memoryStore
	next int
}

func (s *writerStore) name() string { return s.label }

func (s *writerStore) success() error {
	b := bufio.NewWriterSize(s.w, window)
	for _, p := range s.committedParts() {
		if _, err := b.Write(p); err != nil {
			return err
		}
	}
	return b.Flush()
}

// memoryStore keeps parts in memory.
type memoryStore struct {
	mu      sync.Mutex
	pending map[string]*bytes.Buffer // attempt/part
	parts   map[string][]byte
}

func (m *memoryStore) name() string { return "memory" }
func (m *memoryStore) setup() error { return nil }

func (m *memoryStore) create(attempt, part string) (io.WriteCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := new(bytes.Buffer)
	if m.pending == nil {
		m.pending = map[string]*bytes.Buffer{}
	}
	m.pending[path.Join(attempt, part)] = b
	return nopCloser{b}, nil
}

func (m *memoryStore) commit(attempt, part string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := path.Join(attempt, part)
	if m.parts == nil {
		m.parts = map[string][]byte{}
	}
	m.parts[part] = m.pending[key].Bytes()
	delete(m.pending, key)
	return nil
}

func (m *memoryStore) discard(attempt string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.pending {
		if path.Dir(key) == attempt {
			delete(m.pending, key)
		}
	}
	return nil
}

func (m *memoryStore) success() error { return nil }

func (m *memoryStore) abort() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending, m.parts = nil, nil
	return nil
}

// committedParts returns the parts by name: their names have fixed width.
func (m *memoryStore) committedParts() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := make([]string, 0, len(m.parts))
	for name := range m.parts {
		names = append(names, name)
	}
	slices.SortFunc(names, comparePartNames)
	list := make([][]byte, 0, len(names))
	for _, name := range names {
		list = append(list, m.parts[name])
	}
	return list
}

// comparePartNames orders part-r-99999 before part-r-100000.
func comparePartNames(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return bytes.Compare([]byte(a), []byte(b))
}
