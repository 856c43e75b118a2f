package eventlog

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/tarry-mr/tarry/actors"
)

// File is a file of events that is written. It is for one goroutine at a time.
type File struct {
	file   *os.File
	buffer *bufio.Writer
	packed *zstd.Encoder // nil unless the name ends in .zst
	encode *json.Encoder
}

// Create makes a file for events, compressed if its name ends in .zst.
func Create(name string) (*File, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	e := &File{file: f, buffer: bufio.NewWriterSize(f, 1<<16)}
	var w io.Writer = e.buffer
	if strings.HasSuffix(name, ".zst") {
		if e.packed, err = zstd.NewWriter(e.buffer); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		w = e.packed
	}
	e.encode = json.NewEncoder(w)
	return e, nil
}

// Write adds an event.
func (f *File) Write(e actors.Event) error { return f.encode.Encode(e) }

// Close finishes the file.
func (f *File) Close() error {
	var err error
	if f.packed != nil {
		err = f.packed.Close()
	}
	return errors.Join(err, f.buffer.Flush(), f.file.Close())
}
