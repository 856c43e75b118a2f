package actors

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

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
