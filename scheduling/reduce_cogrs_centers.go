package scheduling

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// findCenters finds the best nodes of each reduce. Unless the policy says otherwise, each running
// map counts with the mean known output on its node, so that a node with nothing but running maps
// may be a center too.
func (r *cogrs) findCenters(j *job) {
	g, p := r.c.outputsOf(j), r.planOf(j)
	p.best = append(p.best[:0], make([][choices]choice, len(j.w[Reduce].tasks))...)
	p.ahead = r.projection(j, p.ahead)
	r.floor = append(r.floor[:0], make([]int64, len(p.best))...)
	if g.Many() {
		r.searchRacks(g, p)
	} else {
		r.searchNodes(j)
	}
	r.index(p)
}

// searchNodes enters each node that holds something, or on which maps run.
func (r *cogrs) searchNodes(j *job) {
	g, p := r.c.outputsOf(j), r.planOf(j)
	for f := range g.Feeders() {
		if node, first, second := g.Feeder(f); first != nil {
			r.enterFeeder(j, r.c.nodes[node], first, second)
		}
	}
	if p.ahead.known > 0 {
		for _, t := range p.ahead.count[0] {
			if !g.Feeds(t.group) {
				r.enterFeeder(j, r.c.nodes[t.group], nil, nil)
			}
		}
	}
}

// enterFeeder enters n for every reduce of which it holds something, or will hold something.
func (r *cogrs) enterFeeder(j *job, n *node, first, second []int64) {
	g, p := r.c.outputsOf(j), r.planOf(j)
	around := g.Rows(n.site(), r.levels, r.around[:0])
	r.around = around
	if share := p.ahead.share(n); share > 0 || second != nil || len(around) > 1 {
		r.enterAny(p, n, [][]int64{first, second}, around, share, g)
		return
	}
	if len(around) == 0 { // by far the most frequent case is below
		for i, here := range first {
			if here > 0 && here >= r.floor[i] {
				r.enter(p, i, choice{n, here})
			}
		}
		return
	}
	rack, floor := around[0][:len(first)], r.floor[:len(first)]
	for i, here := range first {
		if s := here + rack[i]; here > 0 && s >= floor[i] {
			r.enter(p, i, choice{n, s})
		}
	}
}

// enterAny is enterFeeder for any node.
func (r *cogrs) enterAny(p *plan, n *node, parts, around [][]int64, share float64, g *gravity.Outputs) {
	runs := p.ahead.runs(n)
	totals, _ := g.Totals()
	for i := range p.best {
		here := int64(0)
		for _, part := range parts {
			if i < len(part) {
				here += part[i]
			}
		}
		s := int64(share * float64(totals[i]))
		if here == 0 && (s == 0 || !runs) {
			continue
		}
		s += here
		for _, group := range around {
			s += group[i]
		}
		if s >= r.floor[i] {
			r.enter(p, i, choice{n, s})
		}
	}
}

// enter puts a node among the best of reduce i if it is, and keeps the score that the next one
// must reach.
func (r *cogrs) enter(p *plan, i int, c choice) {
	p.enter(i, c)
	if worst := &p.best[i][choices-1]; worst.node != nil {
		r.floor[i] = worst.score
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
	nodes, racks := r.sorter.list[0][:0], r.sorter.list[1][:0]
	for i := range p.best {
		for k, c := range p.best[i] {
			if c.node == nil {
				break
			}
			nodes = append(nodes, here{int32(c.node.id), int32(i), c.score})
			if k == 0 {
				r.want(c.node)
				racks = append(racks, here{c.node.groups[1], int32(i), c.score})
			}
		}
	}
	p.byNode, p.byRack = r.sorter.sort(p.byNode, nodes), r.sorter.sort(p.byRack, racks)
	r.sorter.list = [2][]here{nodes, racks}
}

// goodAt lists the reduces that have n as a choice. A job that was judged is marked for the nodes in
// its plan.
func (r *cogrs) goodAt(j *job, n *node) []here {
	p := r.planOf(j)
	if p.judged && !r.asked[0].Has(int32(n.id), j.index) {
		return nil
	}
	return in(p.byNode, int32(n.id))
}

// hereSorter sorts what is in the order of the reduces by group: it counts.
type hereSorter struct {
	list   [2][]here // scratch of index
	count  []int32   // by group; all 0 between calls
	groups []int32
}

// sort puts a list that is in the order of the reduces into another one, by group.
func (s *hereSorter) sort(into, list []here) []here {
	s.groups = s.groups[:0]
	for _, h := range list {
		s.count = reach(s.count, h.group)
		if s.count[h.group] == 0 {
			s.groups = append(s.groups, h.group)
		}
		s.count[h.group]++
	}
	slices.Sort(s.groups)
	at := int32(0)
	for _, group := range s.groups {
		at, s.count[group] = at+s.count[group], at
	}
	into = slices.Grow(into[:0], len(list))[:len(list)]
	for _, h := range list {
		into[s.count[h.group]] = h
		s.count[h.group]++
	}
	for _, group := range s.groups {
		s.count[group] = 0
	}
	return into
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
