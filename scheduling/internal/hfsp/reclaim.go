package hfsp

import (
	"cmp"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Assign offers the free map slots of n, then its free reduce slots. After each kind it takes back
// slots from larger jobs, if the policy does so.
func (o *Order) Assign(n *core.NodeState) {
	for k := range model.TaskKind(model.Kinds) {
		for n.Free(k) > 0 && o.offerSlot(n, k) {
		}
		if n.Slots[k] == 0 || !o.reclaims() {
			continue
		}
		left := n.Free(k)
		o.reclaim(n, k)
		for n.Free(k) > left && o.offerSlot(n, k) { // a task of several slots returned more than one
		}
	}
}

// offerSlot offers a free slot to the jobs in order and reports whether one took it. A job first
// resumes a task suspended on this node, then launches a new one.
func (o *Order) offerSlot(n *core.NodeState, k model.TaskKind) bool {
	c := o.C
	c.Placement[k].Begin()
	o.reproject(k)
	for j := range c.InOrder(k) { // step 5
		if o.use(j, n, k) {
			return true
		}
	}
	return false
}

// use gives a free slot of n to j and reports whether j took it. A task suspended there comes
// first, then a new task, if j accepts the node.
func (o *Order) use(j *core.Job, n *core.NodeState, k model.TaskKind) bool {
	if ai := o.suspendedOn(j, n, k); ai >= 0 && n.Free(k) >= int(j.Slots) {
		o.C.ResumeAttempt(ai) // step 13
		return true
	}
	return j.Launchable(k) && o.C.Offer(j, n, k) // step 6
}

// ResumeOn resumes suspended attempts in the free slots of n, those of the smallest jobs first.
func (o *Order) ResumeOn(n *core.NodeState) {
	for k := range model.TaskKind(model.Kinds) {
		if n.Free(k) > 0 {
			o.reproject(k)
		}
		for ai := o.nextToResume(n, k); ai >= 0; ai = o.nextToResume(n, k) {
			o.C.ResumeAttempt(ai)
		}
	}
}

// nextToResume returns the index of an attempt suspended on n that fits into the free slots. It is
// one of the smallest job; -1 means none.
func (o *Order) nextToResume(n *core.NodeState, k model.TaskKind) int32 {
	var smallest *Sized
	for _, ai := range n.Atts {
		a := &o.C.Attempts[ai]
		if a.ID.Task.Kind != k || !a.Suspended || n.Free(k) < int(a.Job.Slots) {
			continue
		}
		if v := o.Sized(a.Job, k); smallest == nil || o.Smaller(v, smallest) {
			smallest = v
		}
	}
	if smallest == nil {
		return -1
	}
	return o.suspendedOn(smallest.Job, n, k)
}

// suspendedOn returns the attempt of j to resume on n: the oldest suspended one. Of equally old
// ones it has the lowest task index; -1 means none.
func (o *Order) suspendedOn(j *core.Job, n *core.NodeState, k model.TaskKind) int32 {
	if j.Work[k].Suspended == 0 {
		return -1
	}
	return o.Extreme(j, n, k, true, -1)
}

// Extreme returns j's first launched (sign -1) or last launched (sign 1) attempt on n, of the
// suspended or of the running ones. Of equals it has the lowest task index; -1 means none.
func (o *Order) Extreme(j *core.Job, n *core.NodeState, k model.TaskKind, suspended bool, sign int) int32 {
	best := int32(-1)
	for _, ai := range n.Atts {
		a := &o.C.Attempts[ai]
		if a.Job != j || a.ID.Task.Kind != k || a.Suspended != suspended {
			continue
		}
		if best < 0 {
			best = ai
			continue
		}
		b := &o.C.Attempts[best]
		if cmp.Or(sign*cmp.Compare(a.Start, b.Start), cmp.Compare(b.ID.Task.Index, a.ID.Task.Index)) > 0 {
			best = ai
		}
	}
	return best
}

// MayReclaim reports whether larger jobs may ever have to return slots.
func (o *Order) MayReclaim() bool { return o.Pol.Reclaim != model.WaitForSlot }

// reclaims reports whether larger jobs must return slots now. With suspension, they need not while
// too many tasks are suspended.
func (o *Order) reclaims() bool {
	if o.Pol.Reclaim != model.EagerSuspend || o.Pol.SuspendHigh == 0 {
		return o.Pol.Reclaim != model.WaitForSlot
	}
	switch {
	case o.C.Suspend >= o.Pol.SuspendHigh: // step 14
		o.Waits = true
	case o.C.Suspend <= o.Pol.SuspendLow:
		o.Waits = false
	}
	return !o.Waits
}

// reclaim takes slots of n from larger jobs for smaller ones. It takes one slot at a time and at
// once launches or resumes the smaller job's task in it. It ends when no job may claim a slot of n
// any more.
func (o *Order) reclaim(n *core.NodeState, k model.TaskKind) {
	for o.reclaims() {
		o.reproject(k)
		largest := o.LargestOn(n, k)
		if largest == nil {
			return
		}
		winner, loser := o.Match(n, k, largest) // step 11
		if winner == nil {
			return
		}
		ai := o.Extreme(loser.Job, n, k, false, 1) // the newest running attempt
		if why := (model.Reason{Cause: model.CauseSmallerJob}); o.Pol.Reclaim == model.KillLarger {
			o.C.KillAttempt(ai, why, true)
		} else {
			o.C.SuspendAttempt(ai, why)
		}
		if !o.use(winner.Job, n, k) {
			return
		}
	}
}

// Spare returns the number of slots of kind k that a job may lose. A job that must not be suspended
// loses none. While its size is unknown, it keeps the slots of its training tasks, which measure
// the size [HFSP §3.1.1].
func (o *Order) Spare(v *Sized, k model.TaskKind) int {
	switch {
	case o.Pol.Reclaim != model.KillLarger && v.Job.Spec.NoSuspend:
		return 0
	case !v.Estimate:
		return max(0, v.Job.Work[k].Running-o.Pol.Sample)
	}
	return v.Job.Work[k].Running
}

// LargestOn returns the largest job with a running attempt on n and slots that it may lose, or nil.
func (o *Order) LargestOn(n *core.NodeState, k model.TaskKind) (largest *Sized) {
	for _, ai := range n.Atts {
		a := &o.C.Attempts[ai]
		if a.ID.Task.Kind != k || a.Suspended {
			continue
		}
		if v := o.Sized(a.Job, k); o.Spare(v, k) > 0 && (largest == nil || o.Smaller(largest, v)) {
			largest = v
		}
	}
	return largest
}

// Smaller reports whether a comes before b by size alone.
func (o *Order) Smaller(a, b *Sized) bool { return o.RankOf(a).Before(o.RankOf(b)) }

// Match returns a job that may take a slot on n, and the larger job that loses it; nil if none may.
// In order of size, jobs claim the slots that they lack: first free ones anywhere, then those of
// the largest jobs, each slot once. The first claim on a slot of n decides.
func (o *Order) Match(n *core.NodeState, k model.TaskKind, largest *Sized) (winner, loser *Sized) {
	free := max(0, o.C.Slots[k]-o.C.Running[k])
	losers := o.preemptible[k].All()
	left := 0 // slots of loser that are not claimed yet
	for _, v := range o.claimants[k].All() {
		if !o.Smaller(v, largest) {
			break
		}
		need := v.Job.Work[k].Waiting() + v.Job.Work[k].Suspended
		own := min(need, free)
		free -= own
		need -= own
		for fits := need > 0 && o.Fits(v.Job, n, k); need > 0; {
			if left == 0 {
				if len(losers) == 0 {
					return nil, nil
				}
				loser, losers = losers[0], losers[1:] // step 12
				left = o.Spare(loser, k)
			}
			if !o.Smaller(v, loser) {
				return nil, nil // nor may any job after v
			}
			if fits && o.Extreme(loser.Job, n, k, false, 1) >= 0 {
				return v, loser
			}
			take := min(need, left)
			need -= take
			left -= take
		}
	}
	return nil, nil
}

// Fits reports whether j would take a slot of n: it has a task suspended there, or one that may be
// launched there.
func (o *Order) Fits(j *core.Job, n *core.NodeState, k model.TaskKind) bool {
	if o.suspendedOn(j, n, k) >= 0 {
		return true
	}
	if !j.Launchable(k) || j.Work[k].Waiting() == 0 || j.Slots > 1 || o.C.Avoids(j, n) {
		return false
	}
	return o.C.Placement[k].Place(j, n).Task >= 0
}
