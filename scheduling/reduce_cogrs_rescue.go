package scheduling

import (
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// rescued is how many pending reduces an offer looks at for rescue.
const rescued = 2

// rescue looks at some pending reduces, in turn, for those whose nodes in the plan can all take no
// more, or have no slot and none in sight: to wait for them would be in vain. They get the best
// nodes that can take them instead, and go to n at once if that is as good as the best.
func (r *cogrs) rescue(j *job, n *node, limit int32, best *bestReduce) {
	g, p, pending := r.c.outputsOf(j), r.planOf(j), &j.w[Reduce].pending
	for range min(rescued, pending.Len()) {
		i := pending.Next(p.turn)
		if i < 0 {
			i = pending.First()
		}
		p.turn = i
		if r.hasNode(j, i, limit) {
			continue
		}
		r.renew(j, i, limit)
		at, other := r.rivals(j, i, n, limit)
		if here := r.outlook(j, i, n); float64(at-here) <= r.worth(g, i) {
			best.offer(i, here-other)
		} else if c := p.best[i][0].node; c != nil {
			r.want(c)
		}
	}
}

// hasNode tells whether one of the nodes in the plan can take reduce i.
func (r *cogrs) hasNode(j *job, i int32, limit int32) bool {
	for _, c := range r.planOf(j).best[i] {
		if c.node != nil && r.reachable(j, c.node, limit) {
			return true
		}
	}
	return false
}

// renew makes the best nodes that can take reduce i, feeding or not, its nodes in the plan.
func (r *cogrs) renew(j *job, i int32, limit int32) {
	g, p := r.c.outputsOf(j), r.planOf(j)
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
	bounds := r.bounds(p, g, i)
	for {
		rack := most(bounds)
		if rack < 0 || p.best[i][choices-1].node != nil && bounds[rack] < p.best[i][choices-1].score {
			break
		}
		bounds[rack] = -1
		r.renewIn(r.racks[rack], j, i, limit)
	}
	for k, c := range p.best[i] {
		if c.node == nil {
			break
		}
		insert(&p.byNode, here{int32(c.node.id), i, c.score})
		r.mark(j, 0, int32(c.node.id))
		if k == 0 {
			insert(&p.byRack, here{c.node.groups[1], i, c.score})
			r.mark(j, 1, c.node.groups[1])
		}
	}
}

// bounds is, by rack, a score of reduce i that none of its live nodes exceeds, -1 where there are
// none.
func (r *cogrs) bounds(p *plan, g *gravity.Outputs, i int32) []int64 {
	list := r.bound[:0]
	for _, nodes := range r.liveNodes() {
		bound := int64(-1)
		if len(nodes) > 0 {
			bound = g.Peak(i) + g.Around(i, nodes[0].site(), r.levels) + int64(p.ahead.mostAround(nodes[0])*float64(g.Total(i)))
		}
		list = append(list, bound)
	}
	r.bound = list
	return list
}

// most is the index of the greatest number, -1 if none is 0 or more.
func most(list []int64) int {
	at, most := -1, int64(-1)
	for i, n := range list {
		if n > most {
			at, most = i, n
		}
	}
	return at
}

// liveNodes lists the live nodes by rack.
func (r *cogrs) liveNodes() [][]*node {
	if !r.listed {
		r.listed = true
		for i := range r.racks {
			r.racks[i] = r.racks[i][:0]
		}
		for _, n := range r.c.nodes {
			if n.live {
				r.racks = reach(r.racks, n.groups[1])
				r.racks[n.groups[1]] = append(r.racks[n.groups[1]], n)
			}
		}
	}
	return r.racks
}

// renewIn enters the nodes of a rack that can take reduce i.
func (r *cogrs) renewIn(rack []*node, j *job, i int32, limit int32) {
	g, p := r.c.outputsOf(j), r.planOf(j)
	around, peak, total, worst := g.Around(i, rack[0].site(), r.levels), g.Peak(i), float64(g.Total(i)), &p.best[i][choices-1]
	for _, n := range rack {
		s := around + int64(p.ahead.share(n)*total)
		if worst.node != nil && s+peak < worst.score {
			continue // by far the most frequent case
		}
		s += g.Held(i, int32(n.id))
		if (worst.node == nil || s >= worst.score) && r.reachable(j, n, limit) {
			p.enter(int(i), choice{n, s})
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
	if !n.open() || r.c.avoids(j, n) || n.slots[Reduce] < int(j.slots) || r.on(j, n) >= limit {
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

// want has a node asked that a reduce waits for and that has a slot for it.
func (r *cogrs) want(n *node) {
	if n.free(Reduce) > 0 {
		r.c.call(n)
	}
}
