package capacity

import (
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// Assign launches at most one reduce and then one map per heartbeat [Hadoop CapacityTaskScheduler].
func (o *Order) Assign(n *core.NodeState) {
	for _, k := range [...]model.TaskKind{model.Reduce, model.Map} {
		if n.Free(k) > 0 {
			o.C.Placement[k].Begin()
			o.assignKind(n, k)
		}
	}
}

// assignKind offers one slot, or several to one task, to the queues in order. It first respects
// user limits, then ignores them, so that no slot idles. Hadoop skips and so starves a queue whose
// capacity is below one slot on a small cluster; here it comes last and borrows slots.
func (o *Order) assignKind(n *core.NodeState, k model.TaskKind) {
	o.reserved[k] = core.Reach(o.reserved[k], int32(n.ID))
	if j := o.reserved[k][n.ID]; j != nil {
		if n.Slots[k] >= int(j.Slots) && j.Launchable(k) {
			if n.Free(k) < int(j.Slots) {
				return // j waits for more free slots on n
			}
			if o.C.Offer(j, n, k) {
				o.reserved[k][n.ID] = nil
				return
			}
		}
		o.reserved[k][n.ID] = nil
	}
	o.walk = o.Leaves(o.walk[:0], &o.Top, k, true)
	for _, q := range o.walk {
		if q.Occupied[k]+1 > q.maxSlots[k] {
			o.skipQueue(q, n, k, model.Reason{Cause: model.CauseQueueMax, Count: int32(q.Occupied[k]), Of: int32(q.maxSlots[k])})
			continue
		}
		if o.assignQueue(q, n, k, true) || o.assignQueue(q, n, k, false) {
			return
		}
	}
}

// assignQueue offers a slot to jobs of a queue and reports whether one took or reserved it. If
// `within` is set, these are the jobs whose users are below the queue's user limit, otherwise the
// other jobs.
func (o *Order) assignQueue(q *Queue, n *core.NodeState, k model.TaskKind, within bool) bool {
	c := o.C
	for _, j := range q.lists[k].All() {
		if q.Occupied[k] > 0 && q.Occupied[k]+int(j.Slots) > q.maxSlots[k] { // an empty queue may launch any task, otherwise it starves
			c.Skip(j, n, k, model.Reason{Cause: model.CauseQueueMax, Count: int32(q.Occupied[k]), Of: int32(q.maxSlots[k])}, 0)
			continue
		}
		if most := q.userMost(k); q.Users[j.Spec.User].occupied[k]+int(j.Slots) > max(most, int(j.Slots)) {
			c.Skip(j, n, k, model.Reason{Cause: model.CauseUserLimit, Count: int32(q.Users[j.Spec.User].occupied[k]), Of: int32(most)}, 0)
			continue
		}
		if q.overLimit(j, k) == within {
			if within {
				c.Skip(j, n, k, model.Reason{Cause: model.CauseUserLimit}, 0)
			}
			continue // the call with the other value of within offers to j
		}
		if n.Free(k) < int(j.Slots) {
			if o.reserve(j, n, k) {
				return true
			}
			continue
		}
		if c.Offer(j, n, k) {
			return true
		}
	}
	return false
}

// reserve reserves n for a job whose tasks need more slots than are free there. Nothing else is
// launched on n then. A job may reserve one node per waiting task.
func (o *Order) reserve(j *core.Job, n *core.NodeState, k model.TaskKind) bool {
	if o.C.Avoids(j, n) {
		return false
	}
	reservedNodes := 0
	for id, other := range o.reserved[k] {
		if other == j && o.C.Nodes[id].Live {
			reservedNodes++
		}
	}
	if n.Slots[k] >= int(j.Slots) && reservedNodes < j.Work[k].Waiting() {
		o.reserved[k][n.ID] = j
		o.C.Skip(j, n, k, model.Reason{Cause: model.CauseReserved, Count: int32(n.Free(k)), Of: j.Slots}, 0)
		return true
	}
	return false
}

// overLimit reports whether j's user already holds the queue's user limit in slots, or more.
func (q *Queue) overLimit(j *core.Job, k model.TaskKind) bool {
	u := q.Users[j.Spec.User]
	return u.occupied[k] >= shares.OfUser(q.slots[k], q.Occupied[k], int(j.Slots), len(q.Users), q.UserLimit)
}

// userMost returns the slots that UserFactor allows one user, even if other slots are idle.
func (q *Queue) userMost(k model.TaskKind) int {
	if q.UserFactor == 0 {
		return model.NoLimit
	}
	return max(1, int(min(q.UserFactor*float64(q.slots[k]), model.NoLimit)))
}

// Leaves appends the leaf queues below q to list. At each level, queues that use a smaller fraction
// of their capacity come first; equal ones stay in the order of Queue.Sorted. If `kept` is set, the
// new order replaces Queue.Sorted.
func (o *Order) Leaves(list []*Queue, q *Queue, k model.TaskKind, kept bool) []*Queue {
	s := q.Sorted[k]
	if !kept {
		s = slices.Clone(s)
	}
	for i := 1; i < len(s); i++ { // almost sorted already
		for p := i; p > 0 && s[p].before(s[p-1], k); p-- {
			s[p], s[p-1] = s[p-1], s[p]
		}
	}
	for _, ch := range s {
		if len(ch.Children) == 0 {
			list = append(list, ch)
		} else {
			list = o.Leaves(list, ch, k, kept)
		}
	}
	return list
}

// Line implements core.Order: it returns the jobs of the i-th leaf queue in the order in which
// Assign would offer slots now. Explanations and snapshots call it, so it must not change
// Queue.Sorted.
func (o *Order) Line(k model.TaskKind, i int) *core.JobList {
	if i == 0 {
		o.lines = o.Leaves(o.lines[:0], &o.Top, k, false)
	}
	if i >= len(o.lines) {
		return nil
	}
	return &o.lines[i].lists[k]
}

// before reports whether q uses a smaller fraction of its capacity than r; a queue without capacity
// counts as full.
func (q *Queue) before(r *Queue, k model.TaskKind) bool {
	return q.Used(k) < r.Used(k)
}

// Used returns the slots that q holds, as a fraction of its capacity; 1 if it has no capacity.
func (q *Queue) Used(k model.TaskKind) float64 {
	if q.slots[k] == 0 {
		return 1
	}
	return float64(q.Occupied[k]) / float64(q.slots[k])
}

// skipQueue records for each job of a queue why it was passed over, if Config.Explain is set.
func (o *Order) skipQueue(q *Queue, n *core.NodeState, k model.TaskKind, why model.Reason) {
	if !o.C.Config.Explain {
		return
	}
	for _, j := range q.lists[k].All() {
		o.C.Skip(j, n, k, why, 0)
	}
}

// TellGroups emits, per queue, its capacity in slots, the slots that its jobs could use, and those
// that they hold, if one has changed.
func (o *Order) TellGroups() {
	for _, q := range o.Queues {
		q.wants = [model.Kinds]int{}
	}
	for _, j := range o.C.Active {
		for q := o.QueueOf(j); q != nil; q = q.Above {
			for k := range model.TaskKind(model.Kinds) {
				q.wants[k] += j.Demand(k) * int(j.Slots)
			}
		}
	}
	for _, q := range o.Queues {
		now := core.Figures{Demand: q.wants, Running: q.Occupied}
		for k := range model.Kinds {
			now.Shares[k], now.Max[k] = float64(q.slots[k]), core.MaximumTold(q.maxSlots[k])
		}
		o.C.TellGroup(q.Name, &q.lastShares, now)
	}
}

// QueueViews returns a snapshot of each queue, in the order of the configuration.
func (o *Order) QueueViews() []view.Queue {
	var views []view.Queue
	for _, q := range o.Queues {
		v := view.Queue{
			Name: q.Name, Parent: q.Parent, Leaf: len(q.Children) == 0, Config: q.QueueConfig, Capacity: q.slots, Max: q.maxSlots,
			Occupied: q.Occupied, Jobs: q.jobs, Users: len(q.Users),
		}
		for _, j := range o.C.Active {
			if o.QueueOf(j) == q {
				for k := range model.TaskKind(model.Kinds) {
					v.Kinds[k].Running += j.Work[k].Running
					v.Kinds[k].Demand += j.Demand(k)
				}
			}
		}
		views = append(views, v)
	}
	return views
}
