package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// PartFile is the file of one attempt's part while the user's own mapreduce.PartWriter writes it: an
// [io.Writer], or the path of a file for code that opens files by name. It serves one goroutine at a
// time, until Close or Abort of the writer returns.
type PartFile struct {
	part  Part
	name  string
	store Store
	meter *meter
	late  *lateFile
	bytes *PartWriter
	path  string // empty: Path was not called
	wrote bool
	done  bool
}

// The errors of a writer that does what a [PartFile] does not allow.
var (
	ErrPartEnded = fault.Permanent(errors.New("the part has been closed or aborted"))
	ErrBothWays  = fault.Permanent(errors.New("a part is written either by Write or by its Path"))
)

// OwnFile returns the file of an attempt's part, which nothing has been done to yet.
func (c *Committer) OwnFile(at Part) (*PartFile, error) {
	f := &PartFile{part: at, store: c.Store, meter: c.meter}
	f.name = f.part.name
	f.late = &lateFile{create: func() (io.WriteCloser, error) { return c.create(f.part) }}
	var err error
	f.bytes, err = c.writer(f.late)
	return f, err
}

// WriterOf is what the bytes of the part go through.
func WriterOf(f *PartFile) *PartWriter { return f.bytes }

// Name is what the part will be called, such as part-r-00000.
func (f *PartFile) Name() string { return f.name }

// Write appends to the part, by way of a buffer and, if the destination is Compressed, packed. A part
// without any bytes is an empty file.
func (f *PartFile) Write(p []byte) (int, error) {
	switch {
	case f.done:
		return 0, ErrPartEnded
	case f.path != "":
		return 0, ErrBothWays
	}
	f.wrote = true
	if f.bytes.Err != nil {
		return 0, f.bytes.Err
	}
	if len(p) >= DirectSize {
		return f.bytes.Write(p)
	}
	if f.bytes.Buf = append(f.bytes.Buf, p...); len(f.bytes.Buf) >= FlushSize {
		f.bytes.Flush()
	}
	return len(p), f.bytes.Err
}

// Path names a file of this machine that is not there yet and is to be the part: the writer makes it,
// and has closed it when its Close returns. Other files may be made beside it, as databases do; they
// are removed with the attempt. The destination must be Dir or ReplacedDir, not Compressed; for any
// other the error is [fault.Permanent].
func (f *PartFile) Path() (string, error) {
	local, ok := f.store.(*localStore)
	switch {
	case f.done:
		return "", ErrPartEnded
	case f.wrote:
		return "", ErrBothWays
	case f.path != "":
		return f.path, nil
	case !ok:
		return "", fault.Permanent(fmt.Errorf("a part in %s has no path: files by name go to Dir or ReplacedDir", f.store.Name()))
	case f.bytes.packs():
		return "", fault.Permanent(errors.New("a part that is Compressed has no path: what is written by name is not compressed"))
	}
	path, err := local.place(f.part)
	f.path = path
	return path, err
}

// FinishFile makes the file of a writer that was closed ready for the commit.
func FinishFile(f *PartFile) (err error) {
	f.done = true
	if f.path == "" {
		return f.bytes.Close()
	}
	f.bytes.Bytes, err = f.store.(*localStore).adopt(f.part)
	if err == nil {
		err = f.meter.add(f.part, f.bytes.Bytes)
	}
	return err
}

// DropFile closes the file of a writer that was aborted; AbortTask removes it.
func DropFile(f *PartFile) {
	if !f.done {
		f.done = true
		f.late.unwanted = true
		f.bytes.Buf = nil
		_ = f.bytes.Close()
	}
}

// lateFile is a file that is made when it is first written to, or closed.
type lateFile struct {
	create   func() (io.WriteCloser, error)
	file     io.WriteCloser
	unwanted bool
}

func (l *lateFile) open() (err error) {
	if l.file == nil {
		l.file, err = l.create()
	}
	return err
}

// Write implements io.Writer.
func (l *lateFile) Write(p []byte) (int, error) {
	if l.unwanted {
		return len(p), nil
	}
	if err := l.open(); err != nil {
		return 0, err
	}
	return l.file.Write(p)
}

// Close implements io.Closer.
func (l *lateFile) Close() error {
	if l.file == nil && l.unwanted {
		return nil
	}
	if err := l.open(); err != nil {
		return err
	}
	return l.file.Close()
}

// ownDir is what the directory of an attempt whose part is written by name ends with.
const ownDir = ".own"

// place makes a directory among the temporary files for an attempt and names the part in it.
func (s *localStore) place(p Part) (string, error) {
	if err := s.ready(); err != nil {
		return "", err
	}
	if s.temp == nil {
		return "", ErrUnprepared
	}
	dir := p.Attempt + ownDir
	if err := s.temp.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := s.temp.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(s.begun, Temporary, dir, p.name))
}

// adopt makes the file that place named the attempt's, ready to be committed.
func (s *localStore) adopt(p Part) (size int64, err error) {
	dir := p.Attempt + ownDir
	file := dir + "/" + p.name
	info, err := s.temp.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, fault.Permanent(fmt.Errorf("%s: the writer has made no file at its Path", p.name))
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, fault.Permanent(fmt.Errorf("%s: what the writer has made at its Path is no file", p.name))
	}
	if s.token != "" {
		if err := s.sync(file); err != nil {
			return 0, err
		}
	}
	if err := s.temp.Rename(file, p.Attempt); err != nil {
		return 0, err
	}
	return info.Size(), s.temp.RemoveAll(dir)
}

// sync forces a temporary file to the disk.
func (s *localStore) sync(name string) error {
	f, err := s.temp.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return syncedFile{f}.Close()
}
