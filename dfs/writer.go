package dfs

import (
	"bytes"
	"errors"
	"io/fs"
)

// Writer writes a new file, which appears under its name once Close returns nil. After Abort it
// never appears. One goroutine at a time may use it.
type Writer struct {
	f         *FS
	name      string
	blockSize int64
	buf       []byte
	file      *inode
	err       error
	isClosed  bool
}

// Create starts to write a file in blocks of the FS's block size. The name must be free now and at
// Close.
func (f *FS) Create(name string) (*Writer, error) {
	fail := func(err error) (*Writer, error) { return nil, &fs.PathError{Op: "create", Path: name, Err: err} }
	if !fs.ValidPath(name) || name == "." {
		return fail(fs.ErrInvalid)
	}
	f.mu.RLock()
	_, err := f.ns.find(name)
	f.mu.RUnlock()
	if err == nil {
		return fail(fs.ErrExist)
	}
	return &Writer{f: f, name: name, blockSize: f.cfg.BlockSize, file: &inode{offsets: []int64{0}}}, nil
}

// WriteFile creates a file with this data, in blocks of the FS's block size.
func (f *FS) WriteFile(name string, data []byte) error {
	w, err := f.Create(name)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// Write appends a copy of p.
func (w *Writer) Write(p []byte) (int, error) {
	if w.isClosed {
		return 0, &fs.PathError{Op: "write", Path: w.name, Err: fs.ErrClosed}
	}
	written := 0
	for len(p) > 0 && w.err == nil {
		n := min(int64(len(p)), w.blockSize-int64(len(w.buf)))
		w.buf = append(w.buf, p[:n]...)
		p = p[n:]
		written += int(n)
		if int64(len(w.buf)) == w.blockSize {
			w.err = w.cut()
		}
	}
	if w.err != nil {
		return written, &fs.PathError{Op: "write", Path: w.name, Err: w.err}
	}
	return written, nil
}

// cut stores the buffered bytes as the next block of the file.
func (w *Writer) cut() error {
	data := bytes.Clone(w.buf)
	w.buf = w.buf[:0]
	return w.f.add(w.file, nil, newExtent(data))
}

// Close stores the last block and gives the file its name. After an error the file does not exist.
func (w *Writer) Close() error {
	if w.isClosed {
		return &fs.PathError{Op: "close", Path: w.name, Err: fs.ErrClosed}
	}
	if len(w.buf) > 0 && w.err == nil {
		w.err = w.cut()
	}
	if w.err != nil {
		_ = w.Abort()
		return &fs.PathError{Op: "close", Path: w.name, Err: w.err}
	}
	w.isClosed, w.buf = true, nil
	return w.f.publish("close", []string{w.name}, []*inode{w.file})
}

// Abort drops the file and its blocks. After Close it does nothing.
func (w *Writer) Abort() error {
	if !w.isClosed {
		w.isClosed, w.buf = true, nil
		w.f.mu.Lock()
		defer w.f.mu.Unlock()
		w.f.ns.discard(w.file.blocks)
	}
	return nil
}
