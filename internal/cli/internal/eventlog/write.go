package eventlog

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/tarry-mr/tarry/actors"
)

// File is a file of events that is written, by a goroutine of its own: who has events to write waits
// only when it is far ahead. Write and Close are for one goroutine at a time; of a nil File they do nothing.
type File struct {
	file    *os.File
	buffer  *bufio.Writer
	packed  *zstd.Encoder // nil unless the name ends in .zst
	batch   []actors.Event
	batches chan []actors.Event
	spare   chan []actors.Event // emptied ones
	written chan struct{}       // closed when all are
	failed  atomic.Pointer[error]
}

// batchSize is how many events are handed over at once, and ahead how many such batches wait.
const (
	batchSize = 512
	ahead     = 8
)

// Create makes a file for events, compressed if its name ends in .zst.
func Create(name string) (*File, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	e := &File{
		file: f, buffer: bufio.NewWriterSize(f, 1<<16), batches: make(chan []actors.Event, ahead),
		spare: make(chan []actors.Event, ahead+1), written: make(chan struct{}),
	}
	var w io.Writer = e.buffer
	if strings.HasSuffix(name, ".zst") {
		if e.packed, err = zstd.NewWriter(e.buffer, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		w = e.packed
	}
	go e.encode(w)
	return e, nil
}

// encode writes what is handed over until Close. After an error it drops the rest.
func (f *File) encode(w io.Writer) {
	defer close(f.written)
	var line []byte
	for batch := range f.batches {
		for i := range batch {
			if f.failed.Load() != nil {
				break
			}
			line = append(batch[i].AppendJSON(line[:0]), '\n')
			if _, err := w.Write(line); err != nil {
				f.failed.Store(&err)
			}
		}
		clear(batch)
		select {
		case f.spare <- batch[:0]:
		default:
		}
	}
}

// Write adds an event; Close tells what went wrong.
func (f *File) Write(e actors.Event) {
	if f == nil {
		return
	}
	if f.batch = append(f.batch, e); len(f.batch) == batchSize {
		f.handOver()
	}
}

// handOver gives the events so far to the goroutine that writes.
func (f *File) handOver() {
	f.batches <- f.batch
	select {
	case f.batch = <-f.spare:
	default:
		f.batch = make([]actors.Event, 0, batchSize)
	}
}

// Close finishes the file.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	f.batches <- f.batch
	close(f.batches)
	<-f.written
	var errs []error
	if err := f.failed.Load(); err != nil {
		errs = append(errs, *err)
	}
	if f.packed != nil {
		errs = append(errs, f.packed.Close())
	}
	return errors.Join(append(errs, f.buffer.Flush(), f.file.Close())...)
}
