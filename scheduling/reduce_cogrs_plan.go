package scheduling

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// plan is what cogrs works out ahead for the reduces of a job: their best nodes. It is made anew
// when the number of known map outputs has grown by half, when the last is known, and when one is
// lost; so all plans of a job together cost O(reduces × feeding nodes × log maps).
type plan struct {
	made    bool
	known   int
	flat    bool    // no reduce gains anything worth a wait on any node
	bySize  []int32 // reduces, largest input first
	next    int     // first of bySize that may be pending
	best    [][choices]choice
	byNode  []here // the choices worth taking, by node
	byRack  []here // the best choices, by rack
	refused int    // offers, since arm looked at the plan
	turn    int32  // the pending reduce that rescue looked at last
	ahead   projected
}

// choices is how many nodes are kept for each reduce: the best, and others in case that is full.
const choices = 3

// choice is a node and its score for a reduce.
type choice struct {
	node  *node
	score int64
}

// here says that a reduce has a good node in a group.
type here struct {
	group  int32
	reduce int32
	score  int64
}

// sampled outputs tell the larger reduces of an even job.
const sampled = 16

// planOf is the plan of a job as it stands.
func (r *cogrs) planOf(j *job) *plan { return &r.of[j.index].plan }

// planFor returns the plan of a job with known outputs.
func (r *cogrs) planFor(j *job) *plan {
	g, p := r.c.outputsOf(j), r.planOf(j)
	all, known := len(j.w[Map].tasks), g.Known()
	if p.made && (p.known == known || known < all && known*2 < p.known*3) {
		return p
	}
	g.Scan()
	p.flat = g.Even(r.pol.Theta, r.levels)
	if !p.flat {
		g.Fold()
		g.SumUp()
		p.flat = r.nothingToGain(g)
	}
	if !p.made || !p.flat {
		p.sort(g, len(j.w[Reduce].tasks))
	}
	p.made, p.known, p.next, p.turn = true, known, 0, -1
	if !p.flat {
		r.findCenters(j)
	}
	return p
}

// sort lists the reduces by size. Those of an even job are judged by some of the outputs.
func (p *plan) sort(g *gravity.Outputs, reduces int) {
	size := g.Totals()
	if p.flat {
		size = g.Sizes(sampled)
	}
	p.bySize = p.bySize[:0]
	for i := range int32(reduces) {
		p.bySize = append(p.bySize, i)
	}
	slices.SortFunc(p.bySize, func(a, b int32) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b))
	})
}

// nothingToGain tells whether, for every reduce, the greatest score that any node can have is too
// small to wait for.
func (r *cogrs) nothingToGain(g *gravity.Outputs) bool {
	for i, b := range g.Bound(r.levels) {
		if float64(b) > r.worth(g, int32(i)) {
			return false
		}
	}
	return true
}

// findCenters finds the best nodes of each reduce. Unless the policy says otherwise, each running
// map counts with the mean known output on its node, so that a node with nothing but running maps
// may be a center too.
func (r *cogrs) findCenters(j *job) {
	g, p := r.c.outputsOf(j), r.planOf(j)
	p.best = append(p.best[:0], make([][choices]choice, len(j.w[Reduce].tasks))...)
	p.ahead = r.projection(j)
	for f := range g.Feeders() {
		if at, row := g.Feeder(f); row != nil {
			r.enterAll(j, r.c.nodes[at.Node], row)
		}
	}
	for _, n := range p.ahead.nodes {
		if !g.Feeds(int32(n.id)) {
			r.enterAll(j, n, nil)
		}
	}
	r.index(p)
}

// enterAll enters n for every reduce of which it holds something, its row, or will hold something.
func (r *cogrs) enterAll(j *job, n *node, row []int64) {
	g, p := r.c.outputsOf(j), r.planOf(j)
	share := p.ahead.share(n)
	var space [maxLevels][]int64
	around := g.Rows(n.site(), r.levels, space[:0])
	for i := range p.best {
		s := int64(share * float64(g.Total(int32(i))))
		switch {
		case row != nil && row[i] > 0:
			s += row[i]
		case s == 0 || p.ahead.count[0][n.groups[0]] == 0:
			continue
		}
		for _, group := range around {
			s += group[i]
		}
		if worst := &p.best[i][choices-1]; worst.node == nil || s >= worst.score {
			p.enter(i, choice{n, s})
		}
	}
}

