package scheduling

import "slices"

// rescued is how many pending reduces an offer looks at for rescue.
const rescued = 2

// rescue looks at some pending reduces, in turn, for those whose nodes in the plan can all take no
// more, or have no slot and none in sight: to wait for them would be in vain. They get the best
// nodes that can take them instead, and go to n at once if that is as good as the best.
func (r *cogrs) rescue(j *job, n *node, limit int32, best *bestReduce) {
	g, pending := j.gravity, &j.w[Reduce].pending
	p := &g.plan
	for range min(rescued, pending.n) {
		i := pending.next(p.turn)
		if i < 0 {
			i = pending.first()
		}
		p.turn = i
		if r.hasNode(j, i, limit) {
			continue
		}
		r.renew(j, i, limit)
		at, other := r.rivals(j, i, n, limit)
		if here := r.outlook(g, i, n); float64(at-here) <= r.worth(g, i) {
			best.offer(i, here-other)
		} else if c := p.best[i][0].node; c != nil {
			r.want(c)
		}
	}
}

// hasNode tells whether one of the nodes in the plan can take reduce i.
func (r *cogrs) hasNode(j *job, i int32, limit int32) bool {
	for _, c := range j.gravity.plan.best[i] {
		if c.node != nil && r.reachable(j, c.node, limit) {
			return true
		}
	}
	return false
}

// renew makes the best nodes that can take reduce i, feeding or not, its nodes in the plan.
func (r *cogrs) renew(j *job, i int32, limit int32) {
	g := j.gravity
	p := &g.plan
	for k, c := range p.best[i] {
		if c.node == nil {
			break
		}
		remove(&p.byNode, here{group: int32(c.node.id), reduce: i})
		if k == 0 {
			remove(&p.byRack, here{group: c.node.groups[1], reduce: i})
		}
	}
	p.best[i] = [choices]choice{}
	for _, n := range r.c.nodes {
		if !n.live {
			continue
		}
		s := g.around(i, n, r.levels) + int64(p.ahead.share(n)*float64(g.total[i]))
		worst := p.best[i][choices-1]
		if worst.node != nil && s+g.peak[i] < worst.score {
			continue // by far the most frequent case
		}
		s += g.held(i, n)
		if (worst.node == nil || s >= worst.score) && r.reachable(j, n, limit) {
			p.enter(int(i), choice{n, s})
		}
	}
	for k, c := range p.best[i] {
		if c.node == nil {
			break
		}
		insert(&p.byNode, here{int32(c.node.id), i, c.score})
		if k == 0 {
			insert(&p.byRack, here{c.node.groups[1], i, c.score})
		}
	}
}

func insert(list *[]here, h here) {
	at, _ := slices.BinarySearchFunc(*list, h, here.compare)
	*list = slices.Insert(*list, at, h)
}

func remove(list *[]here, h here) {
	if at, ok := slices.BinarySearchFunc(*list, h, here.compare); ok {
		*list = slices.Delete(*list, at, at+1)
	}
}

// reachable tells whether n can take one more reduce of j: now, or, for all that is known, within
// the wait for the center.
func (r *cogrs) reachable(j *job, n *node, limit int32) bool {
	if !n.live || n.cordoned || n.slots[Reduce] < int(j.slots) || j.gravity.on(n) >= limit {
		return false
	}
	return n.free(Reduce) >= int(j.slots) || r.freesSoon(n)
}

// freesSoon tells whether a reduce on n may end within the wait for the center. Its progress tells
// how long it still takes; one without progress may.
func (r *cogrs) freesSoon(n *node) bool {
	for _, ai := range n.atts {
		a := &r.c.atts[ai]
		if a.id.Task.Kind != Reduce || a.suspended {
			continue
		}
		if a.progress == 0 || float64(a.worked(r.c.now))*(1-a.progress) <= a.progress*float64(r.length(0)) {
			return true
		}
	}
	return false
}

// reduceGone gives n its part of the job's reduces back.
func (r *cogrs) reduceGone(j *job, n *node) {
	if g := j.gravity; g != nil && g.on(n) > 0 {
		g.place(n, -1)
	}
}

// want has a node asked that a reduce waits for and that has a slot for it.
func (r *cogrs) want(n *node) {
	if n.free(Reduce) > 0 {
		r.c.call(n)
	}
}
