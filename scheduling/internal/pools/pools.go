// Package pools implements the Fair Scheduler: pools with weights, shares and preemption [Zaharia10
// §4].
//
// Reading order: pools.go (the order), jobs.go, limits.go (job limits), shares.go, preemption.go,
// view.go.
package pools

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// Order is the order of the Hadoop Fair Scheduler. Pools below their minimum share come first, by
// the fraction of it that they have; the others by running tasks over weight. So are a pool's jobs,
// or first in, first out [Zaharia10 §4; Hadoop FairScheduler]. If no job of a pool takes a slot,
// the slot passes to the next pool.
type Order struct {
	C       *core.Core
	Alloc   model.Allocations
	Preempt model.PreemptionPolicy
	byName  map[string]*Pool
	Sorted  []*Pool // by name
	of      core.Records[poolJob]
	fair    core.Records[[model.Kinds]float64] // fair shares of jobs in slots
	spots   core.Spots
	lists   [model.Kinds]index.List[*Pool]
	Load    [model.Kinds]int // sum of the pools' loads, each limited to the pool's maximum
	Limits  bool             // a limit on running jobs is set
	users   map[string]int   // configured limits on running jobs, by user
	ofUser  map[string]*quota
	boosted []*core.Job // young jobs with a boosted weight, oldest first

	ranks [model.FIFOMode + 1]func(*core.Job, model.TaskKind) index.Rank // ranks of jobs, by the mode of their pool

	stale     bool              // shares must be recomputed
	shared    [model.Kinds]int  // slots of the cluster when the shares were computed
	over      [model.Kinds]bool // the minimum shares exceed the slots
	warned    [model.Kinds]bool // the excess has been reported
	LastRound time.Duration
}

// Pool is a group of jobs that has a share of the cluster.
type Pool struct {
	model.PoolConfig             // with the defaults filled in
	order            int32       // position among the pools by name
	Jobs             []*core.Job // that have not ended
	admitted         quota       // jobs that may run, and their maximum
	lists            [model.Kinds]core.JobList
	Running          [model.Kinds]int
	Demand           [model.Kinds]int // of its jobs, not limited to the maximum
	Load             [model.Kinds]int
	Share            [model.Kinds]float64
	lastShares       core.GroupShares
	LastMin          [model.Kinds]time.Duration // when it last had its minimum share, or did not need it
	LastHalf         [model.Kinds]time.Duration // when it last had half its fair share, or did not need it
	Urgent           [model.Kinds]bool          // starved past a timeout
	Need             [model.Kinds]int           // at the last update
	spot             [model.Kinds]index.Spot
}

// poolJob is the order's record of a job. It fills one cache line.
type poolJob struct {
	pool    *Pool
	counted [model.Kinds]poolWork
	_       [24]byte
}

// poolWork holds a job's numbers as the sums of its pool now contain them.
type poolWork struct {
	running, demand, load int32
	priority              model.Priority
}

// New returns the order "pools".
func New(c *core.Core, p *model.Policy) (core.Order, error) {
	o := &Order{C: c, Alloc: p.Pools, Preempt: p.Preemption, byName: map[string]*Pool{}, users: map[string]int{}, ofUser: map[string]*quota{}, stale: true}
	o.ranks[model.FairMode], o.ranks[model.FIFOMode] = o.jobRank, core.FifoRank
	o.Preempt.Interval = cmp.Or(o.Preempt.Interval, 15*time.Second)
	o.Alloc.BoostTime = cmp.Or(o.Alloc.BoostTime, 5*time.Minute)
	o.Limits = p.Pools.PoolMaxJobs != 0 || p.Pools.UserMaxJobs != 0
	for _, u := range p.Pools.Users {
		o.users[u.Name] = u.MaxJobs
		o.Limits = o.Limits || u.MaxJobs != 0
	}
	for _, cfg := range p.Pools.Pools {
		o.Sorted = append(o.Sorted, o.build(cfg))
	}
	if o.byName[model.DefaultName] == nil {
		o.Sorted = append(o.Sorted, o.build(model.PoolConfig{Name: model.DefaultName}))
	}
	slices.SortStableFunc(o.Sorted, func(p, q *Pool) int { return strings.Compare(p.Name, q.Name) })
	o.rerank()
	return o, nil
}

