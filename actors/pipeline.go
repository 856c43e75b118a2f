package actors

import (
	"context"
	"errors"
	"reflect"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Pipeline runs several jobs as one unit; see [Cluster.Pipeline]. It is a [Runner] that releases
// the datasets that [Keep] and [KeepBy] make on it when it ends. Its methods are safe for
// concurrent use.
type Pipeline struct {
	cluster *Cluster

	mu       sync.Mutex
	owned    []*lineage        // in order of creation
	retained map[*lineage]bool // the retained ones among these
	over     bool
}

// Pipeline runs steps, which run jobs, as one unit. The steps run concurrently, so jobs that depend
// on each other belong in one step. The first error or panic cancels the ctx of the other steps,
// which kills jobs that use it and removes their output. When all steps have returned, Pipeline
// releases the datasets made on it; after success it keeps those of [Pipeline.Retain]. It returns
// the first error.
//
// Output that a job has committed to a directory by then stays, even if a later step fails.
func (c *Cluster) Pipeline(ctx context.Context, steps ...func(ctx context.Context, p *Pipeline) error) (err error) {
	p := &Pipeline{cluster: c, retained: map[*lineage]bool{}}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer func() { p.end(err == nil) }()
	var first sync.Once
	var running sync.WaitGroup
	for _, step := range steps {
		running.Go(func() {
			failed := errStepEnded // the error if the step ends its goroutine
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

// Run runs a plan to its end and kills the job if ctx ends first; see [JobHandle.WaitOrKill].
func (p *Pipeline) Run(ctx context.Context, plan *mapreduce.Plan, o SubmitOptions) (Result, error) {
	job, err := p.cluster.Submit(ctx, plan, o)
	if err != nil {
		return Result{}, err
	}
	return job.WaitOrKill(ctx)
}

// Retain keeps a dataset after the pipeline succeeds; the caller must release it.
func (p *Pipeline) Retain(d AnyDataset) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retained[d.origin()] = true
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

// end releases the datasets that are not retained, after a failure all of them.
func (p *Pipeline) end(succeeded bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for _, l := range p.owned {
		if !p.retained[l] || !succeeded {
			l.release()
		}
	}
}

// Iterate calls step repeatedly, first with start and then with the result of the round before,
// until `until` returns true, and returns the last result. until is called after each round,
// numbered from 1, with the round's input and result. Results that have a Release method, such as a
// [*Dataset], are released once the following round has been checked; start stays the caller's. An
// error ends the iteration and releases the results of all rounds.
//
// step must not change its input, nor variables that functions of its jobs read: parts that are
// lost with a node are recomputed round by round from the first on. To cut such a chain short,
// [Load] the result of [Dataset.Collect].
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

// releaseOf returns the Release method of s, or a function that does nothing.
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

// Rounds returns an until function for [Iterate] that ends it after n rounds.
func Rounds[S any](n int) func(ctx context.Context, round int, before, after S) (bool, error) {
	return func(_ context.Context, round int, _, _ S) (bool, error) { return round >= n, nil }
}
