package mapreduce

import (
	"errors"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/run"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// typedJob has the user's functions of a bound job, and the loops that call them per record or
// pair. It is compiled for each job, so all code that does not need the types is in run.Job.
type typedJob[I, K, V, O any] struct {
	job   *Job[I, K, V, O]
	read  read.Input[I]
	feeds startFeed[K, V] // of Feeds; otherwise nil
	watch *watch.State
}

// errNoReduce is the error for an invalid result of the user's ReduceTask.
var errNoReduce = Permanent(errors.New("ReduceTask must return a Reducer with either Reduce or Pairs"))

func (b *typedJob[I, K, V, O]) StartMap(t *task.Task, emit any) (code run.MapCode, err error) {
	m := Mapper[I, K, V]{Map: b.job.Map}
	if b.feeds != nil && m.Map == nil && b.job.MapTask == nil {
		return b.feeds(t, emit.(func(K, V)), b.watch)
	}
	if b.job.MapTask != nil {
		if m, err = b.job.MapTask(&Task{of: t}); err != nil {
			return code, err
		}
	}
	return run.CodeOf(t, b.read, run.UserMap[I, func(K, V)](m), emit.(func(K, V)), b.watch)
}

//go:noinline
func (b *typedJob[I, K, V, O]) EmitToPointers(put func(key, value memory.Pointer)) any {
	pair := new(Pair[K, V])
	key, value := memory.Raw(unsafe.Pointer(&pair.First)), memory.Raw(unsafe.Pointer(&pair.Second))
	return func(k K, v V) {
		pair.First, pair.Second = k, v
		put(key, value)
	}
}

//go:noinline
func (b *typedJob[I, K, V, O]) EmitFromPointers(emit any) func(key, value memory.Pointer) {
	to := emit.(func(K, V))
	return func(key, value memory.Pointer) { to(*(*K)(key.Raw()), *(*V)(value.Raw())) }
}

func (b *typedJob[I, K, V, O]) Combine() (f any, fold combine.Fold) {
	return &b.job.Combine, combine.FoldOf(b.job.Combine)
}

func (b *typedJob[I, K, V, O]) Table(t *combine.Table, put func(key memory.Pointer)) any {
	return combine.Emit[K, V](t, put)
}

func (b *typedJob[I, K, V, O]) NumberEmit(t *combine.Table, flip uint64) any {
	return combine.EmitNumbers[K](t, flip, b.job.Combine)
}

func (b *typedJob[I, K, V, O]) Partition(key memory.Pointer, reduces int) int {
	return b.job.Partition(*(*K)(key.Raw()), reduces)
}

// newBoundMapOnly returns a bound job without reduces.
func newBoundMapOnly[I, O any](j MapOnly[I, O], in Input[I], out Output[O]) *run.MapOnly {
	b, all := &run.MapOnly{Out: out.form}, in.read
	b.Start = func(t *task.Task, w *write.Writer) (code run.MapCode, err error) {
		f := Filter[I, O]{Map: j.Map}
		if j.MapTask != nil {
			if f, err = j.MapTask(&Task{of: t}); err != nil {
				return code, err
			}
		}
		records := all
		if f.lookup != nil {
			records = func(r *read.Reader, yield func([]I) error) error {
				return all(r, func(batch []I) error {
					if t.Records == nil && r.Skips == nil {
						f.lookup(batch)
					}
					return yield(batch)
				})
			}
		}
		return run.CodeOf(t, records, run.UserMap[I, func(O)]{Map: f.Map, Close: f.Close}, write.EmitTo[O](w), &b.State)
	}
	return b
}
