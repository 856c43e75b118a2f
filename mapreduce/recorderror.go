package mapreduce

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// RecordError is the error of a map for one record, with the place of the record.
type RecordError struct {
	Input  string // name of the source
	Offset int64  // of the record's first byte in the source, unpacked; -1 if its records are not bytes
	Number int64  // of the record, from 1, among those of the source that the attempt has read
	Head   string // the record's first bytes; empty if its records are not bytes
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

// mapFault is an error of the user's map on its way through the reader of the input, which
// knows where the record is.
type mapFault struct{ err error }

func (e *mapFault) Error() string { return e.err.Error() }
func (e *mapFault) Unwrap() error { return e.err }

// ofMap marks an error of the user's map.
func ofMap(err error) error {
	if err == nil {
		return nil
	}
	return &mapFault{err}
}

// stoppedAt notes the record of a run at which reading ends.
func (s *splitReader) stoppedAt(run, rec []byte) {
	s.at += int64(uintptr(unsafe.Pointer(unsafe.SliceData(rec))) - uintptr(unsafe.Pointer(unsafe.SliceData(run))))
	s.first, s.now = nil, nil // at is the record's now
	s.head, s.size = string(rec[:min(len(rec), fault.HeadSize)]), len(rec)
}

// placePanic, deferred, makes a panic of the user's map an error of the record that begins at last;
// length finds how long that is. A fault on an address outside the Go heap, which tells of the input,
// goes on. If err is still ErrExited the map has ended the goroutine: the record is noted.
func (s *splitReader) placePanic(run []byte, last **byte, length func([]byte) int, err *error) {
	v := recover()
	switch v := v.(type) {
	case nil:
		if *err != fault.ErrExited { //nolint:errorlint // what stood there from the beginning
			return
		}
	case fault.Thrown:
		*err = ofMap(v.Err)
	case interface {
		runtime.Error
		Addr() uintptr
	}:
		panic(v)
	default:
		*err = ofMap(fault.NewPanicError(v))
	}
	if *last == nil {
		return
	}
	rest := run[uintptr(unsafe.Pointer(*last))-uintptr(unsafe.Pointer(unsafe.SliceData(run))):]
	s.stoppedAt(run, rest[:length(rest)])
}

// placed says of an error of the user's map which record it is about; number counts those
// read. Other errors are as they were.
func (s *splitReader) placed(err error, number int64) error {
	var f *mapFault
	if !errors.As(err, &f) {
		return err
	}
	return s.recordError(f, number)
}

func (s *splitReader) recordError(f *mapFault, number int64) *RecordError {
	e := &RecordError{Input: s.source.Name(), Offset: s.at, Number: s.numbered(number), Head: s.head, Size: s.size, Err: f.err}
	if s.numbers {
		e.Offset = -1
	}
	return e
}

// numbered is the number that errors give to the n-th record that the attempt has read of the source.
func (s *splitReader) numbered(n int64) int64 {
	n -= s.behind
	switch s.source.Data.(type) {
	case input.Made, input.Unit:
		if s.split.Length >= 0 {
			return n + s.split.Offset
		}
	}
	return n
}
