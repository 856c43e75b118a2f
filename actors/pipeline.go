package actors

import (
	"context"
	"errors"
	"reflect"
	"sync"
)

// Pipeline runs several jobs as one unit; see [Cluster.Pipeline]. It is a [Runner] that releases
// the datasets that [Keep] and [KeepBy] make on it when it ends. Its methods are safe for
// concurrent use. A new one has no cluster and no end: it runs jobs by [mapreduce.RunLocal], and
// its datasets live until [Dataset.Release].
type Pipeline struct {
	cluster *Cluster
	made    datasets
}

// Pipeline runs steps, which run jobs, as one unit. The steps run concurrently, so jobs that depend
// on each other belong in one step. The first error or panic cancels the ctx of the other steps,
// which kills jobs that use it and removes their output. When all steps have returned, Pipeline
// releases its datasets, except retained ones ([Dataset.Retain]) after success. It returns the
// first error.
//
// Output that a job has committed to a directory by then stays, even if a later step fails.
func (c *Cluster) Pipeline(ctx context.Context, steps ...func(ctx context.Context, p *Pipeline) error) (err error) {
	p := &Pipeline{cluster: c}
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

func (p *Pipeline) home() *Cluster { return p.cluster }

// adopt makes the pipeline release a dataset when it ends.
func (p *Pipeline) adopt(l *lineage) {
	if p.made.add(l) != nil {
		l.release()
	}
}

// end releases the pipeline's datasets: all after a failure, otherwise those not retained.
func (p *Pipeline) end(succeeded bool) {
	for _, l := range p.made.close() {
		if !l.retained.Load() || !succeeded {
			l.release()
		}
	}
}

// Iterate calls step for at most the given number of rounds, first with start and then with the
// result of the round before, and returns the last result, or start without rounds. enough, if not
// nil, ends it earlier: it is called between two rounds, with the input and the result of the round
// that has ended. Rounds are numbered from 1. Results that have a Release method, such as a
// [*Dataset], are released once the following round has been checked; start stays the caller's. An
// error ends the iteration and releases the results of all rounds.
//
// step must not change its input, nor variables that functions of its jobs read: parts that are
// lost with a node are recomputed round by round from the first on. To cut such a chain short,
// [Load] the result of [Dataset.Collect].
func Iterate[S any](ctx context.Context, start S, rounds int,
	step func(ctx context.Context, round int, s S) (S, error),
	enough func(ctx context.Context, round int, before, after S) (bool, error),
) (_ S, err error) {
	var zero S
	now, release := start, func() {} // release frees now, unless it is start
	defer func() {
		if err != nil {
			release()
		}
	}()
	for round := 1; round <= rounds; round++ {
		if ctx.Err() != nil {
			return zero, ending(ctx)
		}
		next, err := step(ctx, round, now)
		if err != nil {
			return zero, err
		}
		done := false
		if enough != nil && round < rounds {
			done, err = enough(ctx, round, now, next)
		}
		if !same(now, next) {
			release()
			release = releaseOf(next)
		}
		if now = next; err != nil {
			return zero, err
		}
		if done {
			break
		}
	}
	return now, nil
}

type releaser interface{ Release() }

// releaseOf returns the Release method of s, or a function that does nothing.
func releaseOf(s any) func() {
	if d, ok := s.(releaser); ok {
		return d.Release
	}
	return func() {}
}

// same reports whether a and b are the same data: a step may return its input.
func same(a, b any) bool {
	_, ok := a.(releaser)
	return ok && reflect.TypeOf(a).Comparable() && a == b
}
