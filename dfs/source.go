package dfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrChanged is returned if a local file was written to, shrank, grew or vanished after it was
// opened: the splits computed then may not fit its bytes now.
var ErrChanged = errors.New("dfs: file changed while in use")

// ErrNoSize is returned for a file whose size the system does not report, as under /proc. Such a
// file can only be read from start to end.
var ErrNoSize = errors.New("dfs: file does not tell its size")

// ErrClosed is returned by a Source that was closed.
var ErrClosed = errors.New("dfs: source is closed")

// Source is an immutable file that maps read: a [LocalFile] of this machine, or bytes in
// memory ([Bytes]).
//
// A Source is safe for concurrent use.
type Source interface {
	// Name returns the path as the user wrote it, for messages.
	Name() string

	// Size returns the length in bytes, fixed when the Source was opened.
	Size() int64

	// ReadAt follows [io.ReaderAt].
	io.ReaderAt

	// View returns the n bytes at off, without copying if possible. The caller must not write to
	// them, and must call release exactly once; then they are no longer valid. A range outside the
	// file is an error. If a mapped file is truncated while a View is held, touching the lost bytes
	// causes a fault: callers that read Views of local files set [runtime/debug.SetPanicOnFault]
	// and recover, and call [LocalFile.Unchanged] after reading.
	View(off int64, n int) (b []byte, release func(), err error)

	// Close frees mappings and descriptors once the last View is released. Later reads return
	// [ErrClosed]. A second Close does nothing.
	Close() error
}

// Bytes returns a Source with the content b. The caller must not change b afterwards.
func Bytes(name string, b []byte) Source { return &memFile{name: name, data: b} }

type memFile struct {
	name string
	data []byte
}

func (m *memFile) Name() string { return m.name }
func (m *memFile) Size() int64  { return int64(len(m.data)) }
func (m *memFile) Close() error { return nil }

func (m *memFile) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(m.data).ReadAt(p, off)
}

func (m *memFile) View(off int64, n int) ([]byte, func(), error) {
	if err := checkRange(m.name, m.Size(), off, n); err != nil {
		return nil, nil, err
	}
	return m.data[off : off+int64(n) : off+int64(n)], func() {}, nil
}

// Shared reports whether a View of src shows bytes that exist anyway (a mapping, memory), so that a
// View of any length costs no memory.
func Shared(src Source) bool {
	switch f := src.(type) {
	case *LocalFile:
		f.mu.Lock()
		defer f.mu.Unlock()
		return !f.ranges
	case *memFile:
		return true
	default:
		return false
	}
}

// checkRange returns an error if the n bytes at off are not all within a file of this size.
func checkRange(name string, size, off int64, n int) error {
	if off < 0 || n < 0 || off > size || int64(n) > size-off {
		return fmt.Errorf("dfs: %s: range %d+%d outside a file of %d bytes", name, off, n, size)
	}
	return nil
}

// Located is a Source that knows which machines store its bytes, such as a file in HDFS.
type Located interface {
	Source
	// Hosts returns the machines that store at least half of the n bytes at off, those with the
	// most bytes first, or none if unknown.
	Hosts(off, n int64) []string
}

// HostsOf returns the machines that store the n bytes at off of src, as [Located] reports them; nil
// if src does not know.
func HostsOf(src Source, off, n int64) []string {
	if p, ok := src.(Located); ok {
		return p.Hosts(off, n)
	}
	return nil
}
