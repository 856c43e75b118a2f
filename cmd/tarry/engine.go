package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// haltGrace is how long running attempts may go on after the first signal.
const haltGrace = 2 * time.Second

// engine runs plans one after the other: on a cluster, or inline.
type engine interface {
	// run runs a plan to its end. Counters are there after errors, too.
	run(ctx context.Context, plan *mapreduce.Plan) (*mapreduce.Counters, error)
	// close stops what runs, and writes what was recorded.
	close() error
}

// startEngine starts what the flags ask for.
func (p *program) startEngine(r *runFlags) (engine, error) {
	if r.inline {
		return &inlineEngine{flags: r}, nil
	}
	policy, err := r.livePolicy()
	if err != nil {
		return nil, err
	}
	rec, err := openRecord(r.events, r.traceOut)
	if err != nil {
		return nil, err
	}
	cfg := actors.Config{
		Policy: policy, Rules: r.files.rules(),
		Nodes: r.nodes, Racks: r.racks, MapSlots: r.mapSlots, ReduceSlots: r.reduceSlots,
		Parallelism: r.parallelism(),
		Replication: r.replication, BlockSize: int64(r.blockSize),
		Network: r.emulated(),
		Memory:  r.memoryBudget(), SpillDir: r.spillDir, Seed: r.seed,
		Events: rec.sink(), Explain: r.events != "",
	}
	cluster, err := actors.Start(cfg)
	if err != nil {
		return nil, errors.Join(configError("%w", err), rec.close())
	}
	return &clusterEngine{program: p, flags: r, cluster: cluster, record: rec}, nil
}

// livePolicy is the scheduler of a live cluster. Its waits follow the heartbeats, as Hadoop's do, unless flags or files set them.
func (r *runFlags) livePolicy() (scheduling.Policy, error) {
	policy, err := r.policy(r.scheduler)
	if err != nil {
		return policy, err
	}
	if policy.Locality.Rule == scheduling.TimedWait && !r.given("wait") && !r.given("rack-wait") && r.files.parameters == nil {
		policy.Locality.Auto = true
	}
	return policy, r.files.unused(r.scheduler, true)
}

// clusterEngine runs plans on a live cluster.
type clusterEngine struct {
	program *program
	flags   *runFlags
	cluster *actors.Cluster
	record  *record
}

func (e *clusterEngine) run(ctx context.Context, plan *mapreduce.Plan) (*mapreduce.Counters, error) {
	job, err := e.cluster.Submit(ctx, plan, e.flags.submitOptions())
	if err != nil {
		return nil, err
	}
	stop := func() {}
	if !e.flags.quiet && !e.flags.noProgress {
		stop = e.program.showProgress(runBars(), func() progress { return statusOf(job.Progress()).progress() })
	}
	defer stop()
	select {
	case <-job.Done():
	case <-ctx.Done():
		grace, cancel := context.WithTimeout(context.Background(), haltGrace)
		defer cancel()
		if err := e.cluster.Halt(grace); err != nil {
			return nil, err
		}
	}
	res, err := job.Wait(context.WithoutCancel(ctx))
	return res.Counters, err
}

func (e *clusterEngine) close() error {
	return errors.Join(e.cluster.Close(), e.record.close())
}

// inlineEngine runs plans in one goroutine, without a cluster.
type inlineEngine struct {
	flags *runFlags
}

func (e *inlineEngine) run(ctx context.Context, plan *mapreduce.Plan) (*mapreduce.Counters, error) {
	for _, f := range []struct{ name, value string }{{"events", e.flags.events}, {"trace-out", e.flags.traceOut}} {
		if f.value != "" {
			return nil, configError("--%s needs a cluster: not with --inline", f.name)
		}
	}
	c, err := mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{Reduces: e.flags.reduces, Blocks: e.flags.inlineBlocks(plan)})
	if err != nil {
		return c, fmt.Errorf("inline: %w", err)
	}
	return c, nil
}

func (e *inlineEngine) close() error { return nil }

// inlineBlocks cuts sources for a run without a cluster, if a block size is given.
func (r *runFlags) inlineBlocks(plan *mapreduce.Plan) func(int) []mapreduce.Block {
	size := int64(r.blockSize)
	if size == 0 {
		return nil
	}
	return func(source int) []mapreduce.Block {
		var list []mapreduce.Block
		total := plan.Sources()[source].Size()
		for off := int64(0); off < total; off += size {
			list = append(list, mapreduce.Block{Offset: off, Length: min(size, total-off)})
		}
		return list
	}
}
