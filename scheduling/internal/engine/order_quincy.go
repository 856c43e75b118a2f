package engine

import (
	"cmp"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// quincy decides which map goes where by a flow of least cost from jobs over their maps to slots
// [Isard09 §4]: a map flows to a node with its data, to a rack, to the cluster, or not at all, which
// costs the more the longer its job has waited. Jobs have bounds by their fair shares. What runs
// takes part every Interval, and is killed where the flow no longer has it; between, the flow is
// that of the maps that wait to the slots that are free, worked out anew at a heartbeat when
// something has changed. Reduces follow the same order of jobs and the placement of reduces; tasks
// of several slots are no flow and are offered slots beside it. A rule of locality counts for them
// alone.
type quincy struct {
	flatOrder
	pol  QuincyPolicy  // with defaults
	of   []quincyJob   // by index of the job
	old  bool          // the bounds are
	last time.Duration // round
	net  quincyNet

	plan   []planned
	fresh  bool // the plan is of the state as it stands
	at     time.Duration
	acting bool // launches follow the plan
	claims []shares.Claim
	by     []*job // of the claims
	// held is by node 1 more than when a plan first had a map for it, and 0 once it has asked. The
	// longer it is silent the more going there costs, so that nothing waits for a dead node.
	held []time.Duration
}

// quincyJob is what the order keeps of a job.
type quincyJob struct {
	least, most int32 // maps that run: at any cost, at all
}

// planned is a map that the flow puts on a node; below 0 it is any without a place.
type planned struct {
	job  *job
	task int32
	node NodeID
}

func newQuincy(c *Core, p *Policy) (order, error) {
	o := &quincy{pol: p.Quincy, old: true, last: c.now}
	o.pol.Rack, o.pol.Far = costsOf(&p.Quincy)
	o.pol.Floor = max(0, cmp.Or(o.pol.Floor, 1))
	o.pol.Lost = max(0, cmp.Or(o.pol.Lost, 1))
	o.pol.Interval = cmp.Or(o.pol.Interval, time.Second)
	rank := fifoRank
	if o.fair() {
		rank = func(j *job, k TaskKind) index.Rank {
			return index.Rank{Value: float64(j.w[k].running) / j.spec.Priority.factor(), Tie: int32(j.id)}
		}
	}
	o.flatOrder = flatOrder{simple: simple{c}, rankOf: rank}
	return o, nil
}

// costsOf are Rack and Far with their defaults.
func costsOf(q *QuincyPolicy) (rack, far time.Duration) {
	far = max(0, cmp.Or(q.Far, 5*time.Second))
	return min(far, max(0, cmp.Or(q.Rack, 2500*time.Millisecond))), far
}

func (o *quincy) fair() bool  { return o.pol.Rule == QFP || o.pol.Rule == QF }
func (o *quincy) kills() bool { return o.pol.Rule == QFP || o.pol.Rule == QP }

func (o *quincy) add(j *job) error {
	o.of = roomFor(o.of, j.index)
	o.stale()
	return o.flatOrder.add(j)
}

func (o *quincy) remove(*job) { o.stale() }

// stale has bounds and plan worked out anew.
func (o *quincy) stale() { o.old, o.fresh = true, false }

// changed also has the bounds worked out anew, when a job has got its first task to launch or lost
// its last; else they are as of the last update.
func (o *quincy) changed(j *job, k TaskKind) {
	was := o.spots[k][j.index].In
	o.flatOrder.changed(j, k)
	if o.spots[k][j.index].In != was {
		o.old = true
	}
	if k == Map && !o.acting {
		o.fresh = false
	}
}

func (o *quincy) settle() { o.stale() }

// update has running maps looked at when that is due.
func (o *quincy) update() {
	o.stale()
	if o.kills() && o.pol.Interval > 0 && o.c.now-o.last >= o.pol.Interval {
		o.c.killed = o.c.killed[:0]
		o.preemptNow()
	}
}

// took takes over when the last round was: else who reloads often would never preempt.
func (o *quincy) took(former order) {
	if old, ok := former.(*quincy); ok {
		o.last = old.last
	}
}

func (o *quincy) share(j *job, k TaskKind) (share, weight float64) {
	if !o.fair() {
		return o.flatOrder.share(j, k)
	}
	claims := o.divide(k, make([]shares.Claim, 0, len(o.by)))
	for i, other := range o.by {
		if other == j {
			share = claims[i].Share
		}
	}
	return share, j.spec.Priority.factor()
}

// computeBounds bounds the maps of each job that run: by its share, cut to whole slots, from below,
// and rounded up from above. A job with less than a slot may have one. Without fairness there are no
// bounds.
func (o *quincy) computeBounds() {
	if !o.old {
		return
	}
	o.old = false
	o.claims = o.divide(Map, o.claims[:0])
	for i, j := range o.by {
		b := quincyJob{most: math.MaxInt32}
		if o.fair() {
			share := o.claims[i].Share
			b.least, b.most = int32(share*o.pol.Floor), int32(max(1, math.Ceil(share)))
		}
		o.of[j.index] = b
	}
}

// divide divides the slots of kind k among the jobs, which stand in by.
func (o *quincy) divide(k TaskKind, claims []shares.Claim) []shares.Claim {
	o.by = o.by[:0]
	for _, j := range o.c.active {
		if !j.state.Ended() {
			o.by = append(o.by, j)
			claims = append(claims, shares.Claim{Demand: float64(j.demand(k) * int(j.slots)), Weight: j.spec.Priority.factor()})
		}
	}
	shares.Divide(claims, float64(o.c.slots[k]))
	return claims
}

// idle: a map has its better place elsewhere, or its job its share.
func (o *quincy) idle(j *job, n *node, k TaskKind) Reason {
	if k == Map {
		return Reason{Cause: CauseFlowWait}
	}
	return o.flatOrder.idle(j, n, k)
}
