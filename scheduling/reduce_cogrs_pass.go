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
//	asked    0          asks the job                          armed, once it has refused as often as
//	                                                          it has pending reduces, and each of
//	                                                          them has a node that is firm (arm)
//	armed    > wait     passes over it (passOver), unless     lapsed, when its wait has grown to until,
//	                    it is marked for the node, or, at     at which another level may be allowed;
//	                    level 1, for its rack: asks it then   asked, when one of these changes: a node
//	                                                          it is marked for (nodeChanged), the
//	                                                          nodes or slots there are
//	                                                          (clusterChanged), a map output
//	                                                          (outputsChanged), a launch
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

// arm arms a job that has refused as often as it has reduces to launch, if each of them has a node
// that can take it until told otherwise.
func (r *cogrs) arm(j *job, level Locality, limit int32) {
	w, p, pending := r.at(j), r.planOf(j), &j.w[Reduce].pending
	until := r.same(j, level)
	if r.c.walked == nil || !w.plain || level > 1 || w.wait >= until || w.wait < w.until {
		return
	}
	if p.refused++; p.refused < pending.Len() {
		return
	}
	p.refused = 0
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		if !r.firm(j, i, limit) {
			return
		}
	}
	for _, h := range p.byNode {
		r.mark(j, 0, h.group)
	}
	for _, h := range p.byRack {
		r.mark(j, 1, h.group)
	}
	w.near, w.until = level, until
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

// pendingChange moves the turn of rescue on by the refusals that were only counted.
func (r *cogrs) pendingChange(j *job) {
	w, pending := r.at(j), &j.w[Reduce].pending
	steps := int(w.turns) * min(rescued, pending.Len())
	w.turns = 0
	if steps == 0 {
		return
	}
	p := r.planOf(j)
	for steps = 1 + (steps-1)%pending.Len(); steps > 0; steps-- {
		if p.turn = pending.Next(p.turn); p.turn < 0 {
			p.turn = pending.First()
		}
	}
}

// mark notes that a job must be asked about a node (level 0) or rack (level 1).
func (r *cogrs) mark(j *job, level int, group int32) {
	if of := r.of[j.index]; !r.asked[level].Has(group, j.index) {
		r.asked[level].Set(group, j.index)
		of.marked[level] = append(of.marked[level], group)
	}
}

// nodeChanged has the jobs asked again that wait for n.
func (r *cogrs) nodeChanged(n *node) {
	for i, word := range r.asked[0].Row(int32(n.id)) {
		for ; word != 0; word &= word - 1 {
			r.wait[i*64+bits.TrailingZeros64(word)].until = 0
		}
	}
}

// clusterChanged has all jobs asked again.
func (r *cogrs) clusterChanged() {
	for _, j := range r.c.active {
		if !j.state.Ended() {
			r.at(j).until = 0
		}
	}
}
