package eventlog

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/tarry-mr/tarry/actors"
)

// File is a file of events to write. It must be used by one goroutine at a time. Write and Close of
// a nil File do nothing.
type File struct {
	to     io.Writer
	close  []func() error // in this order
	line   []byte
	failed error // the first error; later events are dropped
}

// Create creates a file for events, compressed if its name ends in .zst.
func Create(name string) (*File, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	buffer := bufio.NewWriterSize(f, 1<<16)
	e := &File{to: buffer, close: []func() error{buffer.Flush, f.Close}}
	if strings.HasSuffix(name, ".zst") {
		packed, err := zstd.NewWriter(buffer, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		e.to, e.close = packed, append([]func() error{packed.Close}, e.close...)
	}
	return e, nil
}

// Write adds an event; Close returns its errors.
func (f *File) Write(e actors.Event) {
	if f == nil || f.failed != nil {
		return
	}
	f.line = append(e.AppendJSON(f.line[:0]), '\n')
	_, f.failed = f.to.Write(f.line)
}

// Close finishes the file.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	errs := []error{f.failed}
	for _, end := range f.close {
		errs = append(errs, end())
	}
	return errors.Join(errs...)
}
