package beam

import (
	"context"
	"iter"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tarry-mr/tarry/actors/worker"
)

// init registers the two DoFns of all jobs. A DoFn carries only a job's task description, since the
// job's functions and types exist only in the processes of its tasks.
func init() {
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&MapFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&ReduceFn{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// pipeline returns a job as a Beam pipeline: maps, a grouping of all frames by reduce, reduces.
func pipeline(t *worker.Tasks) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	indexes := make([]int, t.Maps)
	for i := range indexes {
		indexes[i] = i
	}
	splits := beam.Reshuffle(s, beam.CreateList(s, indexes)) // otherwise all maps would run in one bundle
	out := beam.ParDo(s, &MapFn{Tasks: *t}, splits)
	if t.Reduces > 0 {
		beam.ParDo0(s, &ReduceFn{Tasks: *t}, beam.GroupByKey(s, out))
	}
	return p
}

// MapFn is a DoFn that runs a map and emits each frame of its output with the frame's reduce.
type MapFn struct{ Tasks worker.Tasks }

// ProcessElement implements Beam's DoFn.
func (f *MapFn) ProcessElement(ctx context.Context, index int, emit func(int, []byte)) error {
	return f.Tasks.Map(ctx, index, emit)
}

// ReduceFn runs a reduce.
type ReduceFn struct{ Tasks worker.Tasks }

// ProcessElement implements Beam's DoFn.
func (f *ReduceFn) ProcessElement(ctx context.Context, index int, frames func(*[]byte) bool) error {
	return f.Tasks.Reduce(ctx, index, all(frames))
}

// all returns an iterator over the values that a Beam iterator yields.
func all(next func(*[]byte) bool) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			var b []byte
			if !next(&b) || !yield(b) {
				return
			}
		}
	}
}
