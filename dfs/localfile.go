package dfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// LocalFile is a Source over a regular file of this machine. Views of a large file share a mapping;
// those of a small one share a copy in memory. A mapping exists until the file is closed and its
// last View is released. It keeps a descriptor open, as long as all mappings together need at most
// an eighth of the process's limit. Beyond that, a mapping has no descriptor and ends with its last
// View.
//
// All reads return the file's bytes as they were when it was opened, or fail with [ErrChanged]. For
// bytes shown through a mapping, [LocalFile.Unchanged] checks that.
type LocalFile struct {
	path  string
	stamp stamp

	mu      sync.Mutex
	settled bool     // every later write will change the stamp
	file    *os.File // descriptor of the mapped file; nil if it was closed
	data    []byte   // the mapping or the copy; nil if not loaded
	loaded  bool     // data is valid
	mapped  bool     // data is a mapping
	ranges  bool     // the file cannot be mapped: each View reads its own copy
	exposed bool     // a View has shown bytes through a mapping
	views   int
	closed  bool
	unview  func() // l.release, stored so that View need not allocate it
}

// OpenLocal opens a regular file of this machine. A directory, a pipe and an unreadable file are
// errors. So is a file whose size is not its number of bytes, as under /proc: [ErrNoSize].
func OpenLocal(path string) (*LocalFile, error) {
	l, err := statLocal(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dfs: %w", err)
	}
	defer f.Close()
	if s := &l.stamp; (s.size == 0 || s.empty) && !endsAt(f, s.size) {
		return nil, fmt.Errorf("%w: %s", ErrNoSize, path)
	}
	return l, nil
}

// statLocal returns a LocalFile from the file's size and times alone, without opening the file.
func statLocal(path string) (*LocalFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("dfs: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("dfs: %s is not a regular file", path)
	}
	return &LocalFile{path: path, stamp: newStamp(info)}, nil
}

// Anew returns the file that is now at l's path; close it separately. It opens the path only if the
// file was written to or replaced since l was opened.
func (l *LocalFile) Anew() (*LocalFile, error) {
	n, err := statLocal(l.path)
	if err != nil || l.stamp.same(l.path, n.stamp) == nil {
		return n, err
	}
	return OpenLocal(l.path)
}

// endsAt reports whether f has exactly size bytes; a system's stated size may be wrong.
func endsAt(f *os.File, size int64) bool {
	var b [2]byte
	last := b[:1+min(size, 1)]
	n, err := f.ReadAt(last, size+1-int64(len(last)))
	return n == len(last)-1 && errors.Is(err, io.EOF)
}

// Name returns the path given to OpenLocal.
func (l *LocalFile) Name() string { return l.path }

// Size returns the length in bytes that the file had when it was opened.
func (l *LocalFile) Size() int64 { return l.stamp.size }

// Modified returns the modification time that the file had when it was opened.
func (l *LocalFile) Modified() time.Time { return l.stamp.modified }

// ReadAt reads the file itself, not its mapping. So a file that has shrunk is an error and never a
// page fault.
func (l *LocalFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("dfs: %s: negative offset %d", l.path, off)
	}
	if err := l.ready(); err != nil {
		return 0, err
	}
	if off >= l.stamp.size {
		return 0, io.EOF
	}
	short := false
	if int64(len(p)) > l.stamp.size-off {
		p, short = p[:l.stamp.size-off], true
	}
	n, err := l.readAt(p, off)
	if err == nil && short {
		err = io.EOF
	}
	return n, err
}

// ready returns ErrClosed, with the file's name, after Close.
func (l *LocalFile) ready() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("%w: %s", ErrClosed, l.path)
	}
	l.settle()
	return nil
}

// readAt fills b with the bytes at off, and then verifies that the file has not changed.
func (l *LocalFile) readAt(b []byte, off int64) (int, error) {
	f, err := l.reopen()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.ReadAt(b, off)
	if changed := l.check(f); changed != nil {
		return 0, changed
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("dfs: %s: %w", l.path, io.ErrUnexpectedEOF)
	}
	return n, err
}

// View implements Source.
func (l *LocalFile) View(off int64, n int) ([]byte, func(), error) {
	if err := checkRange(l.path, l.stamp.size, off, n); err != nil {
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
	if l.unview == nil {
		l.unview = l.release
	}
	if l.ranges {
		return l.copied(off, n)
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

// copied returns what View returns if the file is not mapped: a copy. The caller holds mu.
func (l *LocalFile) copied(off int64, n int) ([]byte, func(), error) {
	b := make([]byte, n)
	if _, err := l.readAt(b, off); err != nil {
		return nil, nil, err
	}
	l.views++
	return b, l.unview, nil
}

// Close implements Source.
func (l *LocalFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.unload()
}

// Views returns how many Views have not been released; only tests call it.
func (l *LocalFile) Views() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.views
}

// reopen opens the path, and checks that it still is the unchanged file. ErrChanged says that it is
// not; a lack of descriptors is another error.
func (l *LocalFile) reopen() (*os.File, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return nil, l.unreachable(err)
	}
	if err := l.check(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// unreachable returns the error for a path that does not open: ErrChanged if the file is missing.
func (l *LocalFile) unreachable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	return fmt.Errorf("dfs: %w", err)
}

// check returns an error unless f is the file that the LocalFile opened, unchanged.
func (l *LocalFile) check(f *os.File) error {
	now, err := stampOf(f)
	if err != nil {
		return fmt.Errorf("dfs: %w", err)
	}
	return l.stamp.same(l.path, now)
}

// Unchanged returns an error that wraps [ErrChanged] if the file was written to, grew, shrank or
// vanished, so that Views may have shown other bytes than at its opening. (Beyond a new end, a View
// may show zeros without a fault.) Bytes that a View copied were verified when they were read.
func (l *LocalFile) Unchanged() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unchanged()
}

// unchanged is Unchanged, for callers that hold mu.
func (l *LocalFile) unchanged() error {
	switch {
	case !l.exposed, l.closed && l.views == 0:
		return nil
	case l.file != nil:
		return l.check(l.file)
	}
	info, err := os.Stat(l.path)
	if err != nil {
		return l.unreachable(err)
	}
	return l.stamp.same(l.path, newStamp(info))
}
