package mapreduce

import (
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// Feed is an input with its own map function. Jobs and joins use several feeds, whose pairs reach
// the same reduces. Make it with From or By, and pass it to Feeds or a join.
type Feed[K, V any] struct {
	sources []Source
	plans   []cluster.InputPlan // one per source
	read    read.Input[TaggedRecord[K, V]]
	keyed   *KeyedDataset[K, V] // set by KeyedDataset.Feed; otherwise nil
}

// TaggedRecord is a record of one of several feeds, with the map function of its feed. It is valid
// until the call of Map that receives it returns.
type TaggedRecord[K, V any] struct {
	apply func(index int, t *Task, emit func(K, V)) error
	index int // number of the record in the current batch
}

// taggedBatches tags the records of in. apply returns a function that maps record i of *batch.
func taggedBatches[I, K, V any](in read.Input[I], apply func(batch *[]I) func(i int, t *Task, emit func(K, V)) error) read.Input[TaggedRecord[K, V]] {
	return func(s *read.Reader, yield func([]TaggedRecord[K, V]) error) error {
		var now []I
		var feds []TaggedRecord[K, V]
		one := apply(&now)
		return in(s, func(batch []I) error {
			for len(feds) < len(batch) {
				feds = append(feds, TaggedRecord[K, V]{apply: one, index: len(feds)})
			}
			now = batch
			return yield(feds[:len(batch)])
		})
	}
}

// From returns a feed of the pairs that toPairs emits for the records of in. toPairs is like
// Job.Map, but also gets the task.
func From[I, K, V any](in Input[I], toPairs func(t *Task, rec I, emit func(K, V)) error) Feed[K, V] {
	feds := taggedBatches(in.read, func(batch *[]I) func(i int, t *Task, emit func(K, V)) error {
		return func(i int, t *Task, emit func(K, V)) error {
			if t.records != nil {
				return toPairs(t, watch.Copier[I](t.records, watch.Bytes)((*batch)[i]), emit)
			}
			return toPairs(t, (*batch)[i], emit)
		}
	})
	return Feed[K, V]{sources: in.sources, plans: in.bySource(), read: feds}
}

// By returns a feed of the records of in, each as the value of its key.
func By[K, V any](in Input[V], key func(rec V) K) Feed[K, V] {
	return From(in, func(_ *Task, rec V, emit func(K, V)) error {
		emit(key(rec), rec)
		return nil
	})
}

// Feeds returns the input of a job over several feeds. The job needs no Map: each feed has its own.
// The values of a key are in the order of the feeds, and within a feed in the order of its records.
func Feeds[K, V any](feeds ...Feed[K, V]) Input[TaggedRecord[K, V]] {
	in := Input[TaggedRecord[K, V]]{plans: []cluster.InputPlan{}, fed: func(t *Task) (Mapper[TaggedRecord[K, V], K, V], error) {
		return Mapper[TaggedRecord[K, V], K, V]{Map: func(rec TaggedRecord[K, V], emit func(K, V)) error { return rec.apply(rec.index, t, emit) }}, nil
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
	in.read = func(s *read.Reader, yield func([]TaggedRecord[K, V]) error) error {
		return feeds[of[s.Split.Source]].read(s, yield)
	}
	return in
}
