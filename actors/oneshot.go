package actors

import (
	"context"
	"errors"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Run starts a cluster, runs one plan on it and stops the cluster. If ctx ends first, the job is
// killed: the error then wraps [ErrJobKilled], ctx's error and its cause. The result's counters are
// there also when the job failed, as far as it went.
func Run(ctx context.Context, cfg Config, p *mapreduce.Plan) (res Result, err error) {
	if p == nil {
		return Result{}, mapreduce.ErrNoPlan
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
