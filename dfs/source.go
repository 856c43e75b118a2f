package dfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrChanged is returned when a local file was written to, shrank, grew or vanished after it
// was opened: its bytes are no longer those that the splits were cut from.
var ErrChanged = errors.New("dfs: file changed while in use")

// ErrNoSize is returned for a file that does not say how many bytes it holds, as those under
// /proc: it can only be read from start to end.
var ErrNoSize = errors.New("dfs: file does not tell its size")

// ErrClosed is returned by a Source that was closed.
var ErrClosed = errors.New("dfs: source is closed")

// Source is an immutable file that maps read: a [LocalFile] of this machine, a
// [StoredFile] of an [FS], or bytes in memory ([Bytes]).
//
// A Source is safe for concurrent use.
type Source interface {
	// Name is the path as its user wrote it, for messages.
	Name() string

	// Size is the length in bytes, fixed when the Source was opened.
	Size() int64

	// ReadAt follows [io.ReaderAt].
	io.ReaderAt

	// View returns the n bytes at off without copying where it can. The bytes must
	// not be written to and are valid until release is called, exactly once. A range
	// that leaves the file is an error. A mapped file that is truncated while a View
	// is held faults when the lost bytes are touched: callers that read Views of
	// local files set [runtime/debug.SetPanicOnFault] and recover, and ask
	// [LocalFile.Unchanged] when they have read.
	View(off int64, n int) (b []byte, release func(), err error)

	// Close lets go of mappings and descriptors once the last View is released. Later
	// reads return [ErrClosed]. Closing twice is harmless.
	Close() error
}

// Bytes returns a Source over b, which must not change afterwards.
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

// Shared reports whether Views of src show bytes that are there anyway, and take no memory of
// their own, however long they are.
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

// checkRange refuses a View that leaves a file of the given size.
func checkRange(name string, size, off int64, n int) error {
	if off < 0 || n < 0 || off > size || int64(n) > size-off {
		return fmt.Errorf("dfs: %s: range %d+%d outside a file of %d bytes", name, off, n, size)
	}
	return nil
}
