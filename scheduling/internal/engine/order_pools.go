package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// pools is the order of the Hadoop Fair Scheduler: pools by how far below their minimum share, then
// by running tasks over weight; jobs inside by running tasks over weight, or first in first out
// [Zaharia10 §4; Hadoop FairScheduler]. It is a two-level order: a pool none of whose jobs takes
// the slot passes it to the next.
type pools struct {
	c         *Core
	alloc     Allocations
	preempt   PreemptionPolicy
	byName    map[string]*pool
	sorted    []*pool          // by name
	of        []poolJob        // by index of the job
	fair      [][kinds]float64 // likewise: the jobs' shares
	spots     spots
	lists     [kinds]index.List[*pool]
	load      [kinds]int     // sum of the pools' loads, each cut to its maximum
	limits    bool           // some limit on running jobs is set
	users     map[string]int // limits configured
	ofUser    map[string]*quota
	arrived   []*job   // since the last settle
	lowest    Priority // of the jobs decided
	unsettled bool     // all jobs must be decided anew
	boosted   []*job   // young jobs with a boosted weight, oldest first

	ranks [FIFOMode + 1]func(*job, TaskKind) index.Rank // of jobs, by the mode of their pool

	stale     bool        // shares must be worked out anew
	shared    [kinds]int  // the slots that they divide
	over      [kinds]bool // the minimum shares exceed the slots
	warned    [kinds]bool // that was told
	lastRound time.Duration
}

// pool is a group of jobs that has a share of the cluster.
type pool struct {
	PoolConfig        // with the defaults filled in
	order      int32  // among the names
	jobs       []*job // not ended
	admitted   quota
	lists      [kinds]jobList
	running    [kinds]int
	demand     [kinds]int // of its jobs, not cut to the maximum
	load       [kinds]int
	share      [kinds]float64
	told       groupStanding
	lastMin    [kinds]time.Duration // when it last had its minimum share, or no use for it
	lastHalf   [kinds]time.Duration // likewise half its fair share
	urgent     [kinds]bool          // starved past a timeout
	need       [kinds]int           // at the last update
	spot       [kinds]index.Spot
}

// poolJob is what the order keeps of a job, in one line of the cache.
type poolJob struct {
	pool     *pool
	counted  [kinds]poolWork
	user     *quota // nil until decided
	admitted bool   // counted there
	_        [8]byte
}

// poolWork is what a pool has counted of a job.
type poolWork struct {
	running, demand, load int32
	priority              Priority
}

func newPools(c *Core, p *Policy) (order, error) {
	o := &pools{c: c, alloc: p.Pools, preempt: p.Preemption, byName: map[string]*pool{}, users: map[string]int{}, ofUser: map[string]*quota{}, lowest: VeryHigh, stale: true}
	o.ranks[FairMode], o.ranks[FIFOMode] = o.jobRank, fifoRank
	o.preempt.Interval = cmp.Or(o.preempt.Interval, 15*time.Second)
	o.alloc.BoostTime = cmp.Or(o.alloc.BoostTime, 5*time.Minute)
	o.limits = p.Pools.PoolMaxJobs != 0 || p.Pools.UserMaxJobs != 0
	for _, u := range p.Pools.Users {
		o.users[u.Name] = u.MaxJobs
		o.limits = o.limits || u.MaxJobs != 0
	}
	for _, cfg := range p.Pools.Pools {
		o.sorted = append(o.sorted, o.build(cfg))
	}
	if o.byName[defaultName] == nil {
		o.sorted = append(o.sorted, o.build(PoolConfig{Name: defaultName}))
	}
	slices.SortStableFunc(o.sorted, func(p, q *pool) int { return strings.Compare(p.Name, q.Name) })
	o.rerank()
	return o, nil
}

// defaultName is the pool and the queue of jobs that name none.
const defaultName = "default"

// create adds a pool.
func (o *pools) create(cfg PoolConfig) *pool {
	p := o.build(cfg)
	i, _ := slices.BinarySearchFunc(o.sorted, p.Name, func(q *pool, name string) int { return strings.Compare(q.Name, name) })
	o.sorted = slices.Insert(o.sorted, i, p)
	o.rerank()
	return p
}

// build makes a pool that is not yet among the sorted ones.
func (o *pools) build(cfg PoolConfig) *pool {
	a := &o.alloc
	cfg.Weight = cmp.Or(cfg.Weight, 1)
	cfg.Mode = cmp.Or(cfg.Mode, a.PoolMode, FairMode)
	cfg.MaxJobs = cmp.Or(cfg.MaxJobs, a.PoolMaxJobs, NoLimit)
	cfg.MinTimeout = cmp.Or(cfg.MinTimeout, a.MinTimeout)
	for k := range cfg.Max {
		cfg.Max[k] = max(0, cmp.Or(cfg.Max[k], NoLimit))
	}
	o.limits = o.limits || cfg.MaxJobs != NoLimit
	p := &pool{PoolConfig: cfg, admitted: quota{most: cfg.MaxJobs}, told: groupStanding{since: o.c.now}}
	for k := range p.lastMin {
		p.lastMin[k], p.lastHalf[k] = o.c.now, o.c.now
	}
	o.byName[cfg.Name] = p
	return p
}

// rerank puts all pools in their places anew, since the order of the names is part of the ranks.
func (o *pools) rerank() {
	for k := range TaskKind(kinds) {
		o.lists[k] = index.List[*pool]{}
		for n, q := range o.sorted {
			q.order, q.spot[k] = int32(n), index.Spot{}
			o.reposition(q, k)
		}
	}
}

// poolOf is the pool of a job that has not ended.
func (o *pools) poolOf(j *job) *pool { return o.of[j.index].pool }

