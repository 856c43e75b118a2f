package read

import (
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// ByteOrderMark is the prefix that some editors write to UTF-8 files.
const ByteOrderMark = "\ufeff"

// ErrNoRecord is returned by a decode function for input that is no record and must be passed over.
var ErrNoRecord = errors.New("no record")

// Decoded returns an Input that yields the result of decode for each record of in.
func Decoded[R, I any](in Input[R], decode func(rec R) (I, error)) Input[I] {
	return func(s *Reader, yield func([]I) error) error {
		return in(s, (&decoder[R, I]{s: s, decode: decode, yield: yield}).batch)
	}
}

// decoder is one reader of a Decoded input.
type decoder[R, I any] struct {
	s      *Reader
	decode func(rec R) (I, error)
	yield  func([]I) error
	recs   []I // decoded records
}

// batch decodes raw records and yields the results: first those before one that cannot be decoded.
func (d *decoder[R, I]) batch(raw []R) error {
	s, first := d.s, d.s.Batch
	for at := 0; at < len(raw); {
		d.recs = d.recs[:0]
		failed := fault.Recovered(func() error { return d.all(raw[at:], first+at) })
		s.Batch = first + at
		if err := d.yield(d.recs); err != nil {
			return err
		}
		if at += len(d.recs); failed == nil {
			continue
		}
		s.Now = first + at
		if at++; !errors.Is(failed, ErrNoRecord) {
			if err := s.BadRecord(failed); err != nil {
				return err
			}
		}
	}
	return nil
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

// FlatMapped returns an Input that yields what split emits for each record of in, with the Place of
// that record.
func FlatMapped[R, I any](in Input[R], split func(rec R, emit func(I)) error) Input[I] {
	return func(s *Reader, yield func([]I) error) error {
		var recs []I // of one record of in
		emit := func(rec I) { recs = append(recs, rec) }
		return in(s, func(raw []R) error {
			for i, first := 0, s.Batch; i < len(raw); i++ {
				recs, s.Now = recs[:0], first+i
				if err := fault.Recovered(func() error { return split(raw[i], emit) }); err != nil {
					recs = recs[:0]
					if err := s.BadRecord(err); err != nil {
						return err
					}
				}
				s.Batch = first + i
				for j := range recs {
					if err := yield(recs[j : j+1]); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}
