package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/bench"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// live prints the figures that only a running cluster can give.
func live(ctx context.Context, sustained time.Duration, input string) error {
	out := json.NewEncoder(os.Stdout)
	for _, measure := range []func() ([]bench.Figure, error){
		func() ([]bench.Figure, error) { return tinyJobs(ctx, sustained) },
		func() ([]bench.Figure, error) { return emptyTasks(ctx) },
		func() ([]bench.Figure, error) { return manyNodes(ctx, input) },
		func() ([]bench.Figure, error) { return roundsOnData(ctx) },
	} {
		figures, err := measure()
		if err != nil {
			return err
		}
		for _, f := range figures {
			if err := out.Encode(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// emptyTasks measures one job of 100,000 map tasks that do nothing.
func emptyTasks(ctx context.Context) (figures []bench.Figure, err error) {
	const tasks = 100_000
	// one record a block, so one record a task
	cluster, err := actors.Start(actors.Config{BlockSize: 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	job := mapreduce.MapOnly[int, int]{
		Name: "empty tasks", Map: func(int, func(int)) error { return nil },
	}
	var result mapreduce.Collected[int]
	plan, err := job.Bind(mapreduce.Slice(make([]int, tasks)), result.Output())
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := finish(ctx, cluster, plan); err != nil {
		return nil, err
	}
	perTask := float64(time.Since(start).Microseconds()) / tasks
	return []bench.Figure{{Name: bench.EmptyTask, Value: perTask, Unit: "µs"}}, nil
}

// manyNodes measures how many times as long WordCount takes on 40 nodes in 4 racks, where 2
// attempts compute at a time, as on one node with 2 slots.
func manyNodes(ctx context.Context, input string) ([]bench.Figure, error) {
	const rounds, slots = 5, 2
	var ratios []float64
	for range rounds {
		one, err := timeWordCount(ctx, input, actors.Config{MapSlots: slots, ReduceSlots: slots})
		if err != nil {
			return nil, err
		}
		many, err := timeWordCount(ctx, input, actors.Config{
			Nodes: 40, Racks: 4, MapSlots: 1, ReduceSlots: 1, Parallelism: slots,
		})
		if err != nil {
			return nil, err
		}
		ratios = append(ratios, many.Seconds()/one.Seconds())
	}
	return []bench.Figure{
		{Name: bench.ManyNodes, Value: bench.Summarize(ratios).Median, Unit: "times"},
	}, nil
}

// timeWordCount returns the time from the submission of WordCount to its end on a running cluster.
func timeWordCount(
	ctx context.Context, input string, c actors.Config,
) (took time.Duration, err error) {
	cluster, err := actors.Start(c)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	source, err := mapreduce.File(input)
	if err != nil {
		return 0, err
	}
	var result mapreduce.Collected[jobs.Count]
	plan, err := jobs.WordCount().Bind(mapreduce.Chunks(source), result.Output())
	if err != nil {
		return 0, err
	}
	start := time.Now()
	err = finish(ctx, cluster, plan)
	return time.Since(start), err
}
