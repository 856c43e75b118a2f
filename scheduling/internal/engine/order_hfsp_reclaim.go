package engine

import (
	"cmp"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// assign fills the free map slots, then the reduce slots; of each kind it then takes back slots
// from larger jobs, if the policy does so.
func (o *hfsp) assign(n *node) {
	for k := range TaskKind(kinds) {
		for n.free(k) > 0 && o.offerSlot(n, k) {
		}
		if n.slots[k] == 0 || !o.reclaims() {
			continue
		}
		left := n.free(k)
		o.reclaim(n, k)
		for n.free(k) > left && o.offerSlot(n, k) { // a task of several slots gave more than one
		}
	}
}

// offerSlot offers a free slot to the jobs in order: a task of theirs that is suspended here
// resumes before a new one is launched.
func (o *hfsp) offerSlot(n *node, k TaskKind) bool {
	c := o.c
	c.placement[k].begin()
	o.reproject(k)
	for j := range c.inOrder(k) { // 5
		if o.use(j, n, k) {
			return true
		}
	}
	return false
}

// use gives a free slot of n to j, if it has a task for it.
func (o *hfsp) use(j *job, n *node, k TaskKind) bool {
	if ai := o.suspendedOn(j, n, k); ai >= 0 && n.free(k) >= int(j.slots) {
		o.c.resumeAttempt(ai) // 13
		return true
	}
	return j.launchable(k) && o.c.offer(j, n, k) // 6
}

// resumeOn resumes what fits into the free slots of n, of the smallest jobs first.
func (o *hfsp) resumeOn(n *node) {
	for k := range TaskKind(kinds) {
		if n.free(k) > 0 {
			o.reproject(k)
		}
		for ai := o.nextToResume(n, k); ai >= 0; ai = o.nextToResume(n, k) {
			o.c.resumeAttempt(ai)
		}
	}
}

// nextToResume finds the suspended attempt of the smallest job that fits into the free slots of n,
// or -1.
func (o *hfsp) nextToResume(n *node, k TaskKind) int32 {
	var smallest *sized
	for _, ai := range n.atts {
		a := &o.c.atts[ai]
		if a.id.Task.Kind != k || !a.suspended || n.free(k) < int(a.job.slots) {
			continue
		}
		if v := o.sized(a.job, k); smallest == nil || o.smaller(v, smallest) {
			smallest = v
		}
	}
	if smallest == nil {
		return -1
	}
	return o.suspendedOn(smallest.job, n, k)
}

// suspendedOn finds the attempt of j to resume on n, or -1: the oldest, of least index.
func (o *hfsp) suspendedOn(j *job, n *node, k TaskKind) int32 {
	if j.w[k].suspended == 0 {
		return -1
	}
	return o.extreme(j, n, k, true, -1)
}

// extreme finds j's first launched (sign -1) or last launched (sign 1) attempt on n, running or
// suspended; of several the one of least index; -1 if there is none.
func (o *hfsp) extreme(j *job, n *node, k TaskKind, suspended bool, sign int) int32 {
	best := int32(-1)
	for _, ai := range n.atts {
		a := &o.c.atts[ai]
		if a.job != j || a.id.Task.Kind != k || a.suspended != suspended {
			continue
		}
		if best < 0 {
			best = ai
			continue
		}
		b := &o.c.atts[best]
		if cmp.Or(sign*cmp.Compare(a.start, b.start), cmp.Compare(b.id.Task.Index, a.id.Task.Index)) > 0 {
			best = ai
		}
	}
	return best
}

// mayReclaim tells whether larger jobs may ever have to give slots back.
func (o *hfsp) mayReclaim() bool { return o.pol.Reclaim != WaitForSlot }

// reclaims tells whether larger jobs are made to give slots back now: not while too many tasks are
// suspended.
func (o *hfsp) reclaims() bool {
	if o.pol.Reclaim != EagerSuspend || o.pol.SuspendHigh == 0 {
		return o.pol.Reclaim != WaitForSlot
	}
	switch {
	case o.c.suspend >= o.pol.SuspendHigh: // 14
		o.waits = true
	case o.c.suspend <= o.pol.SuspendLow:
		o.waits = false
	}
	return !o.waits
}

// reclaim takes slots of n from larger jobs, one after the other, each right before the task that
// takes it.
func (o *hfsp) reclaim(n *node, k TaskKind) {
	for o.reclaims() {
		o.reproject(k)
		largest := o.largestOn(n, k)
		if largest == nil {
			return
		}
		winner, loser := o.match(n, k, largest) // 11
		if winner == nil {
			return
		}
		ai := o.extreme(loser.job, n, k, false, 1)
		if why := (Reason{Cause: CauseSmallerJob}); o.pol.Reclaim == KillLarger {
			o.c.kill(ai, why, true)
		} else {
			o.c.suspendAttempt(ai, why)
		}
		if !o.use(winner.job, n, k) {
			return
		}
	}
}

// spare is how many slots of kind k a job may lose: none if it must not be suspended, and while its
// size is unknown only those beyond its sample, which the training keeps [HFSP §3.1.1].
func (o *hfsp) spare(v *sized, k TaskKind) int {
	switch {
	case o.pol.Reclaim != KillLarger && v.job.spec.NoSuspend:
		return 0
	case !v.estimate:
		return max(0, v.job.w[k].running-o.pol.Sample)
	}
	return v.job.w[k].running
}

// largestOn finds the largest job with a running attempt on n that may lose its slot.
func (o *hfsp) largestOn(n *node, k TaskKind) (largest *sized) {
	for _, ai := range n.atts {
		a := &o.c.atts[ai]
		if a.id.Task.Kind != k || a.suspended {
			continue
		}
		if v := o.sized(a.job, k); o.spare(v, k) > 0 && (largest == nil || o.smaller(largest, v)) {
			largest = v
		}
	}
	return largest
}

func (o *hfsp) smaller(a, b *sized) bool { return o.rankOf(a).Compare(o.rankOf(b)) < 0 }

// match lets the jobs in order of size claim the slots they lack, first free ones anywhere, then
// those of the largest jobs, each slot claimed once, and returns the first job that claims a slot
// that a job has here, and that job.
func (o *hfsp) match(n *node, k TaskKind, largest *sized) (winner, loser *sized) {
	free := max(0, o.c.slots[k]-o.c.running[k])
	var small, large index.Cursor
	left := 0 // slots of loser not claimed yet
	for v, ok := o.needy[k].Next(&small); ok && o.smaller(v, largest); v, ok = o.needy[k].Next(&small) {
		need := v.job.w[k].waiting() + v.job.w[k].suspended
		own := min(need, free)
		free -= own
		need -= own
		for fits := need > 0 && o.fits(v.job, n, k); need > 0; {
			if left == 0 {
				if loser, ok = o.holders[k].Next(&large); !ok { // 12
					return nil, nil
				}
				left = o.spare(loser, k)
			}
			if !o.smaller(v, loser) {
				return nil, nil // nor is any after v
			}
			if fits && o.extreme(loser.job, n, k, false, 1) >= 0 {
				return v, loser
			}
			take := min(need, left)
			need -= take
			left -= take
		}
	}
	return nil, nil
}

// fits tells whether j would take a slot of n: it has a task suspended here, or one that may be
// launched here.
func (o *hfsp) fits(j *job, n *node, k TaskKind) bool {
	if o.suspendedOn(j, n, k) >= 0 {
		return true
	}
	if !j.launchable(k) || j.w[k].waiting() == 0 || j.slots > 1 || o.c.avoids(j, n) {
		return false
	}
	return o.c.placement[k].place(j, n).task >= 0
}
