package actors

import (
	"context"
	"errors"
	"reflect"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Pipeline is jobs as one unit; see [Cluster.Pipeline]. It is a [Runner]: datasets that [Keep] and
// [KeepBy] make on it are released with its end. Its methods are safe for concurrent use.
type Pipeline struct {
	cluster *Cluster

	mu    sync.Mutex
	owned []*lineage        // in the order in which they were made
	left  map[*lineage]bool // of these, what is retained
	over  bool
}

// Pipeline runs steps, which run jobs, as one unit. The steps run at the same time, so what depends
// on one another is one step. The first error, or panic, ends the ctx of the others: jobs that were
// given it are killed and their output is removed. When all steps have returned, the datasets that
// were made on the pipeline are released, but after success those of [Pipeline.Retain]. The error
// is the first one.
//
// What a job has committed to a directory by then stays: a step after it cannot take it back.
func (c *Cluster) Pipeline(ctx context.Context, steps ...func(ctx context.Context, p *Pipeline) error) (err error) {
	p := &Pipeline{cluster: c, left: map[*lineage]bool{}}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer func() { p.end(err == nil) }()
	var first sync.Once
	var running sync.WaitGroup
	for _, step := range steps {
		running.Go(func() {
			failed := errStepEnded // what stands if the step ends its goroutine
			defer func() {
				if failed != nil {
					first.Do(func() {
						err = failed
						cancel(failed)
					})
				}
			}()
			failed = recovered(func() error { return step(ctx, p) })
		})
	}
	running.Wait()
	if err == nil && len(steps) > 0 && ctx.Err() != nil {
		err = ending(ctx)
	}
	return err
}

var errStepEnded = errors.New("actors: a step of a pipeline ended its goroutine (runtime.Goexit, as t.Fatal does)")

// Run runs a plan to its end, killed if ctx ends first; see [JobHandle.WaitOrKill].
func (p *Pipeline) Run(ctx context.Context, plan *mapreduce.Plan, o SubmitOptions) (Result, error) {
	job, err := p.cluster.Submit(ctx, plan, o)
	if err != nil {
		return Result{}, err
	}
	return job.WaitOrKill(ctx)
}

// Retain leaves a dataset of the pipeline to the caller, if the pipeline succeeds: then it stays
// until it is released.
func (p *Pipeline) Retain(d AnyDataset) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left[d.origin()] = true
}

func (p *Pipeline) home() *Cluster { return p.cluster }

// adopt makes the pipeline the owner of a dataset.
func (p *Pipeline) adopt(l *lineage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		l.release()
		return
	}
	p.owned = append(p.owned, l)
}

// end releases what is not retained; all of it after a failure.
func (p *Pipeline) end(succeeded bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for _, l := range p.owned {
		if !p.left[l] || !succeeded {
			l.release()
		}
	}
}

// Iterate makes data of start by step, again and again, until says that it is enough: it is asked
// after each round, from 1, with what that began with and what it has made, which is then returned.
// Data that has a Release method, such as a [*Dataset], is released once the round after it has
// been asked about; start is the caller's. After an error, which ends it, all data of the rounds is
// released.
//
// step must not change what it is given, nor a variable that functions of its jobs look at: what
// nodes take along is made again from round to round, from the first on. To cut a long row of
// rounds short, [Load] what [Dataset.Collect] returns.
func Iterate[S any](ctx context.Context, start S, step func(ctx context.Context, round int, s S) (S, error),
	until func(ctx context.Context, round int, before, after S) (bool, error),
) (S, error) {
	var zero S
	before := start
	owned := func() {} // releases before, unless it is start
	for round := 1; ; round++ {
		if ctx.Err() != nil {
			owned()
			return zero, ending(ctx)
		}
		after, err := step(ctx, round, before)
		if err != nil {
			owned()
			return zero, err
		}
		enough, err := until(ctx, round, before, after)
		release := releaseOf(after)
		if same(before, after) {
			release = owned
		} else {
			owned()
		}
		if err != nil {
			release()
			return zero, err
		}
		if enough {
			return after, nil
		}
		before, owned = after, release
	}
}

type releaser interface{ Release() }

// releaseOf is the Release of data that has one.
func releaseOf(s any) func() {
	if d, ok := s.(releaser); ok {
		return d.Release
	}
	return func() {}
}

// same reports whether a step has returned the data that it was given.
func same(a, b any) bool {
	_, ok := a.(releaser)
	return ok && reflect.TypeOf(a).Comparable() && a == b
}

// Rounds is an until of [Iterate] that ends it after n rounds.
func Rounds[S any](n int) func(ctx context.Context, round int, before, after S) (bool, error) {
	return func(_ context.Context, round int, _, _ S) (bool, error) { return round >= n, nil }
}
