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
	first, mapping := d.s.Batch, false
	defer func() {
		if mapping { // the map has panicked
			d.number += int64(d.s.Now - d.s.Batch + 1)
		}
		d.s.Batch = first
	}()
	for at := 0; at < len(raw); {
		d.recs = d.recs[:0]
		failed := fault.Recovered(func() error { return d.all(raw[at:], first+at) })
		d.s.Batch = first + at
		mapping = true
		n, err := d.yield(d.recs)
		mapping = false
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

// all sets recs to the results for the records of raw, up to the first that cannot be decoded; the
// first has index first in its batch.
func (d *decoder[R, I]) all(raw []R, first int) error {
	for i, r := range raw {
		d.s.Now = first + i
		rec, err := d.decode(r)
		if err != nil {
			return err
		}
		d.recs = append(d.recs, rec)
	}
	return nil
}
