package engine

import (
	"cmp"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// cogrs launches each reduce at, or near, the center of gravity of its input [Hammoud12]. LARTS is
// the same with the node that holds most as center [Hammoud11]. A node with a free reduce slot asks;
// for the next job in order:
//
//  1. Start. While no map's output is known, the first pending reduce goes anywhere.
//  2. Cost. WTND(r, v) = 2 (H W − score(r, v)): the weighted network distance of reduce r at node v
//     (package gravity).
//  3. Candidates of r: the three feeding nodes of least WTND; if none of them can take r, the three
//     of all nodes that can (ours).
//  4. Cap (ours): a node gets at most its part of a job's reduces, and half as many again, while the
//     job waits.
//  5. Nothing to gain (ours): if no node's score exceeds Theta H W for any reduce, the first goes
//     anywhere.
//  6. Center: if the node is a candidate, and within Theta of the best candidate that can take r, r
//     is launched; of several the one that would lose most elsewhere.
//  7. Wait (ours): else the slot is refused until W1 is over; then r may go to the rack of its best
//     candidate; after W2 anywhere. How long to wait for the center, the papers do not say: waits
//     and levels are those of maps. A reduce that has failed does not wait.
//
// Steps 2 and 3 (reduce_cogrs_candidates.go) make a plan of the job (reduce_cogrs_plan.go), which is a
// cache: it is made when it is asked for and due. Candidates are looked at again each sixth of a
// heartbeat interval. That is all that the answer depends on: a refusal does no work.
//
// The levels of a reduce are NodeLocal at its center, RackLocal in the rack of it, OffRack beyond.
type cogrs struct {
	waits
	pol    ReducePolicy
	levels int // H: those that count in the score
	plans  records[*plan]
	period uint64        // goes up each sixth of a heartbeat interval, if something is offered
	since  time.Duration // when it last did
	// near says of nodes (0) and jobs whether a reduce may have the node as candidate, or reduces of
	// the job run there; of racks (1), whether a reduce may have its best candidate there.
	near    [2]index.BitMatrix
	waiting records[waiting]

	// scratch of a plan
	floor []int64 // by reduce: the score from which a node is among the best
	taken []bool  // by reduce: a candidate can take it
	sum   []int64 // by reduce
	rooms []room  // by rack
}

func newCoGRS(c *Core, p ReducePolicy, former placement) placement {
	p.Theta = max(0, cmp.Or(p.Theta, 0.05))
	p.SkewCap = cmp.Or(p.SkewCap, 1.5)
	r := &cogrs{waits: waits{c: c}, pol: p, levels: int(c.far)}
	if p.Rule == LARTS {
		r.levels = 1
	}
	if old, ok := former.(*cogrs); ok {
		r.takeOver(&old.waits)
	}
	return r
}

// begin also begins a period, after which candidates are looked at again.
func (r *cogrs) begin() {
	r.waits.begin()
	if r.period == 0 || r.c.now-r.since >= r.c.heartbeatInterval()/6 {
		r.period, r.since = r.period+1, r.c.now
	}
}

// place goes through the steps; choose is 6 and 7.
func (r *cogrs) place(j *job, n *node) proposal {
	if allowed, ok := r.stillWaits(j, n); ok {
		return proposal{task: -1, allowed: allowed, why: CauseGravityWait}
	}
	pending, g := &j.w[Reduce].pending, r.c.outputsOf(j)
	switch {
	case pending.Len() == 0:
		return proposal{task: -1, allowed: r.c.far} // a copy does not wait
	case g == nil || g.Known() == 0:
		return proposal{task: pending.First(), allowed: OffRack, why: CauseNoGain} // 1
	}
	p, allowed := r.plan(j, g), r.allowed(j) // 2, 3
	switch {
	case allowed < OffRack && r.on(j, n) >= r.cap(j, g):
		return proposal{task: -1, allowed: allowed, why: CausePlacementCap} // 4
	case p.flat:
		return proposal{task: pending.First(), allowed: allowed, why: CauseNoGain} // 5
	case j.w[Reduce].again == 0 && !r.mayTake(j, n, allowed): // by far the most frequent case of 7
		r.keepsWaiting(j, allowed)
		return proposal{task: -1, allowed: allowed, why: CauseGravityWait}
	}
	return r.choose(j, n, allowed)
}

// choose proposes the reduce to launch on n (6), and if there is none what a job that has waited, or
// whose reduce has failed, launches there (7). Only the last loop looks at all pending reduces; that
// comes after the waits.
func (r *cogrs) choose(j *job, n *node, allowed Locality) proposal {
	g, p, w := r.c.outputsOf(j), r.planOf(j), &j.w[Reduce]
	best, limit := bestReduce{g: g, reduce: -1}, r.cap(j, g)
	for _, h := range in(p.byNode, int32(n.id)) {
		if w.pending.Has(h.reduce) {
			if at, other := r.rivals(j, h.reduce, n, limit); float64(at-h.score) <= r.worth(g, h.reduce) {
				best.offer(h.reduce, h.score-other) // 6
			}
		}
	}
	for i := w.pending.First(); best.reduce < 0 && w.again > 0 && i >= 0; i = w.pending.Next(i) {
		if w.tasks[i].tries > 0 {
			best.offer(i, 0)
		}
	}
	if best.reduce >= 0 {
		return proposal{task: best.reduce, allowed: allowed, why: CauseGravity}
	}
	if allowed >= RackLocal {
		for _, h := range in(p.byRack, n.groups[1]) {
			if w.pending.Has(h.reduce) {
				best.offer(h.reduce, r.score(g, p, h.reduce, n)) // 7
			}
		}
	}
	if best.reduce >= 0 {
		return proposal{task: best.reduce, level: RackLocal, allowed: allowed, why: CauseWaited}
	}
	for i := w.pending.First(); allowed >= OffRack && i >= 0; i = w.pending.Next(i) {
		best.offer(i, r.score(g, p, i, n)-p.candidates[i][0].score) // 7
	}
	if best.reduce < 0 {
		return proposal{task: -1, allowed: allowed, why: CauseGravityWait}
	}
	return proposal{task: best.reduce, level: OffRack, allowed: allowed, why: CauseWaited}
}

// rivals returns the scores of the best candidate of reduce i that can take one, n included, and of
// the best other one; -1 for none.
func (r *cogrs) rivals(j *job, i int32, n *node, limit int32) (at, other int64) {
	at, other = -1, -1
	for _, c := range r.planOf(j).candidates[i] { // the best first
		if c.node == nil || !r.canTake(j, c.node, limit) {
			continue
		}
		at = max(at, c.score)
		if c.node != n {
			return at, c.score
		}
	}
	return at, other
}

// bestReduce keeps the reduce of greatest value; ties go to the larger input, then to the one
// offered first.
type bestReduce struct {
	g      *gravity.Outputs
	reduce int32
	value  int64
}

func (b *bestReduce) offer(i int32, value int64) {
	if b.reduce < 0 || value > b.value || value == b.value && b.g.Total(i) > b.g.Total(b.reduce) {
		b.reduce, b.value = i, value
	}
}

// worth is the difference in score that is not worth waiting for.
func (r *cogrs) worth(g *gravity.Outputs, i int32) float64 {
	return r.pol.Theta * float64(int64(r.levels)*g.Total(i))
}

// cap is how many of a job's reduces one node may get: its part of them, and half as many again.
func (r *cogrs) cap(j *job, g *gravity.Outputs) int32 {
	nodes := min(r.c.live, len(g.Feeders()))
	if r.pol.SkewCap < 0 || nodes == 0 {
		return math.MaxInt32
	}
	return int32(max(1, math.Ceil(r.pol.SkewCap*float64(len(j.w[Reduce].tasks))/float64(nodes)-1e-9)))
}

// allowed is how far from its center a reduce of j may go now, as in Algorithm 3 (delay.go).
func (r *cogrs) allowed(j *job) Locality {
	w := r.of.of(j)
	if r.c.order.urgent(j, Reduce) || w.wait >= r.c.heartbeatInterval() && r.idle(j) {
		return OffRack
	}
	level, left := w.level, w.wait
	for ; level < OffRack && left >= r.length(level); level++ {
		left -= r.length(level)
	}
	return level
}

// length is the wait of a level.
func (r *cogrs) length(l Locality) time.Duration {
	if w := r.pol.Waits[l]; w != 0 {
		return max(0, w)
	}
	return r.c.autoWait()
}

// idle reports whether all that is left to do for j is its reduces, with room for all of them in the
// cluster. Then every node with a free slot has asked within a heartbeat interval, and waiting for
// longer is a loss. Waits that the policy sets are kept to.
func (r *cogrs) idle(j *job) bool {
	w := &j.w[Reduce]
	return r.pol.Waits == [2]time.Duration{} && j.unfinished(Map) == 0 && r.c.slots[Reduce]-r.c.running[Reduce] >= w.waiting()*int(j.slots)
}

// launched counts a reduce on n, and starts the wait of its level anew; a copy (AnyPlace) is only
// counted.
func (r *cogrs) launched(j *job, n *node, l Locality) {
	r.count(j, r.planOf(j), n.id)
	if l != AnyPlace {
		r.waiting.remove(j)
		*r.of.of(j) = delayed{level: l, launched: r.c.beat}
	}
}

func (r *cogrs) remove(j *job) {
	if p := *r.plans.of(j); p != nil {
		r.unmark(j, p)
	}
	r.plans.remove(j)
	r.waits.remove(j)
	r.waiting.remove(j)
}

func (r *cogrs) view(j *job) (LocalityView, time.Duration) {
	w := r.of.of(j)
	return LocalityView{Level: w.level, Wait: w.wait, Skipped: w.skipped}, r.c.now + max(0, r.length(0)+r.length(1)-w.wait)
}

// canTake reports whether n can take one more reduce of j: now, or, for all that is known, within
// the wait for the center.
func (r *cogrs) canTake(j *job, n *node, limit int32) bool {
	if !n.open() || n.slots[Reduce] < int(j.slots) || r.c.avoids(j, n) || r.on(j, n) >= limit {
		return false
	}
	return n.free(Reduce) >= int(j.slots) || r.freesSoon(n)
}

// freesSoon reports whether a reduce on n may end within the wait for the center. Its progress tells
// how long it still takes; one without progress may.
func (r *cogrs) freesSoon(n *node) bool {
	for _, ai := range n.atts {
		a := &r.c.atts[ai]
		if a.id.Task.Kind != Reduce || a.suspended {
			continue
		}
		if a.progress == 0 || float64(a.worked(r.c.now))*(1-a.progress) <= a.progress*float64(r.length(0)) {
			return true
		}
	}
	return false
}
