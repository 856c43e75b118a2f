package mapreduce

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// ErrNoRecord is returned by a decode function of [Decoded] for input without a record, such as an
// empty line or a header. The input is skipped and not counted.
var ErrNoRecord = errors.New("no record")

// Decoded yields the result of decode for each record of in. With [Lines], [FixedSize] or
// [WholeFiles] it reads a custom format, which is split where in is. decode runs in many attempts
// concurrently, and for some records before the first of them is mapped. So a result may point into
// its argument, which is valid until the map returns, but not into memory that decode reuses.
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
		sources: in.sources, plan: plan, plans: in.plans,
		read: func(s *splitReader, yield func([]I) (int, error)) error {
			d := &decoder[R, I]{s: s, decode: decode, yield: yield}
			return s.locateError(read(s, d.batch), d.number)
		},
	}
}

// decoder decodes the records of an input.
type decoder[R, I any] struct {
	s      *splitReader
	decode func(rec R) (I, error)
	yield  func([]I) (int, error)
	recs   []I   // decoded records
	number int64 // of the latest processed record
}

// batch decodes raw records and yields the results. Those before an undecodable one come first.
func (d *decoder[R, I]) batch(raw []R) (int, error) {
	first := d.s.batch
	defer func() { d.s.batch = first }()
	for at := 0; at < len(raw); {
		var failed error
		d.recs = d.recs[:0]
		for at+len(d.recs) < len(raw) && failed == nil {
			d.s.now = first + at + len(d.recs)
			var rec I
			if rec, failed = d.one(raw[at+len(d.recs)]); failed == nil {
				d.recs = append(d.recs, rec)
			}
		}
		d.s.batch = first + at
		n, err := d.yield(d.recs)
		d.number += int64(n)
		if at += n; err == nil && failed != nil {
			d.s.now = first + at
			if err = asMapError(failed); errors.Is(failed, ErrNoRecord) {
				at++
				continue
			}
		}
		if err != nil {
			d.number++
			d.s.number = d.number
			return at, err
		}
	}
	return len(raw), nil
}

// one decodes a record; a panic is an error.
func (d *decoder[R, I]) one(raw R) (rec I, err error) {
	err = recovered(func() (err error) {
		rec, err = d.decode(raw)
		return err
	})
	return rec, err
}

// boundedLines yields lines that the caller copies; a line over the budget's limit is an error.
func boundedLines(s *splitReader, yield func([][]byte) (int, error)) error {
	return Lines().read(s, func(lines [][]byte) (int, error) {
		for i, line := range lines {
			if len(line) <= memory.LeastLargest {
				continue
			}
			s.now = s.batch + i
			if large := s.checkLength(len(line)); large != nil {
				n, err := yield(lines[:i])
				return n, cmp.Or(err, large)
			}
		}
		return yield(lines)
	})
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
