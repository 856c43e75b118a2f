package mapreduce

import (
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// RecordError is the error of a map for one record, with the place of the record.
type RecordError struct {
	Input  string // name of the source
	Offset int64  // of the record's first byte in the uncompressed source; -1 if records are not bytes
	Number int64  // counts from 1, among the records of the source that the attempt has read
	Head   string // first bytes of the record; empty if records are not bytes
	Size   int    // of the record, in bytes
	Err    error
}

// Error returns the place, then the error of the map.
func (e *RecordError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: record %d: %v", e.Input, e.Number, e.Err)
	}
	return fmt.Sprintf("%s: at byte %d, %s: %v", e.Input, e.Offset, fault.Quoted(e.Head, e.Size), e.Err)
}

// Unwrap returns the error of the map.
func (e *RecordError) Unwrap() error { return e.Err }

// mapError is an error of the user's map on its way through the input's reader, which adds the
// place of the record.
type mapError struct{ err error }

func (e *mapError) Error() string { return e.err.Error() }
func (e *mapError) Unwrap() error { return e.err }

// asMapError marks an error of the user's map.
func asMapError(err error) error {
	if err == nil {
		return nil
	}
	return &mapError{err}
}

// locateError adds the record's place to an error of the user's map; number is the number of
// records read. It returns other errors unchanged.
func (s *splitReader) locateError(err error, number int64) error {
	var f *mapError
	if !errors.As(err, &f) {
		return err
	}
	return s.recordError(f, number)
}

func (s *splitReader) recordError(f *mapError, number int64) *RecordError {
	e := &RecordError{Input: s.source.Name(), Offset: s.at, Number: s.numbered(number), Head: s.head, Size: s.size, Err: f.err}
	if s.ordinal {
		e.Offset = -1
	}
	return e
}

// numbered returns the number, for errors, of the n-th record of the source that the attempt has
// read.
func (s *splitReader) numbered(n int64) int64 {
	switch s.source.Data.(type) {
	case input.Made, input.Unit:
		if s.split.Length >= 0 {
			return n + s.split.Offset
		}
	}
	return n
}
