package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Submit prepares a job in this goroutine (output set-up, sampling, splits) and passes it to the
// JobTracker. A plan can be submitted once: a second Submit of it returns an error, as does a nil
// plan. ctx ends only the preparation; use [RunOn] to end the job with its ctx. On an error, such
// as [mapreduce.ErrOutputExists], no output is left behind.
func (c *Cluster) Submit(ctx context.Context, p *mapreduce.Plan, o SubmitOptions) (*JobHandle, error) {
	return c.submitHolding(ctx, p, o, false)
}

// submitHolding is like Submit; with revive, the plan may read released datasets. It restores lost
// parts of the plan's datasets before it counts as a Submit in progress: Close waits for Submits,
// but not for the jobs that restore datasets.
func (c *Cluster) submitHolding(ctx context.Context, p *mapreduce.Plan, o SubmitOptions, revive bool) (*JobHandle, error) {
	if err := c.admit(&o); err != nil {
		return nil, err
	}
	if err := p.Claim(); err != nil {
		return nil, err
	}
	err := c.holdInput(ctx, p, revive)
	if err == nil {
		if c.begin() {
			defer c.submits.Done()
			return c.submitClaimed(ctx, p, o)
		}
		err = ErrClosed
	}
	return nil, errors.Join(err, p.AbortJob())
}

// submitClaimed is like Submit, for a plan whose datasets are complete and held: none is freed
// before the job ends.
func (c *Cluster) submitClaimed(ctx context.Context, p *mapreduce.Plan, o SubmitOptions) (_ *JobHandle, err error) {
	r := newRun(c.env, p)
	r.submitted, r.who, r.key = c.env.now(), o.principal(), o.Key
	err = cluster.ErrExited // the error if user code ends the goroutine
	defer func() {
		if err != nil {
			c.env.memory.Fix(-r.fixed)
			drop := r.drop
			if (ctx.Err() != nil || errors.Is(err, ErrClosed)) && r.remembered() {
				drop = p.LeaveJob
			}
			err = errors.Join(err, isolate(drop))
		}
	}()
	if err = p.SetupJob(); err == nil {
		err = recovered(func() error { return c.prepare(ctx, r, o) })
	}
	if err == nil && c.isClosed() {
		err = ErrClosed // else it might be done before Halt or Close kills it
	}
	if err == nil {
		err = c.handOver(r, o)
	}
	if err != nil {
		return nil, err
	}
	return &JobHandle{cluster: c, run: r}, nil
}

// prepare samples, finds nodes for the input's blocks and cuts the splits.
func (c *Cluster) prepare(ctx context.Context, r *run, o SubmitOptions) error {
	reduces := cmp.Or(max(o.Reduces, 0), r.plan.Job().UsualReduces())
	err := r.plan.Prepare(ctx, cluster.PrepareOptions{Reduces: reduces, SpillDir: c.env.cfg.SpillDir})
	if err != nil {
		return err
	}
	r.inputBytes = r.plan.Job().InputBytes()
	c.env.keepHeapBallast(r.inputBytes)
	size, tail := c.blockSize(r.inputBytes, r.plan.Job().Folds)
	blocks, err := c.locate(r.plan, size, tail)
	if err != nil {
		return err
	}
	r.splits, err = r.plan.Splits(ctx, blocks)
	r.splits = r.plan.Job().JoinSmall(r.splits, size)
	r.shuffle = newShuffle(len(r.splits))
	r.fixed = r.heldMemory()
	c.env.memory.Fix(r.fixed)
	return err
}

