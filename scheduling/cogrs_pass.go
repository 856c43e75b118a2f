package scheduling

import (
	"math/bits"
	"time"
)

// A job that waits for the centers of its reduces, or for their racks, refuses every node that is
// no choice of any of them, and in no such rack, as long as each pending reduce has a choice that
// can take it. Such jobs are armed: until their wait is as long as until, or something happens to a
// node that they wait for, a walk passes over them by a bit or two. The looks at reduces in turn
// that rescue would have taken meanwhile are made up for when the job is asked again.

// passes tells that a job is armed, and counts the refusal of a slot on n.
func (r *cogrs) passes(w *waitState, n *node) bool {
	if w.wait >= w.until || r.c.centers[0].has(int32(n.id), w.seat) || w.near > 0 && r.c.centers[1].has(n.groups[1], w.seat) {
		return false
	}
	r.clock.refuse(w)
	w.skips++
	return true
}

// arm arms a job that has refused as often as it has reduces to launch, if each of them has a node
// that can take it until told otherwise.
func (r *cogrs) arm(j *job, level Locality, limit int32) {
	w, g, pending := j.wait[Reduce], j.gravity, &j.w[Reduce].pending
	until := r.same(j, level)
	if r.c.walked == nil || !w.plain || level > 1 || w.wait >= until || w.wait < w.until {
		return
	}
	if g.plan.refused++; g.plan.refused < pending.n {
		return
	}
	g.plan.refused = 0
	for i := pending.first(); i >= 0; i = pending.next(i) {
		if !r.firm(j, i, limit) {
			return
		}
	}
	for _, h := range g.plan.byNode {
		r.c.mark(j, 0, h.group)
	}
	for _, h := range g.plan.byRack {
		r.c.mark(j, 1, h.group)
	}
	w.near, w.until = level, until
}

// same is the wait up to which the level allowed stays the same, as long as no map of the job ends.
func (r *cogrs) same(j *job, level Locality) (until time.Duration) {
	for l := j.wait[Reduce].level; l <= min(level, 1); l++ {
		until += r.length(l)
	}
	if r.pol.Waits == [2]time.Duration{} && j.unfinished(Map) == 0 {
		return min(until, r.c.heartbeatInterval()) // from then on idle slots count
	}
	return until
}

// firm tells whether one of the nodes in the plan can take reduce i, and time alone does not change
// that: it has a free slot, or a reduce that has made no progress yet.
func (r *cogrs) firm(j *job, i int32, limit int32) bool {
	for _, c := range j.gravity.plan.best[i] {
		n := c.node
		if n == nil || !r.reachable(j, n, limit) {
			continue
		}
		if n.free(Reduce) > 0 {
			return true
		}
		for _, ai := range n.atts {
			if a := &r.c.atts[ai]; a.id.Task.Kind == Reduce && !a.suspended && a.progress == 0 {
				return true
			}
		}
	}
	return false
}

// catchUp moves the turn of rescue on by the refusals that were only counted. It must come before
// the pending reduces change.
func (r *cogrs) catchUp(j *job) {
	w, pending := j.wait[Reduce], &j.w[Reduce].pending
	steps := int(w.skips) * min(rescued, pending.n)
	w.skips = 0
	if steps == 0 || j.gravity == nil {
		return
	}
	p := &j.gravity.plan
	for steps = 1 + (steps-1)%pending.n; steps > 0; steps-- {
		if p.turn = pending.next(p.turn); p.turn < 0 {
			p.turn = pending.first()
		}
	}
}

// mark notes that a job must be asked about a node (level 0) or rack (level 1).
func (c *Core) mark(j *job, level int, group int32) {
	if !c.centers[level].has(group, j.seat) {
		c.centers[level].set(group, j.seat)
		j.marked[level] = append(j.marked[level], group)
	}
}

// disturbed tells that n may no longer be able to take a reduce soon.
func (c *Core) disturbed(n *node) {
	for i, word := range c.centers[0].row(int32(n.id)) {
		for ; word != 0; word &= word - 1 {
			c.seated[i*64+bits.TrailingZeros64(word)].wait[Reduce].until = 0
		}
	}
}

// disarm has all jobs asked again.
func (c *Core) disarm() {
	for _, j := range c.active {
		j.wait[Reduce].until = 0
	}
}
