package scheduling

import (
	"math/bits"
	"time"
)

// A job that waits for the centers of its reduces, or for their racks, refuses every node that is
// no choice of any of them, and in no such rack, as long as each pending reduce has a choice that
// can take it. Such a job is armed: a walk passes over it by a bit or two. The states, by
// reduceWait.until and wait:
//
//	state    until      what a walk does                      how it ends
//	asked    0          asks the job                          armed, once it has refused, and each of
//	                                                          its pending reduces has a node that is
//	                                                          firm: none is loose (arm)
//	armed    > wait     passes over it (passOver), unless     lapsed, when its wait has grown to until,
//	                    it is marked for the node, or, at     at which another level may be allowed;
//	                    level 1, for its rack: asks it then   asked, when a reduce becomes loose for a
//	                                                          change of a node (nodeChanged), when the
//	                                                          nodes or slots there are change
//	                                                          (clusterChanged), a map output
//	                                                          (outputsChanged), at a launch
//	lapsed   <= wait    asks the job                          as asked
//
// A job that is not plain is asked in any state. The looks at reduces in turn that rescue would
// have taken while the job was passed over are made up for (pendingChange) before anything looks at
// the turn, or changes the pending reduces.

// passOver passes over an armed job, and counts the refusal of a slot on n.
func (r *cogrs) passOver(job int32, n *node) bool {
	w := &r.wait[job]
	if !w.plain || w.wait >= w.until || r.asked[0].Has(int32(n.id), job) || w.near > 0 && r.asked[1].Has(n.groups[1], job) {
		return false
	}
	r.clock.refuse(&w.waited)
	w.turns++
	return true
}

// arm arms a job that has refused, if each of its reduces to launch has a node that can take it
// until told otherwise. The reduces of which that is not known are loose; a look at them ends at the
// first that has none.
func (r *cogrs) arm(j *job, level Locality, limit int32) {
	w, p, pending := r.at(j), r.planOf(j), &j.w[Reduce].pending
	until := r.same(j, level)
	if r.c.walked == nil || !w.plain || level > 1 || w.wait >= until || w.wait < w.until {
		return
	}
	switch {
	case !p.judged:
		p.judged = true
		p.loose.Assign(pending)
		r.remark(j)
	case limit < p.limit:
		for n, launched := range r.of[j.index].launched.all {
			if launched >= limit {
				r.loosen(j, r.c.nodes[n])
			}
		}
	}
	p.limit = limit
	for i := p.loose.First(); i >= 0; i = p.loose.First() {
		if pending.Has(i) && !r.firm(j, i, limit) {
			return
		}
		p.loose.Remove(i)
	}
	w.near, w.until = level, until
}

// loosen has a look at the reduces that have n as a choice, which may not be able to take them any
// more. One that no other can take either ends the arms.
func (r *cogrs) loosen(j *job, n *node) {
	p, pending := r.planOf(j), &j.w[Reduce].pending
	if !p.judged {
		return
	}
	limit := r.cap(j, r.c.outputsOf(j))
	for _, h := range r.goodAt(j, n) {
		if pending.Has(h.reduce) && !p.loose.Has(h.reduce) && !r.firm(j, h.reduce, limit) {
			p.loose.Add(h.reduce)
			r.at(j).until = 0
		}
	}
}

// same is the wait up to which the level allowed stays the same, as long as no map of the job ends.
func (r *cogrs) same(j *job, level Locality) (until time.Duration) {
	for l := r.at(j).level; l <= min(level, 1); l++ {
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
	for _, c := range r.planOf(j).best[i] {
		n := c.node
		if n == nil || !r.reachable(j, n, limit) {
			continue
		}
		if n.free(Reduce) > 0 || n.fresh > 0 {
			return true
		}
	}
	return false
}

// pendingChange moves the turn of rescue on by the refusals that were only counted.
func (r *cogrs) pendingChange(j *job) {
	w, pending := r.at(j), &j.w[Reduce].pending
	steps := int(w.turns) * min(rescued, pending.Len())
	w.turns = 0
	if steps > 0 {
		p := r.planOf(j)
		p.turn = pending.Onward(p.turn, steps)
	}
}

// mark notes that a job must be asked about a node (level 0) or rack (level 1).
func (r *cogrs) mark(j *job, level int, group int32) {
	if of := r.of[j.index]; !r.asked[level].Has(group, j.index) {
		r.asked[level].Set(group, j.index)
		of.marked[level] = append(of.marked[level], group)
	}
}

// remark marks a job for the nodes and racks in its plan, for the nodes that have some of its
// reduces, and for no others.
func (r *cogrs) remark(j *job) {
	of := r.of[j.index]
	for l, groups := range of.marked {
		of.marked[l] = groups[:0]
		for _, group := range groups {
			if l == 0 && r.on(j, r.c.nodes[group]) > 0 {
				of.marked[l] = append(of.marked[l], group)
			} else {
				r.asked[l].Clear(group, j.index)
			}
		}
	}
	for _, h := range of.plan.byNode {
		r.mark(j, 0, h.group)
	}
	for _, h := range of.plan.byRack {
		r.mark(j, 1, h.group)
	}
}

// nodeChanged has a look at the reduces that wait for n.
func (r *cogrs) nodeChanged(n *node) {
	for i, word := range r.asked[0].Row(int32(n.id)) {
		for ; word != 0; word &= word - 1 {
			r.loosen(r.c.byIndex[i*64+bits.TrailingZeros64(word)], n)
		}
	}
}

// clusterChanged has all jobs asked again, and all their reduces looked at.
func (r *cogrs) clusterChanged() {
	r.listed = false
	for _, j := range r.c.active {
		if !j.state.Ended() {
			r.at(j).until, r.planOf(j).judged = 0, false
		}
	}
}
