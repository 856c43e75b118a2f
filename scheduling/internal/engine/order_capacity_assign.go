package engine

import (
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// assign gives a node at most one reduce and then one map per heartbeat [Hadoop
// CapacityTaskScheduler].
func (o *capacity) assign(n *node) {
	for _, k := range [...]TaskKind{Reduce, Map} {
		if n.free(k) > 0 {
			o.c.placement[k].begin()
			o.assignKind(n, k)
		}
	}
}

// assignKind offers one slot, or several to one task, to the queues in order: first within the user
// limits, then, so that no slot idles, without. Hadoop passes over a queue whose capacity is cut
// down to no whole slot, which starves it on a small cluster; here it comes last, and borrows.
func (o *capacity) assignKind(n *node, k TaskKind) {
	o.reserved[k] = reach(o.reserved[k], int32(n.id))
	if j := o.reserved[k][n.id]; j != nil {
		if n.slots[k] >= int(j.slots) && j.launchable(k) {
			if n.free(k) < int(j.slots) {
				return // it waits for more slots to become free here
			}
			if o.c.offer(j, n, k) {
				o.reserved[k][n.id] = nil
				return
			}
		}
		o.reserved[k][n.id] = nil
	}
	o.walk = o.leaves(o.walk[:0], &o.top, k, true)
	for _, q := range o.walk {
		if q.occupied[k]+1 > q.most[k] {
			o.skipQueue(q, n, k, Reason{Cause: CauseQueueMax, Count: int32(q.occupied[k]), Of: int32(q.most[k])})
			continue
		}
		if o.assignQueue(q, n, k, true) || o.assignQueue(q, n, k, false) {
			return
		}
	}
}

// assignQueue offers a slot to the jobs of a queue; true ends the offers of this kind.
func (o *capacity) assignQueue(q *queue, n *node, k TaskKind, limits bool) bool {
	c := o.c
	for j := range c.in(&q.lists[k]) {
		if q.occupied[k] > 0 && q.occupied[k]+int(j.slots) > q.most[k] { // an empty queue may launch any task, else it starves
			c.skip(j, n, k, Reason{Cause: CauseQueueMax, Count: int32(q.occupied[k]), Of: int32(q.most[k])}, 0)
			continue
		}
		if most := q.userMost(k); q.users[j.spec.User].occupied[k]+int(j.slots) > max(most, int(j.slots)) {
			c.skip(j, n, k, Reason{Cause: CauseUserLimit, Count: int32(q.users[j.spec.User].occupied[k]), Of: int32(most)}, 0)
			continue
		}
		over := q.overLimit(j, k)
		if over == limits {
			if limits {
				c.skip(j, n, k, Reason{Cause: CauseUserLimit}, 0)
			}
			continue // over the limit in the first round, offered already in the second
		}
		if n.free(k) < int(j.slots) {
			if o.reserve(j, n, k) {
				return true
			}
			continue
		}
		if c.offer(j, n, k) {
			return true
		}
	}
	return false
}

// reserve keeps a node for a job whose task needs more slots than are free, unless it has enough
// nodes reserved. Nothing else is launched then.
func (o *capacity) reserve(j *job, n *node, k TaskKind) bool {
	if o.c.avoids(j, n) {
		return false
	}
	held := 0
	for id, other := range o.reserved[k] {
		if other == j && o.c.nodes[id].live {
			held++
		}
	}
	if n.slots[k] >= int(j.slots) && held < j.w[k].waiting() {
		o.reserved[k][n.id] = j
		o.c.skip(j, n, k, Reason{Cause: CauseReserved, Count: int32(n.free(k)), Of: j.slots}, 0)
		return true
	}
	return false
}

// overLimit tells whether j's user holds at least the user limit of the queue.
func (q *queue) overLimit(j *job, k TaskKind) bool {
	u := q.users[j.spec.User]
	return u.occupied[k] >= shares.OfUser(q.slots[k], q.occupied[k], int(j.slots), len(q.users), q.UserLimit)
}

// userMost is how many slots one user may hold by UserFactor, whatever is idle.
func (q *queue) userMost(k TaskKind) int {
	if q.UserFactor == 0 {
		return NoLimit
	}
	return max(1, int(min(q.UserFactor*float64(q.slots[k]), NoLimit)))
}

// leaves appends the queues with jobs below q to a list: at each level by the part of their
// capacity in use, equal ones in the order of the walk before, which this one is if it is kept.
func (o *capacity) leaves(list []*queue, q *queue, k TaskKind, kept bool) []*queue {
	s := q.sorted[k]
	if !kept {
		s = slices.Clone(s)
	}
	for i := 1; i < len(s); i++ { // all but sorted already
		for p := i; p > 0 && s[p].before(s[p-1], k); p-- {
			s[p], s[p-1] = s[p-1], s[p]
		}
	}
	for _, ch := range s {
		if len(ch.children) == 0 {
			list = append(list, ch)
		} else {
			list = o.leaves(list, ch, k, kept)
		}
	}
	return list
}

// line is that of the i-th leaf. It answers questions; slots are offered by assign.
func (o *capacity) line(k TaskKind, i int) *jobList {
	if i == 0 {
		o.shown = o.leaves(o.shown[:0], &o.top, k, false)
	}
	if i >= len(o.shown) {
		return nil
	}
	return &o.shown[i].lists[k]
}

// before compares occupied over capacity; a queue without capacity counts as full.
func (q *queue) before(r *queue, k TaskKind) bool {
	return q.used(k) < r.used(k)
}

func (q *queue) used(k TaskKind) float64 {
	if q.slots[k] == 0 {
		return 1
	}
	return float64(q.occupied[k]) / float64(q.slots[k])
}

// skipQueue notes that all jobs of a queue were passed over.
func (o *capacity) skipQueue(q *queue, n *node, k TaskKind, why Reason) {
	if !o.c.cfg.Explain {
		return
	}
	for j := range o.c.in(&q.lists[k]) {
		o.c.skip(j, n, k, why, 0)
	}
}

// tellGroups says what each queue's capacity is, in slots, what its jobs could use and what they hold,
// where that has changed.
func (o *capacity) tellGroups() {
	for _, q := range o.queues {
		q.wants = [kinds]int{}
	}
	for _, j := range o.c.active {
		if j.state.Ended() {
			continue
		}
		for q := o.queueOf(j); q != nil; q = q.parent {
			for k := range TaskKind(kinds) {
				q.wants[k] += j.demand(k) * int(j.slots)
			}
		}
	}
	for _, q := range o.queues {
		now := figures{demand: q.wants, running: q.occupied}
		for k := range kinds {
			now.shares[k], now.max[k] = float64(q.slots[k]), maximumTold(q.most[k])
		}
		o.c.tellGroup(q.Name, &q.told, now)
	}
}

func (o *capacity) queueViews() []QueueView {
	var views []QueueView
	for _, q := range o.queues {
		v := QueueView{
			Name: q.Name, Parent: q.Parent, Leaf: len(q.children) == 0, Config: q.QueueConfig, Capacity: q.slots, Max: q.most,
			Occupied: q.occupied, Jobs: q.jobs, Users: len(q.users),
		}
		for _, j := range o.c.active {
			if !j.state.Ended() && o.queueOf(j) == q {
				for k := range TaskKind(kinds) {
					v.Kinds[k].Running += j.w[k].running
					v.Kinds[k].Demand += j.demand(k)
				}
			}
		}
		views = append(views, v)
	}
	return views
}
