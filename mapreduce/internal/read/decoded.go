package read

import (
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// ErrNoRecord is returned by a decode function for input that is no record and must be passed over.
var ErrNoRecord = errors.New("no record")

// Decoded returns an Input that yields the result of decode for each record of in.
func Decoded[R, I any](in Input[R], decode func(rec R) (I, error)) Input[I] {
	return func(s *Reader, yield func([]I) (int, error)) error {
		d := &decoder[R, I]{s: s, decode: decode, yield: yield}
		return s.LocateError(in(s, d.batch), d.number)
	}
}

// decoder is one reader of a Decoded input.
type decoder[R, I any] struct {
	s      *Reader
	decode func(rec R) (I, error)
	yield  func([]I) (int, error)
	recs   []I   // decoded records
	number int64 // of the latest processed record
}

// batch decodes raw records and yields the results: first those before one that cannot be decoded.
func (d *decoder[R, I]) batch(raw []R) (int, error) {
	first := d.s.Batch
	defer func() { d.s.Batch = first }()
	for at := 0; at < len(raw); {
		var failed error
		d.recs = d.recs[:0]
		for at+len(d.recs) < len(raw) && failed == nil {
			d.s.Now = first + at + len(d.recs)
			var rec I
			if rec, failed = d.one(raw[at+len(d.recs)]); failed == nil {
				d.recs = append(d.recs, rec)
			}
		}
		d.s.Batch = first + at
		n, err := d.yield(d.recs)
		d.number += int64(n)
		if at += n; err == nil && failed != nil {
			d.s.Now = first + at
			if err = MapError(failed); errors.Is(failed, ErrNoRecord) {
				at++
				continue
			}
		}
		if err != nil {
			d.number++
			d.s.Number = d.number
			return at, err
		}
	}
	return len(raw), nil
}

// one returns decode(raw); it turns a panic into an error.
func (d *decoder[R, I]) one(raw R) (rec I, err error) {
	err = fault.Recovered(func() (err error) {
		rec, err = d.decode(raw)
		return err
	})
	return rec, err
}
