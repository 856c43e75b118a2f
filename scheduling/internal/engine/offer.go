package engine

import (
	"iter"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// offer offers one free slot of kind k on n to j, which has a launchable task, and tells whether j
// took it.
func (c *Core) offer(j *job, n *node, k TaskKind) bool {
	if n.free(k) < int(j.slots) {
		return c.skip(j, n, k, Reason{Cause: CauseSlots, Count: int32(n.free(k)), Of: j.slots}, 0)
	}
	if c.kept(j, k) && n.free(k) <= c.pol.ReserveLong && n.slots[k] > c.pol.ReserveLong {
		return c.skip(j, n, k, Reason{Cause: CauseBusyLong}, 0)
	}
	if c.avoids(j, n) {
		return c.skip(j, n, k, j.trouble.reason(c, n), 0)
	}
	if c.refusals[k][j.index] == c.beat {
		return false // as before in this heartbeat: nothing has changed for the better since
	}
	p := c.placement[k].place(j, n)
	switch {
	case p.task >= 0:
		c.accept(j, n, k, p)
		return true
	case p.allowed >= c.far && j.w[k].waiting() == 0:
		return c.offerCopy(j, n, k)
	}
	return c.refuse(j, n, k, p)
}

// accept launches what is proposed, or what the task selector wants instead.
func (c *Core) accept(j *job, n *node, k TaskKind, p proposal) {
	at := c.placement[k]
	if k == Reduce {
		i := c.selected(j, k, n, p.task, AnyPlace)
		why, placed := c.reason(j, k, p.why), (*Placed)(nil)
		if e, ok := at.(explainer); ok && c.cfg.Events != nil {
			placed = e.explain(j, i, n)
		}
		at.launched(j, n, p.level)
		c.launch(j, k, i, n, AnyPlace, why, placed)
		return
	}
	m, l := p.task, p.level
	if i := c.selected(j, k, n, m, p.allowed); i != m {
		m, l = i, c.level(j, i, n)
	}
	why := c.reason(j, k, near(l, p.why))
	at.launched(j, n, l)
	c.launch(j, k, m, n, l, why, nil)
}

// refuse notes that j does not take a slot of n. It always returns false, as skip does.
func (c *Core) refuse(j *job, n *node, k TaskKind, p proposal) bool {
	at := c.placement[k]
	if c.explains() {
		var placed func() *Placed
		if e, ok := at.(explainer); ok && c.tells() {
			placed = func() *Placed { return e.explain(j, -1, n) }
		}
		_, until := at.view(j)
		c.skipAt(j, n, k, c.reason(j, k, p.why), until, p.allowed, placed)
	}
	if !at.again() {
		c.refusals[k][j.index] = c.beat
	}
	at.refused(j)
	return false
}

// near is the cause of a launch at level l; off is that of one off its data.
func near(l Locality, off Cause) Cause {
	switch l {
	case NodeLocal:
		return CauseLocal
	case AnyPlace:
		return CauseNoLocation
	default:
		return off
	}
}

// reason gives a cause, and where it is that j waits or has waited, how long.
func (c *Core) reason(j *job, k TaskKind, why Cause) Reason {
	switch why {
	case CauseWaiting, CauseWaited, CauseGravityWait, CausePlacementCap, CausePlaced, CausePlacementWait:
		v, _ := c.placement[k].view(j)
		reason := Reason{Cause: why, Wait: v.Wait, Count: int32(v.Skips)}
		if why == CausePlacementWait {
			reason.Count++ // this offer, too
		}
		return reason
	default:
		return Reason{Cause: why}
	}
}

// pick returns the pending map to launch on n: the nearest, and of those equally near the one of
// least index, but none farther than level far; maps without a place come last and may go anywhere.
// It returns -1 if there is none.
func (c *Core) pick(j *job, n *node, far Locality) (int32, Locality) {
	w := &j.w[Map]
	if far == NodeLocal && w.pending.Len() == 0 && !c.near[0].Has(int32(n.id), j.index) {
		return -1, AnyPlace // by far the most frequent case
	}
	if w.placed.Len() > 0 {
		if j.byPlace.topo != c.topo {
			c.buildIndex(j)
		}
		for l := 0; l < len(j.byPlace.levels) && l <= int(far); l++ {
			if m := j.byPlace.levels[l].First(n.groups[l], &w.placed); m >= 0 {
				return m, Locality(l)
			}
		}
		if int(far) >= len(j.byPlace.levels) {
			return w.placed.First(), Locality(len(j.byPlace.levels))
		}
	}
	if w.pending.Len() > 0 {
		return w.pending.First(), AnyPlace
	}
	return -1, AnyPlace
}

// kept tells whether j's tasks of kind k are known to be so long that some slots are kept from
// them.
func (c *Core) kept(j *job, k TaskKind) bool {
	return c.pol.ReserveLong > 0 && j.taskTime(k) > c.pol.LongTask
}

// jobList is a list of the jobs that have a task of some kind to launch, by their indexes: an offer
// that a job refuses reads no more of it.
type jobList = index.List[int32]

// spots is where each job stands in a list of an order, by kind and index.
type spots [kinds][]index.Spot

// add makes room for a new job.
func (s *spots) add(j *job) {
	for k := range s {
		s[k] = roomFor(s[k], j.index)
	}
}

// reach lengthens a list so that it has an element for an index.
func reach[T any](list []T, i int32) []T {
	if need := int(i) + 1 - len(list); need > 0 {
		list = append(list, make([]T, need)...)
	}
	return list
}

// roomFor is reach, and clears the element.
func roomFor[T any](list []T, i int32) []T {
	list = reach(list, i)
	list[i] = *new(T)
	return list
}

// put puts a job where its rank says in a list of the jobs that may launch, or takes it out.
func (s *spots) put(l *jobList, j *job, k TaskKind, rankOf func(*job, TaskKind) index.Rank) {
	var r index.Rank
	in := j.launchable(k)
	if in {
		r = rankOf(j, k)
	}
	l.Put(&s[k][j.index], in, r, j.index)
}

// inOrder yields the jobs of the order that have a task of kind k to launch, first those that are
// offered a slot first. A launch ends the walk.
func (c *Core) inOrder(k TaskKind) iter.Seq[*job] {
	return func(yield func(*job) bool) { c.walk(k, yield) }
}

// in yields the jobs of one line.
func (c *Core) in(l *jobList) iter.Seq[*job] {
	return func(yield func(*job) bool) { c.walkLine(l, yield) }
}

// walk is inOrder, apart so that no walk allocates.
func (c *Core) walk(k TaskKind, yield func(*job) bool) {
	for i := 0; ; i++ {
		if l := c.order.line(k, i); l == nil || !c.walkLine(l, yield) {
			return
		}
	}
}

// walkLine walks one line, and reports whether it came to the end.
func (c *Core) walkLine(l *jobList, yield func(*job) bool) bool {
	var at index.Cursor
	for job, ok := l.Next(&at); ok; job, ok = l.Next(&at) {
		if !yield(c.byIndex[job]) {
			return false
		}
	}
	return true
}

// round offers one slot of kind k to the jobs in their order until one takes it [Zaharia10
// Algorithm 1, whose lines are counted: the printed loop lacks its exit].
func (c *Core) round(n *node, k TaskKind) bool {
	c.placement[k].begin()
	for j := range c.inOrder(k) { // 3, 4
		if c.offer(j, n, k) { // 5 to 8
			return true
		}
	}
	return false
}

// fill offers each free slot of kind k once. Unless refusals are counted, a slot refused by all
// ends it, for the next would be too.
func (c *Core) fill(n *node, k TaskKind) {
	counts := k == Map && c.placement[k].again()
	for slots := n.free(k); slots > 0 && n.free(k) > 0; slots-- {
		if !c.round(n, k) && !counts {
			return
		}
	}
}

// explains tells whether anyone wants to know of skips.
func (c *Core) explains() bool { return c.cfg.Explain }

// skip notes that j was passed over. It always returns false, so that a refusal is one line.
func (c *Core) skip(j *job, n *node, k TaskKind, why Reason, until time.Duration) bool {
	return c.skipAt(j, n, k, why, until, AnyPlace, nil)
}

// skipAt is skip of a job that waits for locality, with the level that it is allowed. It is told
// when reason or level change, and else when there are twice as many skips as when it was told
// last, until the job launches; placed, if not nil, then says what a reduce waits for.
func (c *Core) skipAt(j *job, n *node, k TaskKind, why Reason, until time.Duration, level Locality, placed func() *Placed) bool {
	if !c.cfg.Explain {
		return false
	}
	s := c.skipOf(j, k)
	if s == nil {
		j.skipAt[k] = int32(len(c.skips))
		c.skips = append(c.skips, Skip{Job: j.id, Kind: k, Node: n.id})
		s = &c.skips[j.skipAt[k]]
	}
	s.Reason, s.Until = why, until
	w := &j.w[k]
	if c.cfg.Events == nil {
		return false
	}
	if w.skipped != why.Cause || w.skipLevel != level {
		w.skipped, w.skipLevel, j.skips[k] = why.Cause, level, 0
	}
	j.skips[k]++
	if skips := j.skips[k]; skips&(skips-1) == 0 {
		e := Event{Type: EventSkipped, JobID: j.id, Kind: k, Node: n.id, Reason: why, Until: until, Count: skips}
		if level != AnyPlace {
			e.Level = level.String()
		}
		if placed != nil {
			e.Placed = placed()
		}
		c.emit(e)
	}
	return false
}

// skipOf is how j was passed over in the last heartbeat, nil if it was not.
func (c *Core) skipOf(j *job, k TaskKind) *Skip {
	if i := int(j.skipAt[k]); i < len(c.skips) && c.skips[i].Job == j.id && c.skips[i].Kind == k {
		return &c.skips[i]
	}
	return nil
}
