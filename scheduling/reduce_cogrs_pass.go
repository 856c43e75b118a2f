package scheduling

import (
	"math"
	"math/bits"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// A job that waits for the centers of its reduces, or for their racks, refuses every node to which
// none of them may go, and in no such rack, as long as each pending reduce has a choice that can
// take it. Such a job is armed: a walk passes over it by a few bits. The states, by waitClock.until and
// wait:
//
//	state    until      what a walk does                      how it ends
//	asked    0          asks the job                          armed, once it has refused (arm)
//	armed    > wait     passes over it (next), unless a       lapsed, when its wait has grown to until,
//	                    reduce may go to the node (aim), or,  at which another level may be allowed;
//	                    at level 1, its rack is marked, or    asked, when the nodes or slots there are
//	                    the turn of rescue has come to a      change (clusterChanged), the plan is to be
//	                    reduce that is loose: asks it then;   made anew or all maps are done
//	                    over it without taking a turn, where  (outputsChanged), at a launch
//	                    the node has its part of its reduces
//	lapsed   <= wait    asks the job                          as asked
//
// A reduce is firm if a node of its plan can take it until told otherwise, else loose. A change of a
// node (nodeChanged) or of a node's part (setLimit, count) has those looked at that wait for it.
//
// A job that is not plain is asked in any state. The looks at reduces in turn that rescue would
// have taken while the job was passed over are made up for (pendingChange) before anything looks at
// the turn, or changes the pending reduces.

// next passes over armed jobs, and counts the refusals of a slot on n.
func (r *cogrs) next(l *jobList, at *index.Cursor, n *node) (int32, bool) {
	ask, full, refused, turns := r.toAsk(n), r.full.Row(int32(n.id)), r.clock.refused, r.turns
	for jobs := l.Rest(at); len(jobs) > 0; jobs = l.Rest(at) {
		for i, job := range jobs {
			word, bit := uint(job)>>6, uint64(1)<<(job&63)
			if ask[word]&bit != 0 {
				l.Skip(at, i+1)
				return job, true
			}
			if full[word]&bit == 0 {
				t := &turns[job]
				if t.taken >= t.most {
					l.Skip(at, i+1)
					return job, true
				}
				t.taken++
			}
			refused[word] |= bit
		}
		l.Skip(at, len(jobs))
	}
	return 0, false
}

// toAsk is the jobs that must be asked about a slot on n whosever turn it is: those that are not
// armed, and those of which a reduce may go there, unless the node has its part. It is worked out
// once a walk, as far as no job is asked in between.
func (r *cogrs) toAsk(n *node) index.Bits {
	if r.askOf == n {
		return r.ask
	}
	r.askOf = n
	foreseen := r.clock.foreseen
	plain, wide := r.clock.plain[:len(foreseen)], r.wide[:len(foreseen)]
	full, takes := r.full.Row(int32(n.id))[:len(foreseen)], r.takes.Row(int32(n.id))[:len(foreseen)]
	rack := r.asked[1].Row(n.groups[1])[:len(foreseen)]
	r.ask = r.ask[:0]
	for i, word := range foreseen {
		r.ask = append(r.ask, ^(word&plain[i])|(takes[i]|rack[i]&wide[i])&^full[i])
	}
	return r.ask
}

// arm arms a job that has refused, up to the refusal at which rescue comes to a reduce that is loose.
func (r *cogrs) arm(j *job, level Locality, limit int32) {
	p, t := r.planOf(j), &r.turns[j.index]
	until := r.same(j, level)
	if r.c.walked == nil || !r.clock.plain.Has(j.index) || level > 1 || r.credited(j) >= until || r.armed(j) && t.taken < t.most {
		return
	}
	if !p.judged {
		r.judge(j, limit)
	}
	r.setLimit(j, limit)
	if t.most = r.spare(j, r.tighten(j)); t.most > 0 {
		r.wide.Put(j.index, level > 0)
		r.clock.foresee(j.index, until)
	}
}

// judge finds out of all pending reduces whether they are loose, and where each may go.
func (r *cogrs) judge(j *job, limit int32) {
	p, pending := r.planOf(j), &j.w[Reduce].pending
	p.judged, p.limit = true, limit
	r.remark(j)
	for n, launched := range r.of[j.index].launched.all {
		if launched >= limit {
			r.full.Set(n, j.index)
		}
	}
	p.loose.Assign(pending)
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		if r.aim(j, i) {
			p.loose.Remove(i)
		}
	}
}