// outlook is the score of reduce i on n with the running maps counted as in the plan.
func (r *cogrs) outlook(j *job, i int32, n *node) int64 {
	g := r.c.outputsOf(j)
	return g.Score(i, n.site(), r.levels) + int64(r.planOf(j).ahead.share(n)*float64(g.Total(i)))
}

// enter puts a node among the best of reduce i if it is.
func (p *plan) enter(i int, c choice) {
	best := &p.best[i]
	for k := range best {
		d := best[k]
		if d.node == nil || c.score > d.score || c.score == d.score && c.node.id < d.node.id {
			best[k], c = c, d
			if c.node == nil {
				return
			}
		}
	}
}

// index lists the choices by node and the best ones by rack.
func (r *cogrs) index(p *plan) {
	p.byNode, p.byRack = p.byNode[:0], p.byRack[:0]
	for i := range p.best {
		for k, c := range p.best[i] {
			if c.node == nil {
				break
			}
			p.byNode = append(p.byNode, here{int32(c.node.id), int32(i), c.score})
			if k == 0 {
				r.want(c.node)
				p.byRack = append(p.byRack, here{c.node.groups[1], int32(i), c.score})
			}
		}
	}
	slices.SortFunc(p.byNode, here.compare)
	slices.SortFunc(p.byRack, here.compare)
}

func (h here) compare(o here) int {
	return cmp.Or(cmp.Compare(h.group, o.group), cmp.Compare(h.reduce, o.reduce))
}

// in returns the part of a list that belongs to a group.
func in(list []here, group int32) []here {
	i, _ := slices.BinarySearchFunc(list, group, func(h here, g int32) int { return cmp.Compare(h.group, g) })
	k := i
	for k < len(list) && list[k].group == group {
		k++
	}
	return list[i:k]
}

// largest returns the pending reduce with the largest input.
func (p *plan) largest(pending *index.TaskSet) int32 {
	for p.next < len(p.bySize) && !pending.Has(p.bySize[p.next]) {
		p.next++
	}
	if p.next == len(p.bySize) { // one became pending again behind the cursor
		p.next = 0
		return pending.First()
	}
	return p.bySize[p.next]
}

// projected is what running maps add to the scores of nodes. The zero value adds nothing.
type projected struct {
	known int             // outputs whose mean each running map counts with
	count []map[int32]int // running maps by level and group
	nodes []*node         // that they run on, each once, in the order of the maps
}

// projection counts the running maps, as long as not all outputs are known.
func (r *cogrs) projection(j *job) projected {
	if r.pol.NoProjection || j.w[Map].running == 0 {
		return projected{}
	}
	p := projected{known: r.c.outputsOf(j).Known(), count: make([]map[int32]int, r.levels)}
	for l := range p.count {
		p.count[l] = map[int32]int{}
	}
	for i := range j.w[Map].tasks {
		if ai := j.w[Map].tasks[i].att; ai >= 0 {
			n := r.c.atts[ai].node
			if p.count[0][n.groups[0]] == 0 {
				p.nodes = append(p.nodes, n)
			}
			for l := range p.count {
				p.count[l][n.groups[l]]++
			}
		}
	}
	return p
}

// share is the part of a reduce's known input that the running maps near n add to its score there,
// each level counted.
func (p *projected) share(n *node) float64 {
	if p.known == 0 {
		return 0
	}
	sum := 0
	for l := range p.count {
		sum += p.count[l][n.groups[l]]
	}
	return float64(sum) / float64(p.known)
}

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
	for _, n := range r.c.nodes {
		if !n.live {
			continue
		}
		s := g.Around(i, n.site(), r.levels) + int64(p.ahead.share(n)*float64(g.Total(i)))
		worst := p.best[i][choices-1]
		if worst.node != nil && s+g.Peak(i) < worst.score {
			continue // by far the most frequent case
		}
		s += g.Held(i, int32(n.id))
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