// handOver submits a prepared run to the JobTracker.
func (c *Cluster) handOver(r *run, o SubmitOptions) error {
	spec := scheduling.JobSpec{
		Name: r.name, Key: o.Key, User: o.User, Pool: o.Pool, Queue: o.Queue, Priority: o.Priority,
		Maps: len(r.splits), Reduces: r.plan.Job().Reduces, Places: c.placesOf(r.splits),
		SlowStart: o.SlowStart, MaxAttempts: o.MaxAttempts, MapTime: o.MapTime, ReduceTime: o.ReduceTime, NoSuspend: o.NoSuspend,
		InputBytes: max(0, r.inputBytes),
	}
	if o.MaxSkips > 0 {
		if err := r.plan.Job().SkipsFit(); err != nil {
			return err
		}
	}
	r.tally.tasks = [2]TaskCounts{{Total: spec.Maps}, {Total: spec.Reduces}}
	r.maxSkips = o.MaxSkips
	attempts := cmp.Or(max(o.MaxAttempts, 0), c.env.cfg.MaxAttempts)
	if attempts > 1 && !r.plan.Job().ReadOnce() {
		r.firstSkip = 1
	}
	kept, err := r.kept()
	if err != nil {
		return err
	}
	r.resumeSkips(kept)
	err = c.ask(&submit{r, spec, kept})
	if state := c.env.cfg.State; state != nil && err == nil {
		state.Sync(c.env.cfg.Logger)
	}
	return err
}

// placesOf returns the hosts of the splits as node IDs of the Core.
func (c *Cluster) placesOf(splits []cluster.Split) scheduling.Places {
	var p scheduling.Places
	p.Offsets = append(p.Offsets, 0)
	for _, s := range splits {
		for _, h := range s.Hosts {
			p.Nodes = append(p.Nodes, c.env.placeOf(h).id)
		}
		p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
	}
	return p
}

// begin counts a Submit as in progress and reports false if the cluster is closed. The caller ends
// it with submits.Done.
func (c *Cluster) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.submits.Add(1)
	return true
}

// isClosed reports whether Halt or Close has been called.
func (c *Cluster) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// anonymous is the user of jobs without one.
const anonymous = "anonymous"

// admit decides, by the current rules and policy, into which pool or queue a job goes, and rejects
// it if the cluster is closed or the submitter may not submit there. The decision replaces the
// requested pool and queue, so that the job cannot go elsewhere.
func (c *Cluster) admit(o *SubmitOptions) error {
	if c.isClosed() {
		return ErrClosed
	}
	in := c.env.admission.Load()
	rules, policy, wanted := in.rules, in.policy, *o
	if rules != nil {
		spec := scheduling.JobSpec{User: o.User, Pool: o.Pool, Queue: o.Queue}
		if err := rules.Admit(&spec, o.principal(), policy.Order == "capacity"); err != nil {
			return err
		}
		o.User, o.Pool, o.Queue = spec.User, spec.Pool, spec.Queue
	}
	if o.Queue == "" {
		wanted.Queue = "" // the rules chose a pool
	}
	return wanted.check(policy, rules)
}

// check rejects a pool or queue that the policy does not use: the job would run elsewhere. With
// rules, the rules have admitted unlisted pools.
func (o *SubmitOptions) check(p scheduling.Policy, rules *access.Rules) error {
	pool, queue := strings.TrimSpace(o.Pool), strings.TrimSpace(o.Queue)
	name := cmp.Or(p.Name, p.Order)
	listed := func(q scheduling.PoolConfig) bool { return q.Name == pool }
	switch pools := p.Pools.Pools; {
	case queue != "" && p.Order != "capacity":
		return fmt.Errorf("%w %q: scheduler %s has no queues; leave Queue empty", scheduling.ErrUnknownQueue, queue, name)
	case pool != "" && p.Order != "pools":
		return fmt.Errorf("%w %q: scheduler %s has no pools; leave Pool empty", scheduling.ErrUnknownPool, pool, name)
	case pool != "" && pool != "default" && rules == nil && len(pools) > 0 && !slices.ContainsFunc(pools, listed):
		return fmt.Errorf("%w %q: Policy.Pools does not list it", scheduling.ErrUnknownPool, pool)
	}
	return nil
}

// principal returns the user and the groups for which the job is submitted.
func (o *SubmitOptions) principal() access.Principal {
	return access.Principal{User: cmp.Or(o.User, anonymous), Groups: o.Groups}
}

// Admit returns the options with which a job would be submitted now, with its pool or queue, or the
// error that would reject it. Use it before a plan exists; Submit decides again.
func (c *Cluster) Admit(o SubmitOptions) (SubmitOptions, error) {
	err := c.admit(&o)
	return o, err
}