// create creates a pool for the first job that names it, and adds it to Sorted.
func (o *Order) create(cfg model.PoolConfig) *Pool {
	p := o.build(cfg)
	i, _ := slices.BinarySearchFunc(o.Sorted, p.Name, func(q *Pool, name string) int { return strings.Compare(q.Name, name) })
	o.Sorted = slices.Insert(o.Sorted, i, p)
	o.rerank()
	return p
}

// build returns a new pool with all defaults filled in; the caller must add it to Sorted.
func (o *Order) build(cfg model.PoolConfig) *Pool {
	a := &o.Alloc
	cfg.Weight = cmp.Or(cfg.Weight, 1)
	cfg.Mode = cmp.Or(cfg.Mode, a.PoolMode, model.FairMode)
	cfg.MaxJobs = cmp.Or(cfg.MaxJobs, a.PoolMaxJobs, model.NoLimit)
	cfg.MinTimeout = cmp.Or(cfg.MinTimeout, a.MinTimeout)
	for k := range cfg.Max {
		cfg.Max[k] = max(0, cmp.Or(cfg.Max[k], model.NoLimit))
	}
	o.Limits = o.Limits || cfg.MaxJobs != model.NoLimit
	p := &Pool{PoolConfig: cfg, admitted: quota{Max: cfg.MaxJobs}, lastShares: core.GroupShares{Since: o.C.Now}}
	for k := range p.LastMin {
		p.LastMin[k], p.LastHalf[k] = o.C.Now, o.C.Now
	}
	o.byName[cfg.Name] = p
	return p
}

// rerank recomputes all ranks after a pool was added: its name decides ties, by order in Sorted.
func (o *Order) rerank() {
	for k := range model.TaskKind(model.Kinds) {
		o.lists[k] = index.List[*Pool]{}
		for n, q := range o.Sorted {
			q.order, q.spot[k] = int32(n), index.Spot{}
			o.reposition(q, k)
		}
	}
}

// PoolOf returns the pool of a job that has not ended.
func (o *Order) PoolOf(j *core.Job) *Pool { return o.of.Of(j).pool }

// count replaces a job's demand, load and priority in the sums of its pool p by new ones.
func (o *Order) count(p *Pool, k model.TaskKind, counted *poolWork, demand, load int32, priority model.Priority) {
	o.stale = true
	o.Load[k] -= min(p.Load[k], p.Max[k])
	p.Demand[k] += int(demand - counted.demand)
	p.Load[k] += int(load - counted.load)
	o.Load[k] += min(p.Load[k], p.Max[k])
	counted.demand, counted.load, counted.priority = demand, load, priority
}

// Changed implements core.Order.
func (o *Order) Changed(j *core.Job, k model.TaskKind) {
	of, w := o.of.Of(j), &j.Work[k]
	p, counted := of.pool, &of.counted[k]
	running := int32(w.Running)
	p.Running[k] += int(running - counted.running)
	counted.running = running
	if d := int32(j.Demand(k)); d != counted.demand || w.Load != counted.load || j.Priority != counted.priority {
		o.count(p, k, counted, d, w.Load, j.Priority)
	}
	o.spots.Put(&p.lists[k], j, k, o.ranks[p.Mode])
	o.reposition(p, k)
}

func (o *Order) jobRank(j *core.Job, k model.TaskKind) index.Rank {
	return index.Rank{Value: float64(j.Work[k].Running) / o.Weight(j, k), Tie: int32(j.ID)}
}

// Weight returns a job's weight in its pool, size × priority × boost; 1 if the job may not run.
func (o *Order) Weight(j *core.Job, k model.TaskKind) float64 {
	if !j.Runnable {
		return 1
	}
	w := j.Priority.Factor()
	if o.Alloc.SizeBasedWeight {
		w *= math.Log2(1 + float64(max(1, j.Demand(k))))
	}
	if f := o.Alloc.BoostFactor; f > 0 && o.C.Now-j.Submitted < o.Alloc.BoostTime {
		w *= f
	}
	return w
}

