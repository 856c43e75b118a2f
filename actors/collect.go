package actors

import (
	"context"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Collect runs a job on a cluster and returns what comes out of it, part by part: the way from one
// step of a program in memory to the next, whose input is a mapreduce.Slice of it. bind ties the job to
// the output that it is given, as in
//
//	counts, err := actors.Collect(ctx, cluster, func(out mapreduce.Output[count]) (*mapreduce.Plan, error) {
//		return job.Bind(in, out)
//	})
//
// The Bind of a join is such a function itself. All of the output is in memory twice while it is
// decoded, outside of Config.Memory. If ctx ends first, the job is killed; see [JobHandle.WaitOrKill].
func Collect[O any](ctx context.Context, c *Cluster, bind func(out mapreduce.Output[O]) (*mapreduce.Plan, error)) ([]O, error) {
	var collected mapreduce.Collected[O]
	plan, err := bind(collected.Output())
	if err != nil {
		return nil, err
	}
	job, err := c.Submit(ctx, plan, SubmitOptions{})
	if err != nil {
		return nil, err
	}
	if _, err := job.WaitOrKill(ctx); err != nil {
		return nil, err
	}
	return collected.Records()
}
