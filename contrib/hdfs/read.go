package hdfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// info is what the name node knows of a file: an fs.FileInfo, and the file's ID.
type info struct {
	fs.FileInfo
	id uint64 // of the file; renaming does not change it
}

// Sys implements fs.FileInfo.
func (i info) Sys() any {
	if i.IsDir() {
		return nil
	}
	return stores.Version(fmt.Sprintf("%d-%d", i.id, i.ModTime().UnixMilli()))
}

func infoOf(i fs.FileInfo) info {
	id := uint64(0)
	if status, ok := i.Sys().(interface{ GetFileId() uint64 }); ok {
		id = status.GetFileId()
	}
	return info{i, id}
}

// at returns the absolute HDFS path of a name in the form of io/fs.
func at(name string) string {
	if name == "." {
		return "/"
	}
	return "/" + name
}

// Stat implements fs.StatFS.
func (s *store) Stat(name string) (fs.FileInfo, error) {
	i, err := s.stat(name)
	if err != nil {
		return nil, err
	}
	return i, nil
}

func (s *store) stat(name string) (i info, err error) {
	if !fs.ValidPath(name) {
		return i, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	err = again(func() error {
		found, err := s.client.Stat(at(name))
		if err == nil {
			i = infoOf(found)
		}
		return err
	})
	if err != nil {
		return i, failed("stat", name, err)
	}
	return i, nil
}

// ReadDir implements fs.ReadDirFS.
func (s *store) ReadDir(name string) (list []fs.DirEntry, err error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "list", Path: name, Err: fs.ErrInvalid}
	}
	err = again(func() error {
		found, err := s.client.ReadDir(at(name))
		list = make([]fs.DirEntry, 0, len(found))
		for _, i := range found {
			list = append(list, fs.FileInfoToDirEntry(infoOf(i)))
		}
		return err
	})
	if err != nil {
		return nil, failed("list", name, err)
	}
	return list, nil
}

// Open implements fs.FS.
func (s *store) Open(name string) (fs.File, error) {
	i, err := s.stat(name)
	if err != nil {
		return nil, err
	}
	return &file{store: s, name: name, info: i}, nil
}

// file is an open file for concurrent reads. Each reader of the client serves one goroutine at a
// time. Idle readers are kept, since to continue at their position needs no new connection.
type file struct {
	store *store
	name  string
	info  info
	pos   int64 // of Read

	mu     sync.Mutex
	idle   []*hdfs.FileReader
	closed bool
}

// maxIdle is the maximum number of idle readers per file.
const maxIdle = 4

// Stat implements fs.File.
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// take returns one of the file's idle readers, or a new one.
func (f *file) take() (*hdfs.FileReader, error) {
	f.mu.Lock()
	if n := len(f.idle); n > 0 {
		r := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.mu.Unlock()
		return r, nil
	}
	f.mu.Unlock()
	return f.store.client.Open(at(f.name))
}

func (f *file) giveBack(r *hdfs.FileReader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || len(f.idle) == maxIdle {
		_ = r.Close() // only read
		return
	}
	f.idle = append(f.idle, r)
}

var errReplaced = fmt.Errorf("another file has taken its place: %w", fs.ErrNotExist)

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	end := min(off+int64(len(p)), f.info.Size())
	switch {
	case f.info.IsDir() || off < 0:
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrInvalid}
	case len(p) == 0:
		return 0, nil
	case off >= end:
		return 0, io.EOF
	}
	err = again(func() error {
		r, err := f.take()
		if err != nil {
			return err
		}
		if infoOf(r.Stat()).id != f.info.id {
			return errors.Join(errReplaced, r.Close())
		}
		if err = r.SetDeadline(time.Now().Add(answerTimeout)); err == nil {
			var k int
			k, err = r.ReadAt(p[n:end-off], off+int64(n))
			n += k
		}
		if err != nil {
			_ = r.Close() // only read
			return err
		}
		f.giveBack(r)
		return nil
	})
	if err != nil {
		return n, failed("read", f.name, err)
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Read implements fs.File.
func (f *file) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Close implements fs.File.
func (f *file) Close() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for _, r := range f.idle {
		err = errors.Join(err, r.Close())
	}
	f.idle = nil
	return err
}