// aim has the job asked about those nodes in the plan to which reduce i may go, and tells whether it
// is firm: one of them can take it, and time alone does not change that, for it has a free slot, or
// a reduce that has made no progress yet. To nodes that are worse than that one by what is worth
// waiting for the reduce does not go.
func (r *cogrs) aim(j *job, i int32) bool {
	p := r.planOf(j)
	least := math.Inf(-1)
	for _, c := range p.best[i] {
		if n := c.node; n != nil && (n.free(Reduce) > 0 || n.fresh > 0) && r.reachable(j, n, p.limit) {
			least = float64(c.score) - r.worth(r.c.outputsOf(j), i)
			break
		}
	}
	for _, c := range p.best[i] {
		if c.node != nil && float64(c.score) >= least {
			r.takes.Set(int32(c.node.id), j.index)
		}
	}
	return !math.IsInf(least, -1)
}

// tighten finds the loose reduce to which the turn of rescue comes next, -1 if there is none; those
// before it that turn out to be firm are loose no more.
func (r *cogrs) tighten(j *job) int32 {
	p, pending := r.planOf(j), &j.w[Reduce].pending
	i := p.loose.Next(p.turn)
	for ; p.loose.Len() > 0; i = p.loose.Next(i) {
		if i < 0 {
			i = p.loose.First()
		}
		if pending.Has(i) && !r.aim(j, i) {
			return i
		}
		p.loose.Remove(i)
	}
	return -1
}

// spare is how many refusals leave the turn of rescue before a reduce.
func (r *cogrs) spare(j *job, loose int32) int32 {
	if loose < 0 {
		return math.MaxInt32
	}
	pending := &j.w[Reduce].pending
	return int32((pending.Steps(r.planOf(j).turn, loose) - 1) / min(rescued, pending.Len()))
}

// setLimit notes how many reduces of a job a node may get.
func (r *cogrs) setLimit(j *job, limit int32) {
	p := r.planOf(j)
	if limit == p.limit {
		return
	}
	p.limit = limit
	for n, launched := range r.of[j.index].launched.all {
		r.fill(j, n, launched)
	}
}

// fill notes how many reduces of a job a node has, and has a look at those that wait for it if that
// is its part.
func (r *cogrs) fill(j *job, n, launched int32) {
	p := r.planOf(j)
	switch {
	case !p.judged:
	case launched < p.limit:
		r.full.Clear(n, j.index)
	case !r.full.Has(n, j.index):
		r.full.Set(n, j.index)
		r.loosen(j, r.c.nodes[n])
	}
}

// loosen has a look at the reduces that have n as a choice, which may not be able to take them any
// more. One that no other can take either is loose: an armed job is asked when its turn comes.
func (r *cogrs) loosen(j *job, n *node) {
	t, p, pending := &r.turns[j.index], r.planOf(j), &j.w[Reduce].pending
	if !p.judged {
		return
	}
	for _, h := range r.goodAt(j, n) {
		if !pending.Has(h.reduce) || p.loose.Has(h.reduce) || r.aim(j, h.reduce) {
			continue
		}
		p.loose.Add(h.reduce)
		if r.armed(j) {
			r.pendingChange(j)
			if t.most = min(t.most, r.spare(j, h.reduce)); t.most == 0 {
				r.disarm(j)
			}
		}
	}
}

// same is the wait up to which the level allowed stays the same, as long as no map of the job ends.
func (r *cogrs) same(j *job, level Locality) (until time.Duration) {
	for l := r.level[j.index]; l <= min(level, 1); l++ {
		until += r.length(l)
	}
	if r.pol.Waits == [2]time.Duration{} && j.unfinished(Map) == 0 {
		return min(until, r.c.heartbeatInterval()) // from then on idle slots count
	}
	return until
}

// pendingChange moves the turn of rescue on by the refusals that were only counted.
func (r *cogrs) pendingChange(j *job) {
	t, pending := &r.turns[j.index], &j.w[Reduce].pending
	if t.taken == 0 {
		return
	}
	p := r.planOf(j)
	p.turn = pending.Onward(p.turn, int(t.taken)*min(rescued, pending.Len()))
	if t.most != math.MaxInt32 {
		t.most -= t.taken
	}
	t.taken = 0
	r.c.outputsOf(j).Owe()
}

// mark notes that a job has a node (level 0) or rack (level 1) in its plan, or reduces there.
func (r *cogrs) mark(j *job, level int, group int32) {
	if of := r.of[j.index]; !r.asked[level].Has(group, j.index) {
		r.asked[level].Set(group, j.index)
		of.marked[level] = append(of.marked[level], group)
	}
}

// unmark takes that back.
func (r *cogrs) unmark(j *job, level int, group int32) {
	r.asked[level].Clear(group, j.index)
	if level == 0 {
		r.takes.Clear(group, j.index)
		r.full.Clear(group, j.index)
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
				r.takes.Clear(group, j.index)
				r.full.Clear(group, j.index)
			} else {
				r.unmark(j, l, group)
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
			r.disarm(j)
			r.planOf(j).judged = false
		}
	}
}
