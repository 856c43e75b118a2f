package jobs

import (
	"context"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Runner runs a plan until it ends. Iterative computations take one, so that they run on any
// cluster, or with [mapreduce.RunLocal].
type Runner func(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error)

// collect runs the job that bind returns, and returns its output, part by part, and its counters.
// Encoded and decoded, the output is in memory twice for a while.
func collect[O any](
	ctx context.Context, run Runner, bind func(mapreduce.Output[O]) (*mapreduce.Plan, error),
) ([]O, *counter.Set, error) {
	var out mapreduce.Collected[O]
	plan, err := bind(out.Output())
	if err != nil {
		return nil, nil, err
	}
	counters, err := run(ctx, plan)
	if err != nil {
		return nil, nil, err
	}
	list, err := out.Records()
	return list, counters, err
}
