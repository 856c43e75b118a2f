package mapreduce

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// ErrNoRecord is returned by a decode function of [Decoded] for input without a record, such as an
// empty line or a header. The input is skipped and not counted.
var ErrNoRecord = read.ErrNoRecord

// Decoded yields the result of decode for each record of in. With [Lines], [FixedSize] or
// [WholeFiles] it reads a custom format, which is split where in is. decode runs in many attempts
// concurrently, and for some records before the first of them is mapped. So a result may point into
// its argument, which is valid until the map returns, but not into memory that decode reuses.
//
// An error other than ErrNoRecord, or a panic, makes the record a bad one: the attempt ends with a
// [*RecordError], or skips the record if the job allows that (see MapAttempt.MaxSkips of package
// cluster). MapInputRecords counts the decoded records.
func Decoded[R, I any](in Input[R], decode func(rec R) (I, error)) Input[I] {
	plan := in.plan
	if decode == nil {
		plan.Wrong = errors.New("Decoded without a decode function")
	}
	return Input[I]{sources: in.sources, plan: plan, plans: in.plans, read: read.Decoded(in.read, decode)}
}

// Filter yields the records of in for which keep returns true. The others are not counted. keep
// runs when and where the decode function of [Decoded] does.
func (in Input[I]) Filter(keep func(rec I) bool) Input[I] {
	if keep == nil {
		in.plan.Wrong = errors.New("Filter without a function")
	}
	return Decoded(in, func(rec I) (I, error) {
		if !keep(rec) {
			return rec, ErrNoRecord
		}
		return rec, nil
	})
}

// FlatMap yields what split emits for each record of in: no record, one or several, in order. split
// runs in many attempts concurrently. What it emits for a record is in memory until it is mapped:
// it may point into the record, which is valid until then, but not into memory that split reuses.
//
// An error or a panic of split makes the record a bad one, as for [Decoded]; then what it has
// emitted for the record is dropped. MapInputRecords counts the emitted records.
func FlatMap[R, I any](in Input[R], split func(rec R, emit func(I)) error) Input[I] {
	plan := in.plan
	if split == nil {
		plan.Wrong = errors.New("FlatMap without a function")
	}
	return Input[I]{sources: in.sources, plan: plan, plans: in.plans, read: read.FlatMapped(in.read, split)}
}

// JSONLines yields the JSON value of each line as a T, decoded by [json.Unmarshal]: fields that T
// lacks are ignored, and fields that the line lacks are zero. Empty lines and a byte order mark are
// skipped. Records do not share memory and may be kept. Files are split at any line.
//
// A line that does not decode is a bad record, as for [Decoded]: its error names the file, the
// offset and the beginning of the line.
func JSONLines[T any](sources ...Source) Input[T] {
	lines := Input[[]byte]{sources: sources, read: read.BoundedLines}
	return Decoded(lines, func(line []byte) (rec T, err error) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte(read.ByteOrderMark)))
		if len(line) == 0 {
			return rec, ErrNoRecord
		}
		err = json.Unmarshal(line, &rec)
		if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
			err = fmt.Errorf("at its byte %d: %w", bad.Offset, err)
		}
		return rec, BadRecord(err)
	})
}
