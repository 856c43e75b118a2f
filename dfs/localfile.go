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

// LocalFile is a Source over a regular file of this machine. Views of a large file share a
// mapping of it, those of a small one a copy in memory. The mapping stays until the file is
// closed and its last View released, and with it a descriptor, as long as an eighth of those
// that the process may have suffices for all; beyond that a mapping goes with its last View,
// and holds no descriptor.
//
// Whatever it reads it reads from the file as it was when it was opened, or it fails with
// [ErrChanged]; for bytes that it shows through a mapping, [LocalFile.Unchanged] tells.
type LocalFile struct {
	path  string
	stamp stamp

	mu      sync.Mutex
	settled bool     // every later write is sure to change the stamp
	file    *os.File // of a mapping; nil if the descriptor was not kept
	data    []byte   // the mapping, or the copy; nil if there is none
	loaded  bool     // data is there
	mapped  bool     // data is a mapping
	ranges  bool     // it cannot be mapped: each View reads its own bytes
	exposed bool     // bytes were shown through a mapping
	views   int
	closed  bool
	unview  func() // l.release, made once so that View allocates nothing
}

// OpenLocal opens the regular file at path. A directory, a pipe or an unreadable file is an
// error; one whose size is not the number of its bytes, as under /proc, is [ErrNoSize].
func OpenLocal(path string) (*LocalFile, error) {
	l, err := found(path)
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

// found is OpenLocal without a look into the file.
func found(path string) (*LocalFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("dfs: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("dfs: %s is not a regular file", path)
	}
	return &LocalFile{path: path, stamp: newStamp(info)}, nil
}

// Anew returns the file as it is now, to be closed apart from l. If it has neither been written
// to nor replaced since, that takes no more than a look at its directory.
func (l *LocalFile) Anew() (*LocalFile, error) {
	n, err := found(l.path)
	if err != nil || l.stamp.same(l.path, n.stamp) == nil {
		return n, err
	}
	return OpenLocal(l.path)
}

// endsAt reports whether f has size bytes and no more.
func endsAt(f *os.File, size int64) bool {
	var b [2]byte
	last := b[:1+min(size, 1)]
	n, err := f.ReadAt(last, size+1-int64(len(last)))
	return n == len(last)-1 && errors.Is(err, io.EOF)
}

// Name returns the path given to OpenLocal.
func (l *LocalFile) Name() string { return l.path }

// Size returns the file's length in bytes when it was opened.
func (l *LocalFile) Size() int64 { return l.stamp.size }

// Modified returns when the file had been written to last, when it was opened.
func (l *LocalFile) Modified() time.Time { return l.stamp.modified }

// ReadAt reads the file and not its mapping, so that a shrunken file is an error and never a
// fault.
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

// ready refuses a closed file.
func (l *LocalFile) ready() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("%w: %s", ErrClosed, l.path)
	}
	l.settle()
	return nil
}

// readAt fills b with the bytes at off of the file as it was: it looks at the stamp again
// when it has read.
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

// copied is a View with bytes of its own. The caller holds mu.
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

// Views returns the number of Views not yet released. Tests use it to show that every
// reader gave its bytes back.
func (l *LocalFile) Views() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.views
}

// reopen opens the path again and checks that it is still the file that was opened. That
// there are too many open files, say, is no change of this one.
func (l *LocalFile) reopen() (*os.File, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return nil, l.gone(err)
	}
	if err := l.check(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// gone is the error of a file that cannot be reached: that it vanished is a change.
func (l *LocalFile) gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	return fmt.Errorf("dfs: %w", err)
}

// check compares an open file with the one that was opened.
func (l *LocalFile) check(f *os.File) error {
	now, err := stampOf(f)
	if err != nil {
		return fmt.Errorf("dfs: %w", err)
	}
	return l.stamp.same(l.path, now)
}

// Unchanged returns an error that wraps [ErrChanged] if bytes were shown that may not be
// those of the file as it was opened, because it was written to, grew, shrank or vanished
// since. Beyond its new end a View may even show zeros, without a fault. Bytes that were
// copied were checked then and cannot change.
func (l *LocalFile) Unchanged() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unchanged()
}

// unchanged is Unchanged. The caller holds mu.
func (l *LocalFile) unchanged() error {
	switch {
	case !l.exposed, l.closed && l.views == 0:
		return nil
	case l.file != nil:
		return l.check(l.file)
	}
	info, err := os.Stat(l.path)
	if err != nil {
		return l.gone(err)
	}
	return l.stamp.same(l.path, newStamp(info))
}
