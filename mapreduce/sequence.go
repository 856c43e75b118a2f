package mapreduce

import (
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Seq yields the records of seq, which one map reads from start to end. A second attempt ranges
// over seq again, and so does the map after the sample of a total order: seq should yield the same
// records each time. If it can be ranged over only once, as a channel, the second pass ends the
// attempt with an error that wraps ErrConsumed; it never yields only some of the records.
func Seq[I any](seq iter.Seq[I]) Input[I] {
	if seq == nil {
		return Seq2[I](nil)
	}
	return Seq2(func(yield func(I, error) bool) {
		for rec := range seq {
			if !yield(rec, nil) {
				return
			}
		}
	})
}

// Seq2 is Seq for records that come with an error: the first non-nil error ends the attempt, and
// its record is ignored.
func Seq2[I any](seq iter.Seq2[I, error]) Input[I] {
	q := &sequence[I]{seq: seq}
	src := input.Of(input.Made(1), "sequence")
	in := Input[I]{sources: []Source{src}, plan: cluster.InputPlan{Whole: true, Sequence: true}, read: q.read}
	if q.seq == nil {
		in.plan.Wrong = errors.New("the input has no sequence: Seq or Seq2 was given nil")
	}
	return in
}

// sequence is an iterator that attempts range over, perhaps several times.
type sequence[I any] struct {
	seq iter.Seq2[I, error]
	// used is set if a pass has started, unless it has ended without records.
	used atomic.Bool
}

// read passes over the sequence. A second pass is valid only if the sequence has restarted. To
// verify that, read checks at the end that it can restart once more: a sequence that can be read
// only once is exhausted by then.
func (q *sequence[I]) read(s *splitReader, yield func([]I) (int, error)) error {
	again := q.used.Swap(true)
	records := 0
	s.ordinal = true
	err := s.mapOne(nil, func() (err error) {
		records, err = eachOf(s, q.seq, 0, singly(yield))
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
	return s.tick(0)
}

// begins reports whether the sequence has a first record.
func (q *sequence[I]) begins() bool {
	for _, err := range q.seq {
		return err == nil
	}
	return false
}
