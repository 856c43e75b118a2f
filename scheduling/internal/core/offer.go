package core

import (
	"iter"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Offer offers a free slot of kind k on n to j, which has a launchable task, and reports whether j
// took it.
func (c *Core) Offer(j *Job, n *NodeState, k model.TaskKind) bool {
	if n.Free(k) < int(j.Slots) {
		return c.Skip(j, n, k, model.Reason{Cause: model.CauseSlots, Count: int32(n.Free(k)), Of: j.Slots}, 0)
	}
	if c.Kept(j, k) && n.Free(k) <= c.Policy.ReserveLong && n.Slots[k] > c.Policy.ReserveLong {
		return c.Skip(j, n, k, model.Reason{Cause: model.CauseBusyLong}, 0)
	}
	if c.Avoids(j, n) {
		return c.Skip(j, n, k, c.failureReason(j, n), 0)
	}
	if c.refusals.Of(j)[k] == c.Beat {
		return false // refused earlier in this heartbeat, and nothing has improved since
	}
	p := c.Placement[k].Place(j, n)
	if p.Task < 0 && c.forks(j, n, k) {
		p = c.instead(j, n, k, p)
	}
	switch {
	case p.Task >= 0:
		c.accept(j, n, k, p)
		return true
	case p.Allowed >= model.OffRack && j.Work[k].Waiting() == 0:
		return c.offerCopy(j, n, k)
	}
	return c.refuse(j, n, k, p)
}

// accept launches the proposed task.
func (c *Core) accept(j *Job, n *NodeState, k model.TaskKind, p Proposal) {
	at := c.Placement[k]
	if k == model.Reduce {
		why, placed := c.reason(j, k, p.Why), (*event.Placed)(nil)
		if e, ok := at.(explainer); ok && c.Config.Events != nil {
			placed = e.Explain(j, p.Task, n)
		}
		at.Launched(j, n, p.Level)
		c.Launch(j, k, p.Task, n, model.AnyPlace, why, placed)
		return
	}
	why := c.reason(j, k, near(p.Level, p.Why))
	at.Launched(j, n, p.Level)
	c.Launch(j, k, p.Task, n, p.Level, why, nil)
}

// refuse records why j does not take a slot of n. It always returns false, as Skip does.
func (c *Core) refuse(j *Job, n *NodeState, k model.TaskKind, p Proposal) bool {
	at := c.Placement[k]
	if c.Config.Explain {
		var placed func() *event.Placed
		if e, ok := at.(explainer); ok && c.Tells() {
			placed = func() *event.Placed { return e.Explain(j, -1, n) }
		}
		_, until := at.View(j)
		c.skipAt(j, n, k, c.reason(j, k, p.Why), until, p.Allowed, placed)
	}
	if !at.CountsSlots() {
		c.refusals.Of(j)[k] = c.Beat
	}
	at.Refused(j)
	return false
}

// near returns the cause of a launch at level l. For a map that has a location but is not
// node-local it is off.
func near(l model.Locality, off model.Cause) model.Cause {
	switch l {
	case model.NodeLocal:
		return model.CauseLocal
	case model.AnyPlace:
		return model.CauseNoLocation
	default:
		return off
	}
}

// reason returns a Reason with the cause and, if j waits or has waited, the wait.
func (c *Core) reason(j *Job, k model.TaskKind, why model.Cause) model.Reason {
	switch why {
	case model.CauseWaiting, model.CauseWaited, model.CauseGravityWait, model.CauseMostWait, model.CausePlacementCap, model.CausePlaced, model.CausePlacementWait:
		v, _ := c.Placement[k].View(j)
		reason := model.Reason{Cause: why, Wait: v.Wait, Count: int32(v.Skips)}
		if why == model.CausePlacementWait {
			reason.Count++ // counts this offer
		}
		return reason
	default:
		return model.Reason{Cause: why}
	}
}

// Pick returns the pending map to launch on n: the nearest and, among equals, the one with the
// lowest index, up to level far. Maps without a place come last and may run anywhere. It returns -1
// if it finds none.
func (c *Core) Pick(j *Job, n *NodeState, far model.Locality) (int32, model.Locality) {
	w := &j.Work[model.Map]
	if far == model.NodeLocal && w.Pending.Len() == 0 && !c.near[0].Has(int32(n.ID), j.Index) {
		return -1, model.AnyPlace // the most frequent case
	}
	if w.Placed.Len() > 0 {
		if j.ByPlace.Topo != c.Topo {
			c.BuildIndex(j)
		}
		for l := 0; l < len(j.ByPlace.Levels) && l <= int(far); l++ {
			if m := j.ByPlace.Levels[l].First(n.Site[l], &w.Placed); m >= 0 {
				return m, model.Locality(l)
			}
		}
		if int(far) >= len(j.ByPlace.Levels) {
			return w.Placed.First(), model.Locality(len(j.ByPlace.Levels))
		}
	}
	if w.Pending.Len() > 0 {
		return w.Pending.First(), model.AnyPlace
	}
	return -1, model.AnyPlace
}

// Level returns the distance that map m would have from its data if it ran on n.
func (c *Core) Level(j *Job, m int32, n *NodeState) model.Locality {
	if !j.HasPlace(m) {
		return model.AnyPlace
	}
	p, best := j.Spec.Places, model.OffRack
	for _, id := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
		if at := c.Nodes[id]; at.Joined {
			best = min(best, at.apart(n))
		}
	}
	return best
}

