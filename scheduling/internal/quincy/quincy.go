// Package quincy launches and moves maps where a flow of least cost leads [Isard09].
package quincy

import (
	"cmp"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// Order decides which map goes where by a flow of least cost from jobs over their maps to slots
// [Isard09 §4]: a map flows to a node with its data, to a rack, to the cluster, or not at all, which
// costs the more the longer its job has waited. Jobs have bounds by their fair shares. What runs
// takes part every Interval, and is killed where the flow no longer has it; between, the flow is
// that of the maps that wait to the slots that are free, worked out anew at a heartbeat when
// something has changed. Reduces follow the same order of jobs and the placement of reduces; tasks
// of several slots are no flow and are offered slots beside it. A rule of locality counts for them
// alone.
type Order struct {
	core.FlatOrder
	Pol  core.QuincyPolicy // with defaults
	Of   []quincyJob       // by index of the job
	Old  bool              // the bounds are
	Last time.Duration     // round
	net  quincyNet

	Plan   []planned
	Fresh  bool // the plan is of the state as it stands
	At     time.Duration
	acting bool // launches follow the plan
	claims []shares.Claim
	by     []*core.Job // of the claims
	// Held is by node 1 more than when a plan first had a map for it, and 0 once it has asked. The
	// longer it is silent the more going there costs, so that nothing waits for a dead node.
	Held []time.Duration
}

// quincyJob is what the order keeps of a job.
type quincyJob struct {
	Least, Most int32 // maps that run: at any cost, at all
}

// planned is a map that the flow puts on a node; below 0 it is any without a place.
type planned struct {
	Job  *core.Job
	Task int32
	Node core.NodeID
}

// New makes the order "quincy".
func New(c *core.Core, p *core.Policy) (core.Order, error) {
	o := &Order{Pol: p.Quincy, Old: true, Last: c.Now}
	o.Pol.Rack, o.Pol.Far = costsOf(&p.Quincy)
	o.Pol.Floor = max(0, cmp.Or(o.Pol.Floor, 1))
	o.Pol.Lost = max(0, cmp.Or(o.Pol.Lost, 1))
	o.Pol.Interval = cmp.Or(o.Pol.Interval, time.Second)
	rank := core.FifoRank
	if o.fair() {
		rank = func(j *core.Job, k core.TaskKind) index.Rank {
			return index.Rank{Value: float64(j.Work[k].Running) / j.Spec.Priority.Factor(), Tie: int32(j.ID)}
		}
	}
	o.FlatOrder = core.FlatOrder{Simple: core.Simple{C: c}, RankOf: rank}
	return o, nil
}

// costsOf are Rack and Far with their defaults.
func costsOf(q *core.QuincyPolicy) (rack, far time.Duration) {
	far = max(0, cmp.Or(q.Far, 5*time.Second))
	return min(far, max(0, cmp.Or(q.Rack, 2500*time.Millisecond))), far
}

func (o *Order) fair() bool  { return o.Pol.Rule == core.QFP || o.Pol.Rule == core.QF }
func (o *Order) kills() bool { return o.Pol.Rule == core.QFP || o.Pol.Rule == core.QP }

// Add implements core.Order.
func (o *Order) Add(j *core.Job) error {
	o.Of = core.RoomFor(o.Of, j.Index)
	o.stale()
	return o.FlatOrder.Add(j)
}

// Remove implements core.Order.
func (o *Order) Remove(*core.Job) { o.stale() }

// stale has bounds and plan worked out anew.
func (o *Order) stale() { o.Old, o.Fresh = true, false }

// Changed also has the bounds worked out anew, when a job has got its first task to launch or lost
// its last; else they are as of the last update.
func (o *Order) Changed(j *core.Job, k core.TaskKind) {
	was := o.Spots[k][j.Index].In
	o.FlatOrder.Changed(j, k)
	if o.Spots[k][j.Index].In != was {
		o.Old = true
	}
	if k == core.Map && !o.acting {
		o.Fresh = false
	}
}

// Settle implements core.Order.
func (o *Order) Settle() { o.stale() }

// Update has running maps looked at when that is due.
func (o *Order) Update() {
	o.stale()
	if o.kills() && o.Pol.Interval > 0 && o.C.Now-o.Last >= o.Pol.Interval {
		o.C.Killed = o.C.Killed[:0]
		o.PreemptNow()
	}
}

// Took takes over when the last round was: else who reloads often would never preempt.
func (o *Order) Took(former core.Order) {
	if old, ok := former.(*Order); ok {
		o.Last = old.Last
	}
}

// Share implements core.Order.
func (o *Order) Share(j *core.Job, k core.TaskKind) (share, weight float64) {
	if !o.fair() {
		return o.FlatOrder.Share(j, k)
	}
	claims := o.divide(k, make([]shares.Claim, 0, len(o.by)))
	for i, other := range o.by {
		if other == j {
			share = claims[i].Share
		}
	}
	return share, j.Spec.Priority.Factor()
}

// computeBounds bounds the maps of each job that run: by its share, cut to whole slots, from below,
// and rounded up from above. A job with less than a slot may have one. Without fairness there are no
// bounds.
func (o *Order) computeBounds() {
	if !o.Old {
		return
	}
	o.Old = false
	o.claims = o.divide(core.Map, o.claims[:0])
	for i, j := range o.by {
		b := quincyJob{Most: math.MaxInt32}
		if o.fair() {
			share := o.claims[i].Share
			b.Least, b.Most = int32(share*o.Pol.Floor), int32(max(1, math.Ceil(share)))
		}
		o.Of[j.Index] = b
	}
}

// divide divides the slots of kind k among the jobs, which stand in by.
func (o *Order) divide(k core.TaskKind, claims []shares.Claim) []shares.Claim {
	o.by = o.by[:0]
	for _, j := range o.C.Active {
		if !j.State.Ended() {
			o.by = append(o.by, j)
			claims = append(claims, shares.Claim{Demand: float64(j.Demand(k) * int(j.Slots)), Weight: j.Spec.Priority.Factor()})
		}
	}
	shares.Divide(claims, float64(o.C.Slots[k]))
	return claims
}

// Idle says that a map has its better place elsewhere, or its job its share.
func (o *Order) Idle(j *core.Job, n *core.NodeState, k core.TaskKind) core.Reason {
	if k == core.Map {
		return core.Reason{Cause: core.CauseFlowWait}
	}
	return o.FlatOrder.Idle(j, n, k)
}
