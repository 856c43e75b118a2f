package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// haltGrace is how long running attempts may go on after the first signal.
const haltGrace = 2 * time.Second

// engine runs plans: on a cluster, or inline.
type engine interface {
	// run runs a plan to its end. Counters are there after errors, too.
	run(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*mapreduce.Counters, error)
	// close stops what runs, and writes what was recorded.
	close() error
}

// startCluster starts the cluster that the flags describe.
func startCluster(r *clusterFlags) (*clusterEngine, error) {
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
	e := &clusterEngine{cluster: cluster, record: rec, unlimit: limitHeap(cfg.Memory)}
	e.halt = sync.OnceValue(func() error {
		grace, cancel := context.WithTimeout(context.Background(), haltGrace)
		defer cancel()
		return cluster.Halt(grace)
	})
	return e, nil
}

// livePolicy is the scheduler of a live cluster. Its waits follow the heartbeats, as Hadoop's do, unless flags or files set them.
func (r *clusterFlags) livePolicy() (scheduling.Policy, error) {
	policy, err := r.policy(r.scheduler)
	if err != nil {
		return policy, err
	}
	if policy.Locality.Rule == scheduling.TimedWait && !r.given("wait") && !r.given("rack-wait") && r.files.parameters == nil {
		policy.Locality.Auto = true
	}
	return policy, r.files.unused(r.scheduler, true)
}

// clusterEngine runs jobs on a live cluster, several at once if asked to.
type clusterEngine struct {
	cluster *actors.Cluster
	record  *record
	halt    func() error // ends all jobs gently, once
	unlimit func()       // ends the limit of the heap
}

// run runs a plan to its end; watch is called when it has begun and what it returns when it has ended.
func (e *clusterEngine) run(ctx context.Context, plan *mapreduce.Plan, j *jobFlags, watch func(*actors.JobHandle) (ended func())) (*mapreduce.Counters, error) {
	job, err := e.cluster.Submit(ctx, plan, j.submitOptions())
	if err != nil {
		return nil, err
	}
	defer watch(job)()
	select {
	case <-job.Done():
	case <-ctx.Done():
		if err := e.halt(); err != nil {
			return nil, err
		}
	}
	res, err := job.Wait(context.WithoutCancel(ctx))
	return res.Counters, err
}

func (e *clusterEngine) close() error {
	defer e.unlimit()
	return errors.Join(e.cluster.Close(), e.record.close())
}

// watchedEngine is a cluster with somebody who watches each job.
type watchedEngine struct {
	*clusterEngine
	watch func(*actors.JobHandle) (ended func())
}

func (e *watchedEngine) run(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*mapreduce.Counters, error) {
	return e.clusterEngine.run(ctx, plan, j, e.watch)
}

// inlineEngine runs plans in one goroutine, without a cluster.
type inlineEngine struct {
	flags *clusterFlags
}

func (e *inlineEngine) run(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*mapreduce.Counters, error) {
	c, err := mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{Reduces: j.reduces, Blocks: e.flags.inlineBlocks(plan)})
	if err != nil {
		return c, fmt.Errorf("inline: %w", err)
	}
	return c, nil
}

func (e *inlineEngine) close() error { return nil }

// inlineBlocks cuts sources for a run without a cluster, if a block size is given.
func (r *clusterFlags) inlineBlocks(plan *mapreduce.Plan) func(int) []mapreduce.Block {
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