// Kept reports whether j's tasks of kind k are known to be long, so that Policy.ReserveLong applies
// to them.
func (c *Core) Kept(j *Job, k model.TaskKind) bool {
	return c.Policy.ReserveLong > 0 && j.TaskTime(k) > c.Policy.LongTask
}

// JobList is a sorted list of the jobs that have a task of some kind to launch.
type JobList = index.List[*Job]

// Spots holds the position of each job in an order's lists.
type Spots struct {
	Records[[model.Kinds]index.Spot]
}

// Put inserts j into a list of launchable jobs at its rank, moves it, or removes it if it is not
// launchable.
func (s *Spots) Put(l *JobList, j *Job, k model.TaskKind, rankOf func(*Job, model.TaskKind) index.Rank) {
	var r index.Rank
	in := j.Launchable(k)
	if in {
		r = rankOf(j, k)
	}
	l.Put(&s.Of(j)[k], in, r, j)
}

// InOrder yields the jobs that have a task of kind k to launch, in the order in which they are
// offered a slot. The iteration must end after a launch.
func (c *Core) InOrder(k model.TaskKind) iter.Seq[*Job] {
	return func(yield func(*Job) bool) { c.walk(k, yield) }
}

// walk is like InOrder, without an iterator, which would allocate.
func (c *Core) walk(k model.TaskKind, yield func(*Job) bool) {
	for i := 0; ; i++ {
		l := c.Order.Line(k, i)
		if l == nil {
			return
		}
		for _, j := range l.All() {
			if !yield(j) {
				return
			}
		}
	}
}

// Round offers one slot of kind k to the jobs in order until one takes it [Zaharia10 Algorithm 1;
// the comments give its lines; the printed loop lacks its exit].
func (c *Core) Round(n *NodeState, k model.TaskKind) bool {
	c.Placement[k].Begin()
	for j := range c.InOrder(k) { // lines 3, 4
		if c.Offer(j, n, k) { // lines 5 to 8
			return true
		}
	}
	return false
}

// Fill offers each free slot of kind k once. It stops at the first slot that all jobs refuse,
// because they would refuse the next one as well, unless the placement counts refused slots.
func (c *Core) Fill(n *NodeState, k model.TaskKind) {
	countsSlots := k == model.Map && c.Placement[k].CountsSlots()
	for slots := n.Free(k); slots > 0 && n.Free(k) > 0; slots-- {
		if !c.Round(n, k) && !countsSlots {
			return
		}
	}
}
