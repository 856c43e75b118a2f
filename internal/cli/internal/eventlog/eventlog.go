// Package eventlog reads and writes files of events of live and simulated clusters, and describes
// events in words.
package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// maxLine is the maximum length of a line in bytes. The longest lines report the end of a map: they
// list the sizes of its output for each reduce.
const maxLine = 32 << 20

// Read parses in, one JSON object per line, perhaps compressed by zstd, and calls take for each
// event in order. The Event is reused after take returns; data that it points to is not. Errors
// begin with the number of the line.
func Read(in io.Reader, take func(*actors.Event) error) (err error) {
	n := 1
	defer func() {
		if err != nil {
			err = fmt.Errorf("%d: %w", n, err)
		}
	}()
	buffered := bufio.NewReaderSize(in, 1<<16)
	in = buffered
	if magic, _ := buffered.Peek(4); bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) { // zstd's
		unpacked, err := zstd.NewReader(buffered, zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return err
		}
		defer unpacked.Close()
		in = unpacked
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for ; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e actors.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("not an event: %w", err)
		} else if e.Type == 0 {
			return errors.New("not an event: it has no type")
		}
		if err := take(&e); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line of more than %d bytes is no event", maxLine)
	}
	return lines.Err()
}

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

// Write adds an event to the file. Close returns its error.
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

// JobOf returns the job that an event is about, or 0.
func JobOf(e *actors.Event) scheduling.JobID {
	if e.Attempt.Task.Job != 0 {
		return e.Attempt.Task.Job
	}
	return e.JobID
}

// Line returns an event as one line of text. It does not escape names.
func Line(e *actors.Event) string {
	var line strings.Builder
	add := func(format string, a ...any) { fmt.Fprintf(&line, format, a...) }
	add("%s", e.Event.String())
	switch e.Type {
	case event.Submitted:
		add(": %s of %s in %s, %s, %s", e.Name, e.User, e.Pool,
			words.Count(e.Tasks[scheduling.Map], "map"), words.Count(e.Tasks[scheduling.Reduce], "reduce"))
	case event.Shares:
		shares(e, add)
	case event.Need:
		add(": %s may claim %s", e.Pool, words.Count(e.Need, e.Kind.String()+" slot"))
	case event.Finished, event.Cordoned:
		add(" %s", e.State)
	case event.Skipped:
		skip(e, add)
	case event.Progress:
		add(": %.0f %%", 100*e.Progress)
	case event.Began:
		if b := e.Began; b != nil {
			what := map[bool]string{true: "simulated", false: "live"}[b.Simulated]
			add(": %s, %s, %s in %s, seed %d", what, e.Name, words.Count(b.Nodes, "node"), words.Count(b.Racks, "rack"), b.Seed)
		}
	default:
	}
	if p := e.Placed; p != nil && p.Center != "" {
		add("; prefers %s, weighted distance there %d, here %d", p.Center, p.AtCenter, p.Here)
		if p.Mean > 0 {
			add(", at best %d, in the mean %d", p.Best, p.Mean)
		}
	}
	if e.Held > 0 {
		add(", suspended for %v in all", e.Held.Round(time.Microsecond))
	}
	if e.Phases != nil {
		add(", took %v", (e.At - e.Phases.Start).Round(time.Microsecond))
	}
	return line.String()
}

// skip adds the text of a skipped job: the kind of task, the allowed locality and the wait's end.
func skip(e *actors.Event, add func(string, ...any)) {
	if add(" (%s)", e.Kind); e.Level != "" {
		add(", may go %s", e.Level)
	}
	if e.Until > 0 {
		add(" until %v", e.Until)
		if e.Reason.Wait > 0 {
			add(", of %v in all", e.Reason.Wait+e.Until-e.At)
		}
	}
	if e.Count > 1 {
		add(", %d times so far", e.Count)
	}
}

// shares adds the text of a fair share: its pool, queue or job, and the running and wanted slots.
func shares(e *actors.Event, add func(string, ...any)) {
	of := e.Pool
	if e.JobID != 0 {
		of = e.JobID.String()
	}
	add(" of %s: %.4g map slots, %.4g reduce slots; runs %d and %d of %d and %d",
		of, e.Shares[scheduling.Map], e.Shares[scheduling.Reduce],
		e.Running[scheduling.Map], e.Running[scheduling.Reduce], e.Demand[scheduling.Map], e.Demand[scheduling.Reduce])
	for k, v := range e.Virtual {
		if v != (event.Projected{}) {
			add("; %s: %v of work left, done at %v in the virtual cluster",
				scheduling.TaskKind(k), v.Left.Round(time.Millisecond), v.Finish.Round(time.Millisecond))
		}
	}
}
