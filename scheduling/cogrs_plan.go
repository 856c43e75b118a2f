package scheduling

import (
	"cmp"
	"slices"
)

// plan is what cogrs works out ahead for the reduces of a job: the two best nodes of each. It is made anew when the number of known map outputs has grown
// by a quarter, when the last is known, and when one is lost; so all plans of a job together cost O(reduces × feeding
// nodes × log maps).
type plan struct {
	made   bool
	known  int
	flat   bool    // no reduce gains anything worth a wait on any node
	bySize []int32 // reduces, largest input first
	next   int     // first of bySize that may be pending
	best   []choice
	second []choice
}

// choice is a node and its score for a reduce.
type choice struct {
	node  *node
	score int64
}

// planFor returns the plan of a job with known outputs.
func (r *cogrs) planFor(j *job) *plan {
	g := j.gravity
	p := &g.plan
	all := len(j.w[Map].tasks)
	if p.made && (p.known == g.known || g.known < all && g.known*4 < p.known*5) {
		return p
	}
	p.made, p.known, p.next = true, g.known, 0
	g.sumUp()
	p.bySize = p.bySize[:0]
	for i := range int32(g.reduces) {
		p.bySize = append(p.bySize, i)
	}
	slices.SortFunc(p.bySize, func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.total[b], g.total[a]), cmp.Compare(a, b))
	})
	p.flat = r.nothingToGain(g)
	if !p.flat {
		r.findCenters(j)
	}
	return p
}

// nothingToGain tells whether, for every reduce, the greatest score that any node can have is too small to wait for. It looks at groups, not at nodes.
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
		if float64(b) > r.pol.Theta*float64(int64(r.levels)*g.total[i]) {
			return false
		}
	}
	return true
}

// findCenters finds the two best nodes of each reduce. Unless the policy says otherwise, each running map counts with the mean known output on its node.
func (r *cogrs) findCenters(j *job) {
	g := j.gravity
	p := &g.plan
	p.best = append(p.best[:0], make([]choice, g.reduces)...)
	p.second = append(p.second[:0], make([]choice, g.reduces)...)
	ahead := r.projection(j)
	for f := range g.feeders {
		n := g.feeders[f].node
		row := g.onNode(&g.feeders[f])
		share := ahead.weight(n, r.levels) / float64(g.known)
		for i := range int32(g.reduces) {
			if row[i] == 0 {
				continue
			}
			s := row[i] + int64(share*float64(g.total[i]))
			for l := 1; l < r.levels && l < len(g.groups); l++ {
				s += g.groups[l][n.groups[l]][i]
			}
			p.offer(i, choice{n, s})
		}
	}
}

// offer puts a node among the two best of reduce i.
func (p *plan) offer(i int32, c choice) {
	beats := func(d choice) bool {
		return d.node == nil || c.score > d.score || c.score == d.score && c.node.id < d.node.id
	}
	switch {
	case beats(p.best[i]):
		p.best[i], p.second[i] = c, p.best[i]
	case beats(p.second[i]):
		p.second[i] = c
	}
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

// centerOf returns the best node for reduce i that can still take one, nil if neither of the two best can, its score, and the best score
// other than n's.
func (p *plan) centerOf(c *Core, g *gravity, i int32, n *node, limit int32) (center *node, at, other int64) {
	for _, ch := range [2]choice{p.best[i], p.second[i]} {
		if ch.node == nil || !ch.node.live || ch.node.cordoned || ch.node.slots[Reduce] == 0 || g.placed[ch.node.id] >= limit {
			continue
		}
		if center == nil {
			center, at = ch.node, g.score(i, ch.node, c.place.(*cogrs).levels)
		}
		if ch.node != n {
			other = max(other, ch.score)
		}
	}
	return center, at, other
}

// projected counts a job's running maps per group of each level.
type projected []map[int32]int

// projection counts the running maps, as long as not all outputs are known.
func (r *cogrs) projection(j *job) projected {
	if r.pol.NoProjection || j.w[Map].running == 0 {
		return nil
	}
	p := make(projected, r.levels)
	for l := range p {
		p[l] = map[int32]int{}
	}
	for i := range j.w[Map].tasks {
		if ai := j.w[Map].tasks[i].att; ai >= 0 {
			for l := range p {
				p[l][r.c.atts[ai].node.groups[l]]++
			}
		}
	}
	return p
}

// weight is the number of running maps near n, each level counted.
func (p projected) weight(n *node, levels int) (sum float64) {
	for l := range p[:min(levels, len(p))] {
		sum += float64(p[l][n.groups[l]])
	}
	return sum
}