// Wants returns the pool's demand, at most its maximum share. least returns its minimum share, at
// most that demand.
func (p *Pool) Wants(k model.TaskKind) int { return min(p.Demand[k], p.Max[k]) }
func (p *Pool) least(k model.TaskKind) int { return min(p.Min[k], p.Wants(k)) }

// reposition moves a pool to its rank in the list. A pool without a job to launch, or at its
// maximum, is not in it. Pools below their minimum share come first, by the fraction of it that
// they have; the others by running tasks over weight. Names decide ties.
func (o *Order) reposition(p *Pool, k model.TaskKind) {
	l := &o.lists[k]
	if p.lists[k].Len() == 0 || p.Running[k] >= p.Max[k] {
		l.Put(&p.spot[k], false, index.Rank{}, p)
		return
	}
	r := index.Rank{Class: 1, Value: float64(p.Running[k]) / p.Weight, Tie: p.order}
	if m := p.least(k); p.Running[k] < m {
		r = index.Rank{Value: float64(p.Running[k]) / float64(m), Tie: p.order}
	}
	l.Put(&p.spot[k], true, r, p)
}

// Assign offers the node's slots one by one, each time of the kind with fewer running tasks on the
// node (maps if equal). A task launched in this heartbeat counts at once. Assign ends when no job
// takes a slot of either kind, or the load cap forbids it [Hadoop FairScheduler.assignTasks]. With
// OneTask it ends after one task.
func (o *Order) Assign(n *core.NodeState) {
	c := o.C
	var rejected [model.Kinds]bool
	for {
		for k := range model.TaskKind(model.Kinds) {
			if !rejected[k] && (n.Free(k) <= 0 || !o.mayLoad(n, k)) {
				rejected[k] = true
			}
		}
		k := model.Map
		switch {
		case rejected[model.Map] && rejected[model.Reduce]:
			return
		case rejected[model.Map]:
			k = model.Reduce
		case !rejected[model.Reduce] && n.Running[model.Map] > n.Running[model.Reduce]:
			k = model.Reduce
		}
		if !c.Round(n, k) {
			rejected[k] = true
		} else if c.Policy.OneTask {
			return
		}
	}
}

// mayLoad reports whether n may get one more task of kind k. Policy.Spread limits the nodes while
// the cluster has few tasks.
func (o *Order) mayLoad(n *core.NodeState, k model.TaskKind) bool {
	p := &o.C.Policy
	return !p.Spread || n.Running[k] < shares.OfNode(n.Slots[k], o.Load[k], o.C.Slots[k], p.LoadMaxDiff)
}

// Age updates the weights and ranks of the jobs whose boost for young jobs has ended.
func (o *Order) Age() {
	for len(o.boosted) > 0 && o.C.Now-o.boosted[0].Submitted >= o.Alloc.BoostTime {
		j := o.boosted[0]
		o.boosted = o.boosted[1:]
		o.stale = true
		if !j.State.Ended() {
			o.Changed(j, model.Map)
			o.Changed(j, model.Reduce)
		}
	}
}

// Line returns the jobs with a task to launch of the i-th pool by rank; nil after the last pool.
func (o *Order) Line(k model.TaskKind, i int) *core.JobList {
	if i >= o.lists[k].Len() {
		return nil
	}
	return &o.lists[k].All()[i].lists[k]
}

// Urgent implements core.Order.
func (o *Order) Urgent(j *core.Job, k model.TaskKind) bool { return o.PoolOf(j).Urgent[k] }

// Share implements core.Order.
func (o *Order) Share(j *core.Job, k model.TaskKind) (share, weight float64) {
	o.ComputeShares()
	return o.fair.Of(j)[k], o.Weight(j, k)
}

// Idle implements core.Order.
func (o *Order) Idle(j *core.Job, n *core.NodeState, k model.TaskKind) model.Reason {
	switch p := o.PoolOf(j); {
	case p.Running[k] >= p.Max[k]:
		return model.Reason{Cause: model.CausePoolMax, Count: int32(p.Running[k]), Of: int32(p.Max[k])}
	case o.C.Policy.OneTask:
		return model.Reason{Cause: model.CauseOneTask}
	case !o.mayLoad(n, k):
		return model.Reason{Cause: model.CauseLoadCap}
	}
	return model.Reason{Cause: model.CauseNotOffered}
}
