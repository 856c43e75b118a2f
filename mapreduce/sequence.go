package mapreduce

import (
	"errors"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
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
	src := input.Of(input.Made(1), "sequence")
	in := Input[I]{sources: []Source{src}, plan: cluster.InputPlan{Whole: true, Sequence: true}, read: read.Sequence(seq)}
	if seq == nil {
		in.plan.Wrong = errors.New("the input has no sequence: Seq or Seq2 was given nil")
	}
	return in
}
