package mapreduce

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/run"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// Feed is an input with its own map function. Jobs and joins use several feeds, whose pairs reach
// the same reduces. Make it with From or Keyed, and pass it to Feeds or a join.
type Feed[K, V any] struct {
	sources []Source
	plans   []cluster.InputPlan // one per source
	start   startFeed[K, V]
	keyed   *KeyedDataset[K, V] // set by KeyedDataset.Feed; otherwise nil
}

// startFeed starts the map function of a feed for a file.
type startFeed[K, V any] func(t *task.Task, emit func(K, V), s *watch.State) (run.MapCode, error)

// TaggedRecord is the record type of [Feeds]: a record of one of them, which only the map function
// of that feed receives.
type TaggedRecord[K, V any] struct{}

// From returns a feed of the pairs that toPairs emits for the records of in. toPairs is like
// Job.Map, but also gets the task.
func From[I, K, V any](in Input[I], toPairs func(t *Task, rec I, emit func(K, V)) error) Feed[K, V] {
	records := in.read
	start := func(t *task.Task, emit func(K, V), s *watch.State) (run.MapCode, error) {
		user := &Task{of: t}
		m := run.UserMap[I, func(K, V)]{Map: func(rec I, emit func(K, V)) error { return toPairs(user, rec, emit) }}
		return run.CodeOf(t, records, m, emit, s)
	}
	return Feed[K, V]{sources: in.sources, plans: in.bySource(), start: start}
}

// Keyed returns a feed of the records of in, each as the value of its key.
func Keyed[K, V any](in Input[V], key func(rec V) K) Feed[K, V] {
	return From(in, func(_ *Task, rec V, emit func(K, V)) error {
		emit(key(rec), rec)
		return nil
	})
}

// errFeeds is the error of a job that has its own Map for the records of feeds.
var errFeeds = Permanent(errors.New("mapreduce: the records of Feeds are mapped by their feeds: leave Map and MapTask nil"))

// Feeds returns the input of a job over several feeds. The job has no Map: each feed has its own.
// The values of a key are in the order of the feeds, and within a feed in the order of its records.
func Feeds[K, V any](feeds ...Feed[K, V]) Input[TaggedRecord[K, V]] {
	in := Input[TaggedRecord[K, V]]{plans: []cluster.InputPlan{}}
	var starts []startFeed[K, V] // by source
	for i, f := range feeds {
		if len(f.sources) == 0 {
			in.plan.Wrong = fmt.Errorf("%w: feed %d has no sources", input.ErrNoSources, i+1)
		}
		in.sources = append(in.sources, f.sources...)
		in.plans = append(in.plans, f.plans...)
		starts = append(starts, slices.Repeat([]startFeed[K, V]{f.start}, len(f.sources))...)
	}
	in.fed = startFeed[K, V](func(t *task.Task, emit func(K, V), s *watch.State) (run.MapCode, error) {
		return starts[t.Source](t, emit, s)
	})
	in.read = func(*read.Reader, func([]TaggedRecord[K, V]) error) error { return errFeeds }
	return in
}
