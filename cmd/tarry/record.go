package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/tarry-mr/tarry/actors"
)

// record writes what happens in a live or simulated cluster to the files asked for: events as JSON lines, and a Chrome trace. Its sink is called
// from one goroutine at a time; close comes after the last call.
type record struct {
	lines *eventFile
	trace *traceFile
	err   error // the first that happened; later events are dropped
}

// openRecord creates the files, before anything runs.
func openRecord(events, traceOut string) (*record, error) {
	rec := new(record)
	if events != "" {
		f, err := createEventFile(events)
		if err != nil {
			return nil, configError("--events: %w", plainPathError(events, err))
		}
		rec.lines = f
	}
	if traceOut != "" {
		f, err := createTraceFile(traceOut)
		if err != nil {
			return nil, errors.Join(configError("--trace-out: %w", plainPathError(traceOut, err)), rec.close())
		}
		rec.trace = f
	}
	return rec, nil
}

// sink is what a cluster calls, or nil if nothing is recorded.
func (rec *record) sink() func(actors.Event) {
	if rec.lines == nil && rec.trace == nil {
		return nil
	}
	return func(e actors.Event) {
		if rec.err == nil && rec.lines != nil {
			rec.err = rec.lines.write(e)
		}
		if rec.err == nil && rec.trace != nil {
			rec.err = rec.trace.write(e)
		}
	}
}

// close finishes the files and tells what went wrong with them.
func (rec *record) close() error {
	errs := []error{rec.err}
	if rec.lines != nil {
		errs = append(errs, rec.lines.close())
	}
	if rec.trace != nil {
		errs = append(errs, rec.trace.close())
	}
	return errors.Join(errs...)
}

// eventFile holds one JSON object a line.
type eventFile struct {
	file   *os.File
	buffer *bufio.Writer
	packed *zstd.Encoder // nil unless the name ends in .zst
	encode *json.Encoder
}

func createEventFile(name string) (*eventFile, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	e := &eventFile{file: f, buffer: bufio.NewWriterSize(f, 1<<16)}
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

func (e *eventFile) write(v any) error {
	if err := e.encode.Encode(v); err != nil {
		return fmt.Errorf("--events: %w", err)
	}
	return nil
}

func (e *eventFile) close() error {
	var err error
	if e.packed != nil {
		err = e.packed.Close()
	}
	return errors.Join(err, e.buffer.Flush(), e.file.Close())
}
