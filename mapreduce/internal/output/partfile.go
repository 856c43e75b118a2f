package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// PartFile is the file of one attempt's part for a user's mapreduce.PartWriter: an [io.Writer], or
// the path of a file for code that opens files by name. It must be used by one goroutine at a time,
// until Close or Abort of the writer returns.
type PartFile struct {
	part       Part
	to         *Committer
	writer     PartWriter // begin creates its file; until then it is only a buffer
	path       string     // empty if Path was not called
	hasWritten bool       // Write was called
	isEnded    bool       // the user's writer was closed or aborted
}

// The errors for a wrong use of a [PartFile].
var (
	ErrPartEnded = fault.Permanent(errors.New("the part has been closed or aborted"))
	ErrBothWays  = fault.Permanent(errors.New("a part is written either by Write or by its Path"))
)

// OwnFile returns the PartFile with which a user's mapreduce.PartWriter writes part p.
func (c *Committer) OwnFile(p Part) *PartFile { return &PartFile{part: p, to: c} }

// WriterOf returns the PartWriter to which Write passes bytes.
func WriterOf(f *PartFile) *PartWriter { return &f.writer }

// Name returns the name of the part, such as part-r-00000.
func (f *PartFile) Name() string { return f.part.name }

// Write appends to the part through a buffer and, if the destination is Compressed, a compressor. A
// part without any bytes is an empty file.
func (f *PartFile) Write(p []byte) (int, error) {
	switch {
	case f.isEnded:
		return 0, ErrPartEnded
	case f.path != "":
		return 0, ErrBothWays
	}
	f.hasWritten = true
	if len(p) < DirectSize && len(f.writer.Buf)+len(p) < FlushSize {
		f.writer.Buf = append(f.writer.Buf, p...)
		return len(p), f.writer.Err
	}
	if err := f.begin(); err != nil {
		return 0, err
	}
	return f.writer.Write(p)
}

// begin creates the file of the writer, once. It returns the writer's error, if there is one.
func (f *PartFile) begin() error {
	if f.writer.file != nil {
		return f.writer.Err
	}
	w, err := f.to.Begin(f.part)
	if err == nil {
		w.Buf, w.Check = append(w.Buf, f.writer.Buf...), f.writer.Check
		f.writer = *w
	}
	return err
}

// Path returns the path of a local file that does not exist yet and will be the part: the writer
// creates it, and must have closed it when its Close returns. The writer may create other files
// beside it, as databases do; they are removed with the attempt. The destination must be an
// uncompressed Dir or ReplacedDir; otherwise the error is [fault.Permanent].
func (f *PartFile) Path() (string, error) {
	switch {
	case f.isEnded:
		return "", ErrPartEnded
	case f.hasWritten:
		return "", ErrBothWays
	case f.path != "":
		return f.path, nil
	case f.to.local == nil:
		return "", fault.Permanent(fmt.Errorf("a part in %s has no path: files by name go to Dir or ReplacedDir", f.to.Name()))
	case f.to.compression != NoCompression:
		return "", fault.Permanent(errors.New("a part that is Compressed has no path: what is written by name is not compressed"))
	}
	path, err := f.to.local.own(f.part)
	f.path = path
	return path, err
}

// FinishFile makes the part of a closed writer ready for its commit.
func FinishFile(f *PartFile) (err error) {
	f.isEnded = true
	if f.path == "" {
		if err = f.begin(); f.writer.file != nil {
			err = f.writer.Close()
		}
		return err
	}
	f.writer.Bytes, err = f.to.local.adopt(f.part)
	if err == nil {
		err = f.to.meter.add(f.part, f.writer.Bytes)
	}
	return err
}

// DropFile ends the part of an aborted writer; AbortTask removes the file.
func DropFile(f *PartFile) {
	if f.writer.file != nil && !f.isEnded {
		f.writer.Buf = nil
		_ = f.writer.Close()
	}
	f.isEnded = true
}

// ownDir is the suffix of the temporary directory in which an attempt creates its part by Path.
const ownDir = ".own"

// own creates that directory for an attempt, and returns the path for the part in it.
func (s *localStore) own(p Part) (string, error) {
	temp, err := s.ready()
	if err != nil {
		return "", err
	}
	dir := p.Attempt + ownDir
	if err := temp.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := temp.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(temp.Name(), dir, p.name))
}

// adopt moves the file that the attempt has created at its Path to where Commit expects it.
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

// sync forces the content of a temporary file to disk.
func (s *localStore) sync(name string) error {
	f, err := s.temp.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return syncedFile{f}.Close()
}
