package actors

import (
	"context"
	"errors"
	"os"
	"reflect"
	"time"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
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

// Run starts a cluster, runs one plan on it and stops the cluster. If ctx ends first, the job is
// killed: the error then wraps [ErrJobKilled], ctx's error and its cause. The result's counters are
// there also when the job failed, as far as it went.
//
// With the environment variable TARRY_ON, such as processes:4, the plan runs on that engine and not on
// a cluster of actors: see package worker, whose Main the program must have called. Of cfg it then takes BlockSize, MaxAttempts, Memory,
// SpillDir and TaskTimeout.
func Run(ctx context.Context, cfg Config, p *mapreduce.Plan) (res Result, err error) {
	if p == nil {
		return Result{}, cluster.ErrNoPlan
	}
	if on := os.Getenv(worker.OnVariable); on != "" || worker.Asked() {
		return runElsewhere(ctx, &cfg, p, on)
	}
	cluster, err := Start(cfg)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	job, err := cluster.Submit(ctx, p, SubmitOptions{})
	if err != nil {
		return Result{}, err
	}
	return job.WaitOrKill(ctx)
}

// runElsewhere runs a plan on an engine, or, where this process is a worker of one, the task that it is
// there for.
func runElsewhere(ctx context.Context, cfg *Config, p *mapreduce.Plan, on string) (res Result, err error) {
	began := time.Now()
	res = Result{ID: 1, Name: p.Name(), State: scheduling.JobSucceeded}
	if worker.Asked() {
		res.Counters, res.Err = worker.Serve(ctx, p)
	} else {
		res.Counters, res.Err = worker.Submit(ctx, p, worker.Options{
			On: on, BlockSize: cfg.BlockSize, MaxAttempts: cfg.MaxAttempts, Memory: cfg.Memory, SpillDir: cfg.SpillDir,
			TaskTimeout: cfg.TaskTimeout, Log: os.Stderr,
		})
	}
	if res.Elapsed = time.Since(began); res.Err != nil {
		res.State = scheduling.JobFailed
	}
	return res, res.Err
}
