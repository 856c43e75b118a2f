package read

import (
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// RecordError is the error of a map for one record. It says where in the input the record is.
type RecordError struct {
	Input  string // name of the source
	Offset int64  // of the record's first byte in the uncompressed source; -1 if records are not bytes
	Number int64  // counts from 1, among the records of the source that the attempt has read
	Head   string // first bytes of the record; empty if records are not bytes
	Size   int    // of the record, in bytes
	Err    error
}

// Error returns where the record is in the input, then the error of the map.
func (e *RecordError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: record %d: %v", e.Input, e.Number, e.Err)
	}
	return fmt.Sprintf("%s: at byte %d, %s: %v", e.Input, e.Offset, fault.Quoted(e.Head, e.Size), e.Err)
}

// Unwrap returns the error of the map.
func (e *RecordError) Unwrap() error { return e.Err }

// mapError marks an error of the user's map, so that LocateError adds the record's place to it.
type mapError struct{ err error }

func (e *mapError) Error() string { return e.err.Error() }
func (e *mapError) Unwrap() error { return e.err }

// MapError marks err as an error of the user's map, so that LocateError adds the record's place to
// it. MapError(nil) is nil.
func MapError(err error) error {
	if err == nil {
		return nil
	}
	return &mapError{err}
}

// LocateError adds the current record's place to an error that MapError has marked. It returns
// other errors unchanged.
func (s *Reader) LocateError(err error) error {
	var f *mapError
	if !errors.As(err, &f) {
		return err
	}
	return s.RecordError(f.err)
}

// RecordError returns err with the place of the current record.
func (s *Reader) RecordError(err error) *RecordError {
	e := &RecordError{Input: s.Source.Name(), Offset: s.At, Number: s.number(), Head: s.head, Size: s.size, Err: err}
	if s.Ordinal {
		e.Offset = -1
	}
	return e
}

// number returns the number of the current record, for errors. It counts from the source's start if
// the program makes the records.
func (s *Reader) number() int64 {
	n := s.Mapped + s.unmapped
	switch s.Source.Data.(type) {
	case input.Made, input.Unit:
		if s.Split.Length >= 0 {
			return n + s.Split.Offset
		}
	}
	return n
}
