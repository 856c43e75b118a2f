package mapreduce

import (
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Feed is an input with the map that belongs to it: one of several whose pairs meet in the same
// reduces. Make it with From or By, and give it to Feeds or a join.
type Feed[K, V any] struct {
	sources []Source
	plans   []cluster.InputPlan // by source
	read    func(s *splitReader, yield func(Fed[K, V]) error) error
	keyed   *KeptBy[K, V] // of KeptBy.Feed
}

// Fed is a record of one of several feeds, which knows its map. It is valid until the call of Map that
// it is given to returns.
type Fed[K, V any] struct {
	apply func(t *Task, emit func(K, V)) error
}

// From is a feed of what a map emits for the records of an input, as Job.Map would. The map is told of
// its task.
func From[I, K, V any](in Input[I], toPairs func(t *Task, rec I, emit func(K, V)) error) Feed[K, V] {
	sources, plans, read := in.sources, in.bySource(), in.read
	return Feed[K, V]{sources: sources, plans: plans, read: func(s *splitReader, yield func(Fed[K, V]) error) error {
		var rec I // at hand; a record a closure would cost memory
		fed := Fed[K, V]{apply: func(t *Task, emit func(K, V)) error {
			if t.records != nil {
				return toPairs(t, lenderOf[I](t.records, isByte)(rec), emit)
			}
			return toPairs(t, rec, emit)
		}}
		return read(s, func(r I) error {
			rec = r
			return yield(fed)
		})
	}}
}

// By is a feed of the records of an input themselves, each under its key.
func By[K, V any](in Input[V], key func(rec V) K) Feed[K, V] {
	return From(in, func(_ *Task, rec V, emit func(K, V)) error {
		emit(key(rec), rec)
		return nil
	})
}

// Feeds is the input of a job over several feeds, whose sources come one after the other. The job needs
// no Map: that of each record is its feed's. Values of a key come in the order of the feeds, and within one in that of its records.
func Feeds[K, V any](feeds ...Feed[K, V]) Input[Fed[K, V]] {
	in := Input[Fed[K, V]]{plans: []cluster.InputPlan{}, fed: func(t *Task) (Mapper[Fed[K, V], K, V], error) {
		return Mapper[Fed[K, V], K, V]{Map: func(rec Fed[K, V], emit func(K, V)) error { return rec.apply(t, emit) }}, nil
	}}
	var of []int // feed by source
	for i, f := range feeds {
		if len(f.sources) == 0 {
			in.plan.Wrong = fmt.Errorf("%w: feed %d has no sources", input.ErrNoSources, i+1)
		}
		in.sources = append(in.sources, f.sources...)
		in.plans = append(in.plans, f.plans...)
		of = append(of, slices.Repeat([]int{i}, len(f.sources))...)
	}
	feeds = slices.Clone(feeds)
	in.read = func(s *splitReader, yield func(Fed[K, V]) error) error {
		return feeds[of[s.split.Source]].read(s, yield)
	}
	return in
}
