package read

import (
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Sequence returns an Input of the records of an iterator. Each map attempt ranges over all of it.
// A second pass is valid only if the iterator has restarted. To verify that, such a pass checks at
// its end that the iterator can restart once more: one that can be read only once is exhausted by
// then.
func Sequence[I any](seq iter.Seq2[I, error]) Input[I] {
	used := new(atomic.Bool) // a pass has started, unless it has ended without records
	return func(s *Reader, yield func([]I) error) error {
		again := used.Swap(true)
		records, err := EachOf(s, func() iter.Seq2[I, error] { return seq }, 0, Singly(yield))
		if err != nil {
			return err
		}
		if again && !begins(seq) {
			return fmt.Errorf("sequence: %w: it was ranged over before, for another attempt or as the sample of a total "+
				"order, and does not begin anew; this time it gave %d records", fault.ErrConsumed, records)
		}
		if !again && records == 0 {
			used.Store(false)
		}
		return s.Tick(0)
	}
}

// begins reports whether the iterator, started again, has a first record.
func begins[I any](seq iter.Seq2[I, error]) bool {
	for _, err := range seq {
		return err == nil
	}
	return false
}

// EachOf passes the records of an iterator, which open returns, to yield; their offsets count from
// first. It returns their number. open and the iterator are user code.
func EachOf[I any](s *Reader, open func() iter.Seq2[I, error], first int64, yield func(I) error) (records int, err error) {
	s.Ordinal = true
	err = fault.ErrExited
	defer s.PlacePanic(&err)
	seq := open()
	if seq == nil {
		return 0, fault.Permanent(fmt.Errorf("%s: a nil sequence of records", s.Source.Name()))
	}
	for rec, err := range seq {
		if err != nil {
			return records, fmt.Errorf("%s: after %d records: %w", s.Source.Name(), records, err)
		}
		s.At = first + int64(records)
		records++
		if err := yield(rec); err != nil {
			return records, err
		}
	}
	return records, nil
}
