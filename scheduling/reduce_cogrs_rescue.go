package scheduling

import (
	"math"
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
	if t := &r.turns[j.index]; t.most != math.MaxInt32 {
		t.most-- // as next does, in turns taken
	}
	for range min(rescued, pending.Len()) {
		i := pending.Next(p.turn)
		if i < 0 {
			i = pending.First()
		}
		p.turn = i
		if r.clock.plain.Has(j.index) && p.judged && !p.loose.Has(i) && limit >= p.limit || r.hasNode(j, i, limit) {
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
	r.rateRacks(p, g, i)
	r.enterContenders(j, i, limit)
	r.enterOthers(j, i, limit)
	for k, c := range p.best[i] {
		if c.node == nil {
			break
		}
		insert(&p.byNode, here{int32(c.node.id), i, c.score})
		r.mark(j, 0, int32(c.node.id))
		r.takes.Set(int32(c.node.id), j.index)
		if k == 0 {
			insert(&p.byRack, here{c.node.groups[1], i, c.score})
			r.mark(j, 1, c.node.groups[1])
		}
	}
}

// rackRate is what is known of the scores of a reduce in a rack.
type rackRate struct {
	most   int64 // no live node has more; -1 where there are none
	others int64 // of each node that holds none of its input and on which no map runs; -1 once entered
}

// rateRacks rates all racks for reduce i.
func (r *cogrs) rateRacks(p *plan, g *gravity.Outputs, i int32) {
	list, total := r.rates[:0], float64(g.Total(i))
	for rack, nodes := range r.liveNodes() {
		rate := rackRate{-1, -1}
		if len(nodes) > 0 {
			n := nodes[0]
			around, share, most := g.Around(i, n.site(), r.levels), 0.0, 0.0
			if p.ahead.known > 0 {
				running := p.ahead.around(n)
				share, most = p.ahead.part(running), p.ahead.part(running+p.ahead.most)
			}
			rate = rackRate{around + g.PeakIn(int32(rack), i) + int64(most*total), around + int64(share*total)}
		}
		list = append(list, rate)
	}
	r.rates = list
}

// enterContenders enters the nodes that hold input of reduce i, or on which maps run, and that can
// take it.
func (r *cogrs) enterContenders(j *job, i int32, limit int32) {
	p := r.planOf(j)
	worst := &p.best[i][choices-1]
	first := 0
	for k := range r.rates {
		if r.rates[k].most > r.rates[first].most {
			first = k
		}
	}
	r.enterHolders(j, i, limit, first)
	for k := range r.rates {
		if k != first && (worst.node == nil || r.rates[k].most >= worst.score) {
			r.enterHolders(j, i, limit, k)
		}
	}
	if p.ahead.known == 0 {
		return
	}
	for _, running := range p.ahead.count[0] {
		n := r.c.nodes[running.group]
		if n.live && (worst.node == nil || r.rates[n.groups[1]].most >= worst.score) && r.reachable(j, n, limit) {
			p.enter(int(i), choice{n, r.outlook(j, i, n)})
		}
	}
}

// enterHolders enters the nodes of a rack that hold input of reduce i, on which no map runs.
func (r *cogrs) enterHolders(j *job, i int32, limit int32, rack int) {
	g, p := r.c.outputsOf(j), r.planOf(j)
	worst, others := &p.best[i][choices-1], r.rates[rack].others
	for f := g.FirstIn(int32(rack)); f >= 0; f = g.NextIn(f) {
		held := g.HeldBy(f, i)
		if held == 0 || worst.node != nil && held+others < worst.score {
			continue
		}
		if n := r.c.nodes[g.FeederNode(f)]; n.live && !p.ahead.runs(n) && r.reachable(j, n, limit) {
			p.enter(int(i), choice{n, held + others})
		}
	}
}

// enterOthers enters the other nodes: in a rack they are all alike, so the first few that can take
// reduce i are enough.
func (r *cogrs) enterOthers(j *job, i int32, limit int32) {
	g, p := r.c.outputsOf(j), r.planOf(j)
	worst := &p.best[i][choices-1]
	for {
		rack, score := -1, int64(-1)
		for k := range r.rates {
			if r.rates[k].others > score {
				rack, score = k, r.rates[k].others
			}
		}
		if rack < 0 || worst.node != nil && score < worst.score {
			return
		}
		r.rates[rack].others = -1
		for _, n := range r.racks[rack] {
			if worst.node != nil && (score < worst.score || score == worst.score && n.id > worst.node.id) {
				break
			}
			if r.reachable(j, n, limit) && g.Held(i, int32(n.id)) == 0 && !p.ahead.runs(n) {
				p.enter(int(i), choice{n, score})
			}
		}
	}
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
	if n.fresh > 0 {
		return true
	}
	for _, ai := range n.atts {
		a := &r.c.atts[ai]
		if a.id.Task.Kind != Reduce || a.suspended {
			continue
		}
		if float64(a.worked(r.c.now))*(1-a.progress) <= a.progress*float64(r.length(0)) {
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
