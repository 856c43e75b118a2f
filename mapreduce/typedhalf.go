package mapreduce

import (
	"errors"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// typedJob has the user's functions of a bound job, and the loops that call them per record or
// pair. It is compiled for each job, so all code that does not need the types is in boundJob.
type typedJob[I, K, V, O any] struct {
	job   *Job[I, K, V, O]
	in    Input[I]
	watch *watch.State
}

// The errors for an invalid result of the user's MapTask or ReduceTask.
var (
	errNoMap    = Permanent(errors.New("MapTask returned a Mapper without Map"))
	errNoFilter = Permanent(errors.New("MapTask returned a Filter without Map"))
	errNoReduce = Permanent(errors.New("ReduceTask must return a Reducer with either Reduce or Pairs"))
)

//go:noinline
func (b *typedJob[I, K, V, O]) emitToPointers(put func(key, value memory.Pointer)) any {
	pair := new(Pair[K, V])
	return func(k K, v V) {
		pair.First, pair.Second = k, v
		put(memory.Raw(unsafe.Pointer(&pair.First)), memory.Raw(unsafe.Pointer(&pair.Second)))
	}
}

//go:noinline
func (b *typedJob[I, K, V, O]) emitFromPointers(emit any) func(key, value memory.Pointer) {
	to := emit.(func(K, V))
	return func(key, value memory.Pointer) { to(*(*K)(key.Raw()), *(*V)(value.Raw())) }
}

func (b *typedJob[I, K, V, O]) combine() (f any, fold combine.Fold) {
	return &b.job.Combine, combine.FoldOf(b.job.Combine)
}

func (b *typedJob[I, K, V, O]) table(t *combine.Table, put func(key memory.Pointer)) any {
	return combine.Emit[K, V](t, put)
}

func (b *typedJob[I, K, V, O]) numberEmit(t *combine.Table, flip uint64) any {
	return combine.EmitNumbers[K](t, flip, b.job.Combine)
}

func (b *typedJob[I, K, V, O]) partition(key memory.Pointer, reduces int) int {
	return b.job.Partition(*(*K)(key.Raw()), reduces)
}

// newBoundMapOnly returns a bound job without reduces.
func newBoundMapOnly[I, O any](j *MapOnly[I, O], in Input[I], out Output[O]) *boundMapOnly {
	b := &boundMapOnly{out: out.outputForm}
	in = in.bare()
	b.start = func(t *Task, w *recordWriter) (mapCode, error) {
		f := Filter[I, O]{Map: j.Map}
		if j.MapTask != nil {
			var err error
			if f, err = j.MapTask(t); err == nil && f.Map == nil {
				err = errNoFilter
			}
			if err != nil {
				return mapCode{}, err
			}
		}
		if t.records = b.WrapMap(t.id, &f.Map, &f.Close); t.records != nil {
			f.lookup = nil
		}
		return filterCode(f, in, w), nil
	}
	return b
}
