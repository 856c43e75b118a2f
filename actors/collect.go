package actors

import (
	"context"
	"errors"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Collect runs a job on a cluster and returns what comes out of it, part by part: the way from one
// step of a program in memory to the next, whose input is a mapreduce.Slice of it. bind ties the
// job to the output that it is given, as in
//
//	counts, err := actors.Collect(ctx, cluster, func(out mapreduce.Output[count]) (*mapreduce.Plan, error) {
//		return job.Bind(in, out)
//	})
//
// The Bind of a join is such a function itself. bind is called again if parts of a [Dataset] that
// the job reads are lost while it runs. All of the output is in memory twice while it is decoded,
// outside of Config.Memory. If ctx ends first, the job is killed; see [JobHandle.WaitOrKill].
func Collect[O any](ctx context.Context, on Runner, bind func(out mapreduce.Output[O]) (*mapreduce.Plan, error)) ([]O, error) {
	var collected *mapreduce.Collected[O]
	err := on.home().runBound(ctx, func() (*mapreduce.Plan, error) {
		collected = new(mapreduce.Collected[O]) // of its own for each run: nobody waits for a late attempt
		return bind(collected.Output())
	}, false)
	if err != nil {
		return nil, err
	}
	return collected.Records()
}

// Fold runs a job that adds up what of makes of each record of an input, by add, which must be
// associative and commutative. Without records it is the zero V. V must be a type that a value of a
// job may have.
func Fold[T, V any](ctx context.Context, on Runner, in mapreduce.Input[T], of func(rec T) V, add func(a, b V) V) (total V, err error) {
	if of == nil || add == nil {
		return total, errors.New("actors: Fold without a function")
	}
	job := mapreduce.Job[T, mapreduce.None, V, mapreduce.Pair[mapreduce.None, V]]{Name: "fold", Combine: add, Reducers: 1}
	if flat(reflect.TypeFor[V]()) {
		job.MapTask = foldTask(of, add)
	} else { // what values point to may change once a record is done with: Combine gets copies
		job.Map = func(rec T, emit func(mapreduce.None, V)) error {
			emit(mapreduce.None{}, of(rec))
			return nil
		}
	}
	list, err := Collect(ctx, on, job.On(in))
	if len(list) > 0 {
		total = list[0].Second
	}
	return total, err
}

// foldTask adds up what a map reads, and emits it once.
func foldTask[T, V any](of func(rec T) V, add func(a, b V) V) func(*mapreduce.Task) (mapreduce.Mapper[T, mapreduce.None, V], error) {
	return func(*mapreduce.Task) (mapreduce.Mapper[T, mapreduce.None, V], error) {
		var total V
		some := false
		return mapreduce.Mapper[T, mapreduce.None, V]{
			Map: func(rec T, _ func(mapreduce.None, V)) error {
				if v := of(rec); some {
					total = add(total, v)
				} else {
					total, some = v, true
				}
				return nil
			},
			Close: func(emit func(mapreduce.None, V)) error {
				if some {
					emit(mapreduce.None{}, total)
				}
				return nil
			},
		}, nil
	}
}

// flat reports whether values of a type point to nothing.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if !flat(f.Type) {
				return false
			}
		}
		return true
	default:
		return t.Kind() <= reflect.Complex128
	}
}
