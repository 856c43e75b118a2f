package actors

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"reflect"
	"syscall"
	"time"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// Collect runs a job on a cluster and returns its output records, part by part. Use it in programs
// that compute in memory: a mapreduce.Slice of the result is the input of the next job. bind binds
// the job to the output that it is given, as in
//
//	counts, err := actors.Collect(ctx, cluster, func(out mapreduce.Output[count]) (*mapreduce.Plan, error) {
//		return job.Bind(in, out)
//	})
//
// The Bind of a join is such a function itself. Collect calls bind again if parts of a [Dataset]
// that the job reads are lost while it runs. While it is decoded, the whole output is in memory
// twice, outside of Config.Memory. If ctx ends first, the job is killed; see [RunOn].
func Collect[O any](ctx context.Context, on Runner, bind func(out mapreduce.Output[O]) (*mapreduce.Plan, error)) ([]O, error) {
	var collected *mapreduce.Collected[O]
	err := on.home().runBound(ctx, func() (*mapreduce.Plan, error) {
		collected = new(mapreduce.Collected[O]) // one per run: late attempts may write to an earlier one
		return bind(collected.Output())
	}, false)
	if err != nil {
		return nil, err
	}
	return collected.Records()
}

// Fold runs a job that applies of to each record of an input and combines the results with add,
// which must be associative and commutative. It returns the zero V if there are no records. V must
// be a type that can be a job's value.
func Fold[T, V any](ctx context.Context, on Runner, in mapreduce.Input[T], of func(rec T) V, add func(a, b V) V) (total V, err error) {
	if of == nil || add == nil {
		return total, errors.New("actors: Fold without a function")
	}
	list, err := Collect(ctx, on, mapreduce.Job[T, mapreduce.None, V, mapreduce.Pair[mapreduce.None, V]]{
		Name: "fold", MapTask: foldTask(of, add), Combine: add, Reducers: 1,
	}.Over(in))
	if len(list) > 0 {
		total = list[0].Second
	}
	return total, err
}

// foldTask returns a map that folds its records and emits the total once. If V has pointers, they
// may point into a record, which may be reused: then it emits each value, which Combine copies.
func foldTask[T, V any](of func(rec T) V, add func(a, b V) V) func(*mapreduce.Task) (mapreduce.Mapper[T, mapreduce.None, V], error) {
	return func(*mapreduce.Task) (mapreduce.Mapper[T, mapreduce.None, V], error) {
		var total V
		some, alone := false, flat(reflect.TypeFor[V]())
		return mapreduce.Mapper[T, mapreduce.None, V]{
			Map: func(rec T, emit func(mapreduce.None, V)) error {
				switch v := of(rec); {
				case !alone:
					emit(mapreduce.None{}, v)
				case some:
					total = add(total, v)
				default:
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

// flat reports whether values of type t have no pointers, so that a copy shares no memory.
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
// killed and the error wraps [ErrJobKilled], ctx's error and its cause. The result has the counters
// of a failed job too, as far as it got.
//
// If the environment variable TARRY_ON names an engine, such as processes:4, the plan runs on that
// engine instead of a cluster of actors. The program must have called Main of package worker; see
// there. From cfg it then uses BlockSize, MaxAttempts, Memory, OwnSignals, SpillDir and TaskTimeout
// only. The first SIGINT or SIGTERM then ends the job at its engine, removes the output and is the
// error; the second one ends the process.
func Run(ctx context.Context, cfg Config, p *mapreduce.Plan) (res Result, err error) {
	if p == nil {
		return Result{}, cluster.ErrNoPlan
	}
	if on := os.Getenv(worker.OnVariable); on != "" || worker.IsWorker() {
		return runElsewhere(ctx, &cfg, p, on)
	}
	cluster, err := Start(cfg)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	return RunOn(ctx, cluster, p, SubmitOptions{})
}

// RunOn runs a plan on a cluster to its end. If ctx ends first, it kills the job and waits for its
// end; the error then wraps [ErrJobKilled], ctx's error and its cause. Without a cluster (see
// [Runner]) it uses Reduces and MaxSkips of o only.
func RunOn(ctx context.Context, on Runner, p *mapreduce.Plan, o SubmitOptions) (Result, error) {
	if on.home() == nil {
		return runLocal(ctx, p, o)
	}
	job, err := on.home().Submit(ctx, p, o)
	if err != nil {
		return Result{}, err
	}
	return job.waitOrKill(ctx)
}

// runLocal runs a plan without a cluster.
func runLocal(ctx context.Context, p *mapreduce.Plan, o SubmitOptions) (res Result, err error) {
	if p == nil {
		return res, cluster.ErrNoPlan
	}
	began := time.Now()
	local := mapreduce.LocalOptions{Reduces: o.Reduces, MaxSkips: o.MaxSkips, Skipped: &res.Skipped}
	res.Counters, err = mapreduce.RunLocal(ctx, p, local)
	return outcomeOf(res, p, began, err)
}

// outcomeOf returns the result of a job that has run without a cluster of actors.
func outcomeOf(res Result, p *mapreduce.Plan, began time.Time, err error) (Result, error) {
	res.ID, res.Name, res.State = 1, p.Job().Name, scheduling.JobSucceeded
	if res.Elapsed, res.Err = time.Since(began), err; err != nil {
		res.State = scheduling.JobFailed
	}
	return res, err
}

// runElsewhere runs a plan on an external engine. In a worker process of such an engine, it runs
// the worker's one task instead.
func runElsewhere(ctx context.Context, cfg *Config, p *mapreduce.Plan, on string) (res Result, err error) {
	if !cfg.OwnSignals && !worker.IsWorker() {
		var stop func()
		ctx, stop = untilSignal(ctx)
		defer stop()
	}
	began := time.Now()
	if worker.IsWorker() {
		res.Counters, err = worker.Serve(ctx, p)
	} else {
		res.Counters, err = worker.Submit(ctx, p, worker.Options{
			On: on, BlockSize: cfg.BlockSize, MaxAttempts: cfg.MaxAttempts, Memory: cfg.Memory, SpillDir: cfg.SpillDir,
			TaskTimeout: cfg.TaskTimeout, Log: os.Stderr,
		})
	}
	return outcomeOf(res, p, began, err)
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM, except one that the
// process ignores, as under nohup. The next one ends the process.
func untilSignal(ctx context.Context) (context.Context, func()) {
	var list []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return ctx, func() {}
	}
	ctx, stop := signal.NotifyContext(ctx, list...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