// count replaces what the pool has counted of a job, but for its running attempts.
func (o *pools) count(p *pool, k TaskKind, counted *poolWork, demand, load int32, priority Priority) {
	o.stale = true
	o.unsettled = o.unsettled || priority != counted.priority
	o.load[k] -= min(p.load[k], p.Max[k])
	p.demand[k] += int(demand - counted.demand)
	p.load[k] += int(load - counted.load)
	o.load[k] += min(p.load[k], p.Max[k])
	counted.demand, counted.load, counted.priority = demand, load, priority
}

func (o *pools) changed(j *job, k TaskKind) {
	of, w := &o.of[j.index], &j.w[k]
	p, counted := of.pool, &of.counted[k]
	running := int32(w.running)
	p.running[k] += int(running - counted.running)
	counted.running = running
	if d := int32(j.demand(k)); d != counted.demand || w.load != counted.load || j.priority != counted.priority {
		o.count(p, k, counted, d, w.load, j.priority)
	}
	o.spots.put(&p.lists[k], j, k, o.ranks[p.Mode])
	o.reposition(p, k)
}

func (o *pools) jobRank(j *job, k TaskKind) index.Rank {
	return index.Rank{Value: float64(j.w[k].running) / o.weight(j, k), Tie: int32(j.id)}
}

// weight is a job's weight in its pool: size × priority × boost.
func (o *pools) weight(j *job, k TaskKind) float64 {
	if !j.runnable {
		return 1
	}
	w := j.priority.factor()
	if o.alloc.SizeBasedWeight {
		w *= math.Log2(1 + float64(max(1, j.demand(k))))
	}
	if f := o.alloc.BoostFactor; f > 0 && o.c.now-j.submitted < o.alloc.BoostTime {
		w *= f
	}
	return w
}

// wants is the pool's demand, cut to its maximum share; least is the minimum share as far as it has
// use for it.
func (p *pool) wants(k TaskKind) int { return min(p.demand[k], p.Max[k]) }
func (p *pool) least(k TaskKind) int { return min(p.Min[k], p.wants(k)) }

// reposition puts a pool where its rank says: in the list if it has a job to launch and is below
// its maximum. Those below their minimum share go first, by the part of it that they have; the
// others by running tasks over weight; ties by name.
func (o *pools) reposition(p *pool, k TaskKind) {
	l := &o.lists[k]
	if p.lists[k].Len() == 0 || p.running[k] >= p.Max[k] {
		l.Put(&p.spot[k], false, index.Rank{}, p)
		return
	}
	r := index.Rank{Class: 1, Value: float64(p.running[k]) / p.Weight, Tie: p.order}
	if m := p.least(k); p.running[k] < m {
		r = index.Rank{Value: float64(p.running[k]) / float64(m), Tie: p.order}
	}
	l.Put(&p.spot[k], true, r, p)
}

// assign offers the node's slots one by one: of the kind of which the node runs fewer tasks, maps
// if equal, until neither kind has a free slot that the load cap lets it use and some job wants
// [Hadoop FairScheduler.assignTasks]. With OneTask it stops after one task. Tasks handed out in
// this heartbeat count for the node at once.
func (o *pools) assign(n *node) {
	c := o.c
	var rejected [kinds]bool
	for {
		for k := range TaskKind(kinds) {
			if !rejected[k] && (n.free(k) <= 0 || !o.mayLoad(n, k)) {
				rejected[k] = true
			}
		}
		k := Map
		switch {
		case rejected[Map] && rejected[Reduce]:
			return
		case rejected[Map]:
			k = Reduce
		case !rejected[Reduce] && n.running[Map] > n.running[Reduce]:
			k = Reduce
		}
		if !c.round(n, k) {
			rejected[k] = true
		} else if c.pol.OneTask {
			return
		}
	}
}

// mayLoad asks the load manager: the one configured, or that which caps a node while the cluster is
// under-loaded.
func (o *pools) mayLoad(n *node, k TaskKind) bool {
	if f := o.c.cfg.LoadManager; f != nil {
		return f(n.view(), k, o.load[k], o.c.slots[k])
	}
	p := &o.c.pol
	return !p.Spread || n.running[k] < shares.OfNode(n.slots[k], o.load[k], o.c.slots[k], p.LoadMaxDiff)
}

// age ranks anew the jobs that are no longer new.
func (o *pools) age() {
	for len(o.boosted) > 0 && o.c.now-o.boosted[0].submitted >= o.alloc.BoostTime {
		j := o.boosted[0]
		o.boosted = o.boosted[1:]
		o.stale = true
		if !j.state.Ended() {
			o.changed(j, Map)
			o.changed(j, Reduce)
		}
	}
}

// line is that of the i-th pool.
func (o *pools) line(k TaskKind, i int) *jobList {
	if i >= o.lists[k].Len() {
		return nil
	}
	return &o.lists[k].At(i).lists[k]
}

func (o *pools) urgent(j *job, k TaskKind) bool { return o.poolOf(j).urgent[k] }

func (o *pools) share(j *job, k TaskKind) (share, weight float64) {
	o.computeShares()
	return o.fair[j.index][k], o.weight(j, k)
}

func (o *pools) idle(j *job, n *node, k TaskKind) Reason {
	switch p := o.poolOf(j); {
	case p.running[k] >= p.Max[k]:
		return Reason{Cause: CausePoolMax, Count: int32(p.running[k]), Of: int32(p.Max[k])}
	case o.c.pol.OneTask:
		return Reason{Cause: CauseOneTask}
	case !o.mayLoad(n, k):
		return Reason{Cause: CauseLoadCap}
	}
	return Reason{Cause: CauseNotOffered}
}
