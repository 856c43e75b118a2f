package dfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// smallFile is the size up to which a local file is read whole into memory at its
// first View rather than mapped: below it a mapping costs more than the copy, and
// ten thousand small inputs would hold ten thousand mappings.
const smallFile = 64 << 10

// LocalFile is a Source over a regular file of this machine. The first View maps the
// whole file once (a small one is read); all Views share the mapping, which goes when
// the file is closed and the last View released. No descriptor is held open while
// nothing is read.
type LocalFile struct {
	path string
	size int64
	info fs.FileInfo

	mu     sync.Mutex
	file   *os.File // open while data is mapped; reveals a later truncation
	data   []byte
	mapped bool
	loaded bool
	views  int
	closed bool
	unview func() // l.release, made once so that View allocates nothing
}

// OpenLocal opens the regular file at path. A directory, a pipe or an unreadable file
// is an error.
func OpenLocal(path string) (*LocalFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("dfs: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("dfs: %s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dfs: %w", err)
	}
	defer f.Close()
	l := &LocalFile{path: path, size: info.Size(), info: info}
	l.unview = l.release
	return l, nil
}

// Name returns the path given to OpenLocal.
func (l *LocalFile) Name() string { return l.path }

// Size returns the file's length in bytes when it was opened.
func (l *LocalFile) Size() int64 { return l.size }

// ReadAt reads the file and not its mapping, so that a shrunken file is an error and never a
// fault.
func (l *LocalFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("dfs: %s: negative offset %d", l.path, off)
	}
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	if closed {
		return 0, fmt.Errorf("%w: %s", ErrClosed, l.path)
	}
	if off >= l.size {
		return 0, io.EOF
	}
	f, err := l.reopen()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	short := false
	if int64(len(p)) > l.size-off {
		p, short = p[:l.size-off], true
	}
	n, err := f.ReadAt(p, off)
	if err == nil && short {
		err = io.EOF
	}
	return n, err
}

// View implements Source.
func (l *LocalFile) View(off int64, n int) ([]byte, func(), error) {
	if err := checkRange(l.path, l.size, off, n); err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, fmt.Errorf("%w: %s", ErrClosed, l.path)
	}
	if err := l.load(); err != nil {
		return nil, nil, err
	}
	if err := l.unchanged(); err != nil {
		return nil, nil, err
	}
	l.views++
	view := l.data[off : off+int64(n) : off+int64(n)]
	if !l.mapped || n < dropFrom {
		return view, l.unview, nil
	}
	return view, func() {
		dropPages(view) // before release: it may unmap the file
		l.release()
	}, nil
}

// Close implements Source.
func (l *LocalFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.unload()
}

// Views returns the number of Views not yet released. Tests use it to show that every
// reader gave its bytes back.
func (l *LocalFile) Views() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.views
}

// dropFrom is the size of a View, in bytes, from which its release takes its pages out of the process again: a job may read more than
// its memory budget. They stay in the page cache, so a second View of them is a page fault and no read.
const dropFrom = 256 << 10

func (l *LocalFile) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.views == 0 {
		panic("dfs: view of " + l.path + " released twice")
	}
	l.views--
	if l.closed {
		_ = l.unload() // an error would concern a file nobody uses any more
	}
}

// load maps or reads the file. The caller holds mu.
func (l *LocalFile) load() error {
	if l.loaded {
		return nil
	}
	f, err := l.reopen()
	if err != nil {
		return err
	}
	if l.size <= smallFile {
		defer f.Close()
		l.data = make([]byte, l.size)
		if _, err := io.ReadFull(f, l.data); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrChanged, l.path, err)
		}
		l.loaded = true
		return nil
	}
	data, mapped, err := mapFile(f, l.size)
	if err != nil {
		return errors.Join(fmt.Errorf("dfs: map %s: %w", l.path, err), f.Close())
	}
	l.data, l.mapped, l.file, l.loaded = data, mapped, f, true
	return nil
}

// unload gives the memory back once the file is closed and no View is held. The
// caller holds mu.
func (l *LocalFile) unload() error {
	if !l.loaded || l.views > 0 {
		return nil
	}
	var err error
	if l.mapped {
		err = unmapFile(l.data)
	}
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
	}
	l.data, l.file, l.mapped, l.loaded = nil, nil, false, false
	return err
}

// reopen opens the path again and checks that it is still the file that was opened.
func (l *LocalFile) reopen() (*os.File, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	}
	info, err := f.Stat()
	if err == nil {
		err = l.same(info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Unchanged returns an error that wraps [ErrChanged] if the file was mapped, and has shrunk or been written to since it was
// opened: what Views showed may then not be what it held. Between its new end and that of the page they even show zeros,
// without a fault. A file that was read whole has nothing to change.
func (l *LocalFile) Unchanged() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unchanged()
}

// unchanged checks a mapped file. The caller holds mu.
func (l *LocalFile) unchanged() error {
	if l.file == nil {
		return nil
	}
	info, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrChanged, l.path, err)
	}
	return l.same(info)
}

// same accepts a file that grew: log files do, and their first bytes stay. One of the
// same size must not have been written to.
func (l *LocalFile) same(info fs.FileInfo) error {
	switch {
	case info.Size() < l.size:
		return fmt.Errorf("%w: %s shrank from %d to %d bytes", ErrChanged, l.path, l.size, info.Size())
	case !os.SameFile(info, l.info), info.Size() == l.size && !info.ModTime().Equal(l.info.ModTime()):
		return fmt.Errorf("%w: %s was replaced", ErrChanged, l.path)
	}
	return nil
}
