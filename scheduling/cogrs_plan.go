package scheduling

import (
	"cmp"
	"slices"
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

// planFor returns the plan of a job with known outputs.
func (r *cogrs) planFor(j *job) *plan {
	g := j.gravity
	p := &g.plan
	all := len(j.w[Map].tasks)
	if p.made && (p.known == g.known || g.known < all && g.known*2 < p.known*3) {
		return p
	}
	g.scanAll()
	p.flat = g.even(r.pol.Theta, r.levels)
	if !p.flat {
		g.foldAll()
		g.sumUp()
		p.flat = r.nothingToGain(g)
	}
	if !p.made || !p.flat {
		p.sort(g)
	}
	p.made, p.known, p.next, p.turn = true, g.known, 0, -1
	if !p.flat {
		r.findCenters(j)
	}
	return p
}

// sort lists the reduces by size. Those of an even job are judged by some of the outputs.
func (p *plan) sort(g *gravity) {
	size := g.total
	if p.flat {
		size = make([]int64, g.reduces)
		left := sampled
		for m := 0; m < len(g.outs) && left > 0; m++ {
			for r, b := range g.outs[m].bytes {
				size[r] += b
			}
			if g.outs[m].bytes != nil {
				left--
			}
		}
	}
	p.bySize = p.bySize[:0]
	for i := range int32(g.reduces) {
		p.bySize = append(p.bySize, i)
	}
	slices.SortFunc(p.bySize, func(a, b int32) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b))
	})
}

// nothingToGain tells whether, for every reduce, the greatest score that any node can have is too
// small to wait for. It looks at groups, not at nodes.
func (r *cogrs) nothingToGain(g *gravity) bool {
	bound := append([]int64(nil), g.peak...)
	for l := 1; l < r.levels && l < len(g.groups); l++ {
		most := make([]int64, g.reduces)
		for _, row := range g.groups[l] {
			for i, b := range row {
				most[i] = max(most[i], b)
			}
		}
		for i, b := range most {
			bound[i] += b
		}
	}
	for i, b := range bound {
		if float64(b) > r.worth(g, int32(i)) {
			return false
		}
	}
	return true
}

// worth is the difference in score that is not worth waiting for.
func (r *cogrs) worth(g *gravity, i int32) float64 {
	return r.pol.Theta * float64(int64(r.levels)*g.total[i])
}

// findCenters finds the best nodes of each reduce. Unless the policy says otherwise, each running
// map counts with the mean known output on its node, so that a node with nothing but running maps
// may be a center too.
func (r *cogrs) findCenters(j *job) {
	g := j.gravity
	p := &g.plan
	p.best = append(p.best[:0], make([][choices]choice, g.reduces)...)
	p.ahead = r.projection(j)
	for f := range g.feeders {
		r.enterAll(g, g.feeders[f].node, g.feeders[f].row)
	}
	for _, n := range p.ahead.nodes {
		if f := g.feeding(n); f == nil || f.row == nil {
			r.enterAll(g, n, nil)
		}
	}
	r.index(g)
}

// enterAll enters n for every reduce of which it holds something, its row, or will hold something.
func (r *cogrs) enterAll(g *gravity, n *node, row []int64) {
	p := &g.plan
	share := p.ahead.share(n)
	var space [maxLevels][]int64
	around := space[:0]
	for l := 1; l < r.levels && l < len(g.groups); l++ {
		if group := int(n.groups[l]); group < len(g.groups[l]) && g.groups[l][group] != nil {
			around = append(around, g.groups[l][group])
		}
	}
	for i := range g.reduces {
		s := int64(share * float64(g.total[i]))
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
func (r *cogrs) outlook(g *gravity, i int32, n *node) int64 {
	return g.score(i, n, r.levels) + int64(g.plan.ahead.share(n)*float64(g.total[i]))
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
func (r *cogrs) index(g *gravity) {
	p := &g.plan
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
func (p *plan) largest(pending *taskSet) int32 {
	for p.next < len(p.bySize) && !pending.has(p.bySize[p.next]) {
		p.next++
	}
	if p.next == len(p.bySize) { // one became pending again behind the cursor
		p.next = 0
		return pending.first()
	}
	return p.bySize[p.next]
}
