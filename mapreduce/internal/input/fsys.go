package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/globs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// FS implements mapreduce.FS, which documents it.
func FS(fsys fs.FS, patterns ...string) (list []Source, err error) {
	defer fault.Catch(&err)
	if len(patterns) == 0 {
		return nil, fmt.Errorf("mapreduce.FS: %w: no patterns are given", ErrNoSources)
	}
	for _, pattern := range patterns {
		names, err := globs.ExpandFS(fsys, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			s, err := titledFile(fsys, name, name)
			if err != nil {
				return nil, err
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// titledFile returns a source that reads the file called name; messages call it title.
func titledFile(fsys fs.FS, name, title string) (Source, error) {
	f := &fsFile{fsys: fsys, name: name, title: title}
	file, err := fsys.Open(name)
	if err != nil {
		return Source{}, err
	}
	defer func() { _ = file.Close() }() // only inspected
	info, err := file.Stat()
	if err != nil {
		return Source{}, err
	}
	f.size, f.modified, f.version = info.Size(), info.ModTime(), versionOf(info)
	s, err := Stored(f)
	_, readsAt := file.(io.ReaderAt)
	_, seeks := file.(io.Seeker)
	if !readsAt && !seeks {
		s.stream = func() (io.ReadCloser, error) { return fsys.Open(name) }
	}
	return s, err
}

// versionOf returns a store's version of the file's content, or "" for other file systems.
func versionOf(info fs.FileInfo) stores.Version {
	v, _ := info.Sys().(stores.Version)
	return v
}

// fsFile is a dfs.Source of a file in an fs.FS. It opens the file at the first read, and again
// after Close.
type fsFile struct {
	fsys     fs.FS
	name     string
	title    string
	size     int64
	modified time.Time
	version  stores.Version

	askPlaces sync.Once
	places    []stores.Place // locations, from a stores.Located

	mu   sync.RWMutex // write-locked to change file or seek in it
	file fs.File      // nil while closed
}

// Name implements dfs.Source.
func (f *fsFile) Name() string { return f.title }

// Size implements dfs.Source.
func (f *fsFile) Size() int64 { return f.size }

// ReadAt implements dfs.Source.
func (f *fsFile) ReadAt(p []byte, off int64) (int, error) {
	if off >= f.size {
		return 0, io.EOF
	}
	f.mu.RLock()
	if at, ok := f.file.(io.ReaderAt); ok {
		defer f.mu.RUnlock()
		return at.ReadAt(p, off)
	}
	f.mu.RUnlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.open(); err != nil {
		return 0, err
	}
	if at, ok := f.file.(io.ReaderAt); ok {
		return at.ReadAt(p, off)
	}
	if err := f.seek(off); err != nil {
		return 0, err
	}
	return Fill(f.file, p)
}

// open opens the file unless it is open.
func (f *fsFile) open() (err error) {
	if f.file == nil {
		f.file, err = f.fsys.Open(f.name)
	}
	return err
}

// seek sets the file's position to off, by reading from the start if the file cannot seek.
func (f *fsFile) seek(off int64) error {
	if s, ok := f.file.(io.Seeker); ok {
		_, err := s.Seek(off, io.SeekStart)
		return err
	}
	err := f.close()
	if err == nil {
		err = f.open()
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, f.file, off)
	}
	return err
}

// View returns a copy of n bytes at off.
func (f *fsFile) View(off int64, n int) (b []byte, release func(), err error) {
	if off < 0 || n < 0 || off > f.size || int64(n) > f.size-off {
		return nil, nil, fmt.Errorf("range %d+%d outside a file of %d bytes", off, n, f.size)
	}
	b = make([]byte, n)
	if k, err := f.ReadAt(b, off); k < n {
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, nil, err
		}
		return nil, nil, fmt.Errorf("%w: %d bytes at %d, of %d: %w", dfs.ErrChanged, k, off, n, err)
	}
	return b, func() {}, nil
}

// Close implements dfs.Source.
func (f *fsFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.close()
}

func (f *fsFile) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// Unchanged returns an error that wraps dfs.ErrChanged if the file has changed.
func (f *fsFile) Unchanged() error {
	info, err := fs.Stat(f.fsys, f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w: %w", f.title, dfs.ErrChanged, err)
	case err != nil:
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return fmt.Errorf("%s: %w", f.title, err)
	}
	if info.Size() != f.size || !info.ModTime().Equal(f.modified) || versionOf(info) != f.version {
		return fmt.Errorf("%s: %w", f.title, dfs.ErrChanged)
	}
	return nil
}

// Fill reads until b is full or r ends or fails. Unlike io.ReadFull it never replaces an error:
// only a bare io.EOF is the end of a stream.
func Fill(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var k int
		k, err = r.Read(b[n:])
		n += k
	}
	if n == len(b) && err == io.EOF { //nolint:errorlint // see above
		err = nil
	}
	return n, err
}
