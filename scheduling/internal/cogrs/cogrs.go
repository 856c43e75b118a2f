// Package cogrs places reduces at the center of gravity of their input [Hammoud12], or on the node
// with most of it [Hammoud11]. Numbers in comments are the steps in docs/papers.md. Reading order:
// cogrs.go, candidates.go, plan.go.
package cogrs

import (
	"cmp"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// Placement launches each reduce at or near the center of gravity of its input [Hammoud12]. LARTS
// does the same with the node that has most of the input as the center [Hammoud11]. For a node with
// a free reduce slot, and the next job in order:
//
//  1. Start. While no map output is known, the first pending reduce goes anywhere.
//  2. Cost. WTND(r, v) = 2 (H W − score(r, v)) is the weighted network distance of reduce r at
//     node v (package gravity).
//  3. Candidates of r are the three feeding nodes with minimum WTND; if none of them can take r,
//     the three best among all nodes that can (our addition).
//  4. Cap (our addition): while the job waits, a node gets at most SkewCap times its proportional
//     number of the job's reduces.
//  5. No gain (our addition): if no node's score exceeds Theta H W for any reduce, the first
//     pending reduce goes anywhere.
//  6. Center: if the node is a candidate of r, within Theta of the best candidate that can take r,
//     r is launched; among several reduces, the one that would lose most elsewhere.
//  7. Wait (our addition): otherwise the job refuses the slot until W1 is over. Then r may go to
//     the rack of its best candidate, and after W2 anywhere. The papers do not say how long to
//     wait for the center; waits and levels are those of maps. A reduce that has failed does not
//     wait.
//
// Steps 2 and 3 (candidates.go) produce a plan for the job (plan.go). It is a cache: it is computed
// when it is needed and out of date, and candidates are checked every sixth of a heartbeat
// interval. The answer depends on nothing else, so a refusal does no work.
//
// The level of a reduce is NodeLocal at its center, RackLocal in the center's rack, and OffRack
// elsewhere.
type Placement struct {
	delay.Waits
	pol    model.ReducePolicy
	levels int // H: the number of network levels that count in the score
	why    causes
	plans  core.Records[*Plan]
	Period uint64        // counts sixths of a heartbeat interval in which slots were offered
	Since  time.Duration // when Period last increased
	// Near[0] has a bit for each node and job: a reduce of the job may have the node as candidate,
	// or reduces of the job run there. Near[1] has a bit for each rack and job: a reduce may have
	// its best candidate there.
	Near    [2]index.BitMatrix
	Waiting core.Records[waiting]

	// scratch of a plan
	floor    []int64 // by reduce: the score that a further best node must reach
	hasTaker []bool  // by reduce: one of its candidates can take it
	reduces  []int32 // whose nodes are searched
	others   []int   // by rack: nodes found that have no input
	sums     gravity.Sums
	racks    []gravity.Rack // live nodes by rack, as of Core.Cluster in `counted`
	counted  uint64
}

// New returns the placement for p's rule, CoGRS or LARTS. Jobs keep the waits of a former one.
func New(c *core.Core, p model.ReducePolicy, former core.Placement) core.Placement {
	p.Theta = max(0, cmp.Or(p.Theta, 0.05))
	p.SkewCap = cmp.Or(p.SkewCap, 1.5)
	r := &Placement{Waits: delay.Waits{C: c}, pol: p, levels: int(model.OffRack)}
	r.why = causes{model.CauseGravity, model.CauseGravityAhead, model.CauseNoNearerSlot, model.CauseGravityWait}
	if p.Rule == model.LARTS {
		r.levels = 1
		r.why = causes{model.CauseMost, model.CauseMostAhead, model.CauseNoFullerSlot, model.CauseMostWait}
	}
	if old, ok := former.(*Placement); ok {
		r.TakeOver(&old.Waits)
	}
	return r
}

// Begin implements core.Placement. If a sixth of a heartbeat interval is over, Period increases.
func (r *Placement) Begin() {
	r.Waits.Begin()
	if r.Period == 0 || r.C.Now-r.Since >= r.C.HeartbeatInterval()/6 {
		r.Period, r.Since = r.Period+1, r.C.Now
	}
}

// Place implements core.Placement: steps 1 to 5 of the list above. choose does steps 6 and 7.
func (r *Placement) Place(j *core.Job, n *core.NodeState) core.Proposal {
	if allowed, ok := r.stillWaits(j, n); ok {
		return core.Proposal{Task: -1, Allowed: allowed, Why: r.why.waits}
	}
	pending, g := &j.Work[model.Reduce].Pending, j.Outputs
	switch {
	case pending.Len() == 0:
		return core.Proposal{Task: -1, Allowed: model.OffRack} // a speculative attempt does not wait
	case g == nil || g.Known() == 0:
		return core.Proposal{Task: pending.First(), Allowed: model.OffRack, Why: model.CauseNoGain} // step 1
	}
	p, allowed := r.plan(j, g), r.allowed(j) // steps 2, 3
	switch {
	case allowed < model.OffRack && r.On(j, n) >= r.cap(j, g):
		return core.Proposal{Task: -1, Allowed: allowed, Why: model.CausePlacementCap} // step 4
	case p.Flat:
		return core.Proposal{Task: pending.First(), Allowed: allowed, Why: model.CauseNoGain} // step 5
	case j.Work[model.Reduce].Again == 0 && !r.mayTake(j, n, allowed): // the most frequent case of 7
		r.keepsWaiting(j, allowed)
		return core.Proposal{Task: -1, Allowed: allowed, Why: r.why.waits}
	}
	return r.choose(j, n, allowed)
}

// choose proposes the reduce to launch on n by step 6. If there is none, it proposes one that has
// waited, or has failed, and may launch there (step 7). Only the last loop visits all pending
// reduces, after the waits.
func (r *Placement) choose(j *core.Job, n *core.NodeState, allowed model.Locality) core.Proposal {
	g, p, w := j.Outputs, r.PlanOf(j), &j.Work[model.Reduce]
	best, limit := bestReduce{g: g, reduce: -1}, r.cap(j, g)
	for _, h := range in(p.ByNode, int32(n.ID)) {
		if w.Pending.Has(h.Reduce) {
			if at, other := r.rivals(j, h.Reduce, n, limit); float64(at-h.Score) <= r.worth(g, h.Reduce) {
				best.offer(h.Reduce, h.Score-other) // step 6
			}
		}
	}
	for i := w.Pending.First(); best.reduce < 0 && w.Again > 0 && i >= 0; i = w.Pending.Next(i) {
		if w.Tasks[i].Tries > 0 {
			best.offer(i, 0)
		}
	}
	if best.reduce >= 0 {
		return core.Proposal{Task: best.reduce, Allowed: allowed, Why: r.near(g, p, best.reduce, n)}
	}
	if allowed >= model.RackLocal {
		for _, h := range in(p.ByRack, n.Site[1]) {
			if w.Pending.Has(h.Reduce) {
				best.offer(h.Reduce, r.score(g, p, h.Reduce, n)) // step 7
			}
		}
	}
	if best.reduce >= 0 {
		return core.Proposal{Task: best.reduce, Level: model.RackLocal, Allowed: allowed, Why: model.CauseWaited}
	}
	for i := w.Pending.First(); allowed >= model.OffRack && i >= 0; i = w.Pending.Next(i) {
		best.offer(i, r.score(g, p, i, n)-p.Candidates[i][0].Score) // step 7
	}
	if best.reduce < 0 {
		return core.Proposal{Task: -1, Allowed: allowed, Why: r.why.waits}
	}
	return core.Proposal{Task: best.reduce, Level: model.OffRack, Allowed: allowed, Why: model.CauseWaited}
}

// rivals returns the scores of two candidates that can take reduce i: of the best one, and of the
// best one other than n. -1 means none.
func (r *Placement) rivals(j *core.Job, i int32, n *core.NodeState, limit int32) (at, other int64) {
	at, other = -1, -1
	for _, c := range r.PlanOf(j).Candidates[i] { // the best first
		if c.Node == nil || !r.canTake(j, c.Node, limit) {
			continue
		}
		at = max(at, c.Score)
		if c.Node != n {
			return at, c.Score
		}
	}
	return at, other
}

// bestReduce keeps the reduce that would lose most elsewhere. Ties go to the larger input, then to
// the one offered first.
type bestReduce struct {
	g      *gravity.Outputs
	reduce int32
	value  int64
}

// offer keeps reduce i if it loses more elsewhere, value, than the present one.
func (b *bestReduce) offer(i int32, value int64) {
	if b.reduce < 0 || value > b.value || value == b.value && b.g.Total(i) > b.g.Total(b.reduce) {
		b.reduce, b.value = i, value
	}
}

// worth returns the maximum loss of score, for reduce i, that is not worth a wait.
func (r *Placement) worth(g *gravity.Outputs, i int32) float64 {
	return r.pol.Theta * float64(int64(r.levels)*g.Total(i))
}

// cap returns the maximum number of a job's reduces on one node. It is SkewCap times the number
// that each feeding node would have in equal parts.
func (r *Placement) cap(j *core.Job, g *gravity.Outputs) int32 {
	nodes := min(r.C.Live, len(g.Feeders()))
	if r.pol.SkewCap < 0 || nodes == 0 {
		return math.MaxInt32
	}
	return int32(max(1, math.Ceil(r.pol.SkewCap*float64(len(j.Work[model.Reduce].Tasks))/float64(nodes)-1e-9)))
}

// allowed returns the maximum distance from its center at which a reduce of j may launch now. A job
// that has waited as long as a level's wait, and the waits before it, may launch one level farther.
func (r *Placement) allowed(j *core.Job) model.Locality {
	w := r.Of.Of(j)
	if r.C.Order.Urgent(j, model.Reduce) || w.Wait >= r.C.HeartbeatInterval() && r.idle(j) {
		return model.OffRack
	}
	level, unspent := w.Level, w.Wait
	for ; level < model.OffRack && unspent >= r.Length(level); level++ {
		unspent -= r.Length(level)
	}
	return level
}

// Length returns the wait of level l: W1 or W2 of the policy, or the wait that the Core computes.
func (r *Placement) Length(l model.Locality) time.Duration {
	if w := r.pol.Waits[l]; w != 0 {
		return max(0, w)
	}
	return r.C.AutoWait()
}

// idle reports whether j has only reduces left, and the cluster has free slots for all of them.
// Then every node with a free slot has sent a heartbeat within an interval, and a longer wait is a
// loss. Waits that the policy sets are not shortened.
func (r *Placement) idle(j *core.Job) bool {
	w := &j.Work[model.Reduce]
	return r.pol.Waits == [2]time.Duration{} && j.Unfinished(model.Map) == 0 && r.C.Slots[model.Reduce]-r.C.Running[model.Reduce] >= w.Waiting()*int(j.Slots)
}

// Launched counts a reduce on n and restarts the job's wait at its level. A speculative attempt
// (AnyPlace) is only counted.
func (r *Placement) Launched(j *core.Job, n *core.NodeState, l model.Locality) {
	r.count(j, r.PlanOf(j), n.ID)
	if l != model.AnyPlace {
		r.Waiting.Remove(j)
		*r.Of.Of(j) = delay.Delayed{Level: l, Launched: r.C.Beat}
	}
}

// Remove implements core.Placement.
func (r *Placement) Remove(j *core.Job) {
	if p := *r.plans.Of(j); p != nil {
		r.unmark(j, p)
	}
	r.plans.Remove(j)
	r.Waits.Remove(j)
	r.Waiting.Remove(j)
}

// View implements core.Placement.
func (r *Placement) View(j *core.Job) (view.Locality, time.Duration) {
	w := r.Of.Of(j)
	return view.Locality{Level: w.Level, Wait: w.Wait, Skipped: w.Skipped}, r.C.Now + max(0, r.Length(0)+r.Length(1)-w.Wait)
}

// canTake reports whether n can take one more reduce of j now, or probably will within the wait for
// the center.
func (r *Placement) canTake(j *core.Job, n *core.NodeState, limit int32) bool {
	if !n.Open() || n.Slots[model.Reduce] < int(j.Slots) || r.C.Avoids(j, n) || r.On(j, n) >= limit {
		return false
	}
	return n.Free(model.Reduce) >= int(j.Slots) || r.freesSoon(n)
}

// freesSoon reports whether a reduce on n may end within the wait for the center. Its progress
// predicts its end; a reduce without progress may end.
func (r *Placement) freesSoon(n *core.NodeState) bool {
	for _, ai := range n.Atts {
		a := &r.C.Attempts[ai]
		if a.ID.Task.Kind != model.Reduce || a.Suspended {
			continue
		}
		if a.Progress == 0 || float64(a.Worked(r.C.Now))*(1-a.Progress) <= a.Progress*float64(r.Length(0)) {
			return true
		}
	}
	return false
}
