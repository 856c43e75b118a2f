package read

import (
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Sequence returns an Input of the records of an iterator. Each map attempt ranges over all of it.
func Sequence[I any](seq iter.Seq2[I, error]) Input[I] { return (&sequence[I]{seq: seq}).read }

// sequence is the iterator behind a Sequence, and whether an attempt has read it.
type sequence[I any] struct {
	seq iter.Seq2[I, error]
	// used is set if a pass has started, unless it has ended without records.
	used atomic.Bool
}

// read is the Input: it yields all records. A second pass is valid only if the iterator has
// restarted. To verify that, read checks at the end that it can restart once more: one that can be
// read only once is exhausted by then.
func (q *sequence[I]) read(s *Reader, yield func([]I) (int, error)) error {
	again := q.used.Swap(true)
	records := 0
	s.Ordinal = true
	err := s.MapOne(nil, func() (err error) {
		records, err = EachOf(s, q.seq, 0, Singly(yield))
		return err
	})
	if err != nil {
		return err
	}
	if again && !q.begins() {
		return fmt.Errorf("sequence: %w: it was ranged over before, for another attempt or as the sample of a total "+
			"order, and does not begin anew; this time it gave %d records", fault.ErrConsumed, records)
	}
	if !again && records == 0 {
		q.used.Store(false)
	}
	return s.Tick(0)
}

// begins reports whether the iterator, started again, has a first record.
func (q *sequence[I]) begins() bool {
	for _, err := range q.seq {
		return err == nil
	}
	return false
}

// EachOf passes an iterator's records to yield; offsets count from first. It returns their number.
func EachOf[I any](s *Reader, seq iter.Seq2[I, error], first int64, yield func(I) error) (records int, err error) {
	if seq == nil {
		return 0, fault.Permanent(fmt.Errorf("%s: a nil sequence of records", s.Source.Name()))
	}
	for rec, err := range seq {
		if err != nil {
			return records, fmt.Errorf("%s: after %d records: %w", s.Source.Name(), records, err)
		}
		s.At = first + int64(records)
		records++
		if err = yield(rec); err != nil {
			err = s.RecordFailed(err)
		}
		if err != nil {
			return records, err
		}
	}
	return records, nil
}
