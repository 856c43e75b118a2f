package mapreduce

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// ErrNoRecord is returned by a decode function of [Decoded] for input without a record, such as an
// empty line or a header. The input is skipped and not counted.
var ErrNoRecord = errors.New("no record")

// Decoded yields the result of decode for each record of in. With [Lines], [FixedSize] or
// [WholeFiles] it reads a custom format, which is split where in is. decode runs in many attempts
// concurrently. Its argument is valid until the map returns, so the result may point into it.
//
// An error other than ErrNoRecord, or a panic, makes the record a bad one: the attempt ends with a
// [*RecordError], or skips the record if the job allows that (see MapAttempt.MaxSkips of package
// cluster). MapInputRecords counts the decoded records.
func Decoded[R, I any](in Input[R], decode func(rec R) (I, error)) Input[I] {
	read, plan := in.read, in.plan
	if decode == nil {
		plan.Wrong = errors.New("Decoded without a decode function")
	}
	return Input[I]{
		sources: in.sources, plan: plan, plans: in.plans, stable: in.stable && !codec.MayChange(reflect.TypeFor[I]()),
		read: func(s *splitReader, yield func(I) error) error { return decodeEach(s, read, decode, yield) },
	}
}

// decodeEach yields the result of decode for each record of read.
func decodeEach[R, I any](s *splitReader, read func(*splitReader, func(R) error) error,
	decode func(R) (I, error), yield func(I) error,
) error {
	number := int64(0)
	err := read(s, func(raw R) error {
		var rec I
		err := recovered(func() (err error) {
			rec, err = decode(raw)
			return err
		})
		if errors.Is(err, ErrNoRecord) {
			return nil
		}
		number++
		if err != nil {
			err = asMapError(err)
		} else {
			err = yield(rec)
		}
		if err != nil {
			s.number = number
		}
		return err
	})
	return s.locateError(err, number)
}

// boundedLines yields lines that the caller copies; a line over the budget's limit is an error.
func boundedLines(s *splitReader, yield func([]byte) error) error {
	return Lines().read(s, s.bounded(yield))
}

// bounded wraps yield: lines longer than the budget allows are an error.
func (s *splitReader) bounded(yield func(line []byte) error) func([]byte) error {
	return func(line []byte) error {
		if len(line) > memory.LeastLargest {
			if err := s.checkLength(len(line)); err != nil {
				return err
			}
		}
		return yield(line)
	}
}

// byteOrderMark is the prefix that some editors write to UTF-8 files.
const byteOrderMark = "\ufeff"

// JSONLines yields the JSON value of each line as a T, decoded by [json.Unmarshal]: fields that T
// lacks are ignored, and fields that the line lacks are zero. Empty lines and a byte order mark are
// skipped. Records do not share memory and may be kept. Files are split at any line.
//
// A line that does not decode is a bad record, as for [Decoded]: its error names the file, the
// offset and the beginning of the line.
func JSONLines[T any](sources ...Source) Input[T] {
	lines := Input[[]byte]{sources: sources, read: boundedLines}
	return Decoded(lines, func(line []byte) (rec T, err error) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte(byteOrderMark)))
		if len(line) == 0 {
			return rec, ErrNoRecord
		}
		err = json.Unmarshal(line, &rec)
		if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
			err = fmt.Errorf("at its byte %d: %w", bad.Offset, err)
		}
		return rec, Bad(err)
	})
}
