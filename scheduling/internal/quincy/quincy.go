// Package quincy launches and moves maps by a minimum-cost flow [Isard09], solved by package flow.
//
// Reading order: quincy.go (the order and its bounds), net.go (the network), plan.go (launches and
// preemption).
package quincy

import (
	"cmp"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// Order places maps by a minimum-cost flow from jobs over their maps to slots [Isard09 §4]. A map
// flows to a node with its data, to a rack, to the cluster, or not at all; that costs more the
// longer its job has waited. Fair shares bound the maps of each job. Every Interval the flow has
// the running maps too, and those that it moves are killed. Between, it assigns waiting maps to
// free slots; it is recomputed at a heartbeat if something has changed. Reduces and tasks of
// several slots are not part of the flow: their jobs are offered slots one by one, and the policy's
// rules of locality and of reduce placement apply only to them.
type Order struct {
	core.FlatOrder
	Pol         model.QuincyPolicy // with defaults
	Of          core.Records[quincyJob]
	StaleBounds bool          // the bounds must be recomputed
	Last        time.Duration // time of the last preemption round
	net         quincyNet

	Plan      []planned      // maps to launch at the next heartbeats, by the last flow
	FreshPlan bool           // the plan matches the current state
	At        time.Duration  // when the plan was computed
	following bool           // set during launches by the plan, which do not make it out of date
	claims    []shares.Claim // scratch of computeBounds
	// PlannedAt is the time plus 1, by node, of the first plan with a map for the node since it
	// last asked; 0 without one. The longer a node is silent, the more its use costs, so that no
	// map waits for a dead node.
	PlannedAt []time.Duration
}

// quincyJob holds the bounds on the running maps of a job.
type quincyJob struct {
	Min, Max int32 // running maps: minimum at any cost, and maximum
}

// planned is a map that the flow places on a node. A negative Task is any map without a place.
type planned struct {
	Job  *core.Job
	Task int32
	Node model.NodeID
}

// New returns the order "quincy".
func New(c *core.Core, p *model.Policy) (core.Order, error) {
	o := &Order{Pol: p.Quincy, StaleBounds: true, Last: c.Now}
	o.Pol.Rack, o.Pol.Far = costsOf(&p.Quincy)
	o.Pol.Floor = max(0, cmp.Or(o.Pol.Floor, 1))
	o.Pol.Lost = max(0, cmp.Or(o.Pol.Lost, 1))
	o.Pol.Interval = cmp.Or(o.Pol.Interval, time.Second)
	rank := core.FifoRank
	if o.fair() {
		rank = func(j *core.Job, k model.TaskKind) index.Rank {
			return index.Rank{Value: float64(j.Work[k].Running) / j.Spec.Priority.Factor(), Tie: int32(j.ID)}
		}
	}
	o.FlatOrder = core.FlatOrder{BaseOrder: core.BaseOrder{C: c}, RankOf: rank}
	return o, nil
}

// costsOf returns Rack and Far of the policy, or their defaults.
func costsOf(q *model.QuincyPolicy) (rack, far time.Duration) {
	far = max(0, cmp.Or(q.Far, 5*time.Second))
	return min(far, max(0, cmp.Or(q.Rack, 2500*time.Millisecond))), far
}

// fair reports whether the rule divides the slots fairly; kills reports whether it kills running
// maps that the flow moves.
func (o *Order) fair() bool  { return o.Pol.Rule == model.QFP || o.Pol.Rule == model.QF }
func (o *Order) kills() bool { return o.Pol.Rule == model.QFP || o.Pol.Rule == model.QP }

// Add implements core.Order.
func (o *Order) Add(j *core.Job) error {
	o.stale()
	return o.FlatOrder.Add(j)
}

// Remove implements core.Order.
func (o *Order) Remove(*core.Job) { o.stale() }

// stale marks bounds and plan as out of date, so that they are recomputed before their next use.
func (o *Order) stale() { o.StaleBounds, o.FreshPlan = true, false }

// Changed implements core.Order. Any change of maps makes the plan out of date, except a launch
// that it planned. The bounds are out of date only if the job has got its first launchable task or
// lost its last one. The next Update takes account of other changes.
func (o *Order) Changed(j *core.Job, k model.TaskKind) {
	was := o.Spots.Of(j)[k].In
	o.FlatOrder.Changed(j, k)
	if o.Spots.Of(j)[k].In != was {
		o.StaleBounds = true
	}
	if k == model.Map && !o.following {
		o.FreshPlan = false
	}
}

// Settle implements core.Order.
func (o *Order) Settle() { o.stale() }

// Update marks bounds and plan as out of date, and runs a preemption round when one is due.
func (o *Order) Update() {
	o.stale()
	if o.kills() && o.Pol.Interval > 0 && o.C.Now-o.Last >= o.Pol.Interval {
		o.C.Killed = o.C.Killed[:0]
		o.PreemptNow()
	}
}

// Adopt keeps the time of the last round: otherwise, frequent reloads would prevent preemption.
func (o *Order) Adopt(former core.Order) {
	if old, ok := former.(*Order); ok {
		o.Last = old.Last
	}
}

// Share implements core.Order.
func (o *Order) Share(j *core.Job, k model.TaskKind) (share, weight float64) {
	if !o.fair() {
		return o.FlatOrder.Share(j, k)
	}
	claims := o.divide(k, make([]shares.Claim, 0, len(o.C.Active)))
	for i, other := range o.C.Active {
		if other == j {
			share = claims[i].Share
		}
	}
	return share, j.Spec.Priority.Factor()
}

// computeBounds sets the bounds on the running maps of each job: at least its share rounded down,
// at most its share rounded up. A job with a share below one slot may have one. Without fairness
// the number is unlimited.
func (o *Order) computeBounds() {
	if !o.StaleBounds {
		return
	}
	o.StaleBounds = false
	o.claims = o.divide(model.Map, o.claims[:0])
	for i, j := range o.C.Active {
		b := quincyJob{Max: math.MaxInt32}
		if o.fair() {
			share := o.claims[i].Share
			b.Min, b.Max = int32(share*o.Pol.Floor), int32(max(1, math.Ceil(share)))
		}
		*o.Of.Of(j) = b
	}
}

// divide appends the claim of each job in Core.Active, with its fair share of slots of kind k.
func (o *Order) divide(k model.TaskKind, claims []shares.Claim) []shares.Claim {
	for _, j := range o.C.Active {
		claims = append(claims, shares.Claim{Demand: float64(j.Demand(k) * int(j.Slots)), Weight: j.Spec.Priority.Factor()})
	}
	shares.Divide(claims, float64(o.C.Slots[k]))
	return claims
}

// Idle returns CauseFlowWait for maps: the flow places no map of j on n.
func (o *Order) Idle(j *core.Job, n *core.NodeState, k model.TaskKind) model.Reason {
	if k == model.Map {
		return model.Reason{Cause: model.CauseFlowWait}
	}
	return o.FlatOrder.Idle(j, n, k)
}
