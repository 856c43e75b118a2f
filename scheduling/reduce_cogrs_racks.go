package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/gravity"

// The centers of a job with many maps are looked for rack by rack: what a node of a rack can have
// at most for a reduce is known without a look at its nodes, and only few racks come up to the best
// nodes of another one.

// contender is a node that may be among the best of some reduce.
type contender struct {
	node   *node
	feeder int32   // -1: nothing lies there yet
	share  float64 // of the known input that running maps add
	runs   bool    // maps run on it
}

// contenders are those of a rack.
type contenders struct {
	list []contender
	most float64 // share
}

// searchRacks enters the best nodes of each reduce.
func (r *cogrs) searchRacks(g *gravity.Outputs, p *plan) {
	r.listContenders(g, p)
	top, first := append(r.top[:0], make([]int64, len(p.best))...), append(r.first[:0], make([]int32, len(p.best))...)
	r.top, r.first = top, first
	for k := range r.contend {
		for i, bound := range r.boundsIn(g, int32(k), len(p.best)) {
			if bound > top[i] {
				top[i], first[i] = bound, int32(k)
			}
		}
	}
	for i := range p.best {
		r.enterRack(g, p, first[i], i)
	}
	for k := range r.contend {
		for i, bound := range r.boundsIn(g, int32(k), len(p.best)) {
			if bound >= r.floor[i] && first[i] != int32(k) {
				r.enterRack(g, p, int32(k), i)
			}
		}
	}
}

// listContenders lists the contenders by rack.
func (r *cogrs) listContenders(g *gravity.Outputs, p *plan) {
	for k := range r.contend {
		r.contend[k] = contenders{list: r.contend[k].list[:0]}
	}
	add := func(n *node, feeder int32) {
		r.contend = reach(r.contend, n.groups[1])
		in := &r.contend[n.groups[1]]
		c := contender{n, feeder, p.ahead.share(n), p.ahead.runs(n)}
		in.list, in.most = append(in.list, c), max(in.most, c.share)
	}
	for f := range int32(g.Feeders()) {
		if n := r.c.nodes[g.FeederNode(f)]; g.Feeds(int32(n.id)) {
			add(n, f)
		}
	}
	if p.ahead.known > 0 {
		for _, t := range p.ahead.count[0] {
			if !g.Feeds(t.group) {
				add(r.c.nodes[t.group], -1)
			}
		}
	}
}

// boundsIn is, by reduce, a score that no contender of a rack exceeds; nil if it has none.
func (r *cogrs) boundsIn(g *gravity.Outputs, rack int32, reduces int) []int64 {
	in := &r.contend[rack]
	if len(in.list) == 0 {
		return nil
	}
	bounds := append(r.bounds[:0], make([]int64, reduces)...)
	r.bounds = bounds
	copy(bounds, g.PeaksIn(rack))
	for _, row := range g.Rows(in.list[0].node.site(), r.levels, r.around[:0]) {
		row = row[:len(bounds)]
		for i := range bounds {
			bounds[i] += row[i]
		}
	}
	if in.most > 0 {
		totals, _ := g.Totals()
		for i := range bounds {
			bounds[i] += int64(in.most * float64(totals[i]))
		}
	}
	return bounds
}

// enterRack enters the contenders of a rack for reduce i.
func (r *cogrs) enterRack(g *gravity.Outputs, p *plan, rack int32, i int) {
	in := &r.contend[rack]
	if len(in.list) == 0 {
		return
	}
	around, total := g.Around(int32(i), in.list[0].node.site(), r.levels), float64(g.Total(int32(i)))
	for k := range in.list {
		c := &in.list[k]
		held, s := int64(0), int64(c.share*total)
		if c.feeder >= 0 {
			held = g.HeldBy(c.feeder, int32(i))
		}
		if held == 0 && (s == 0 || !c.runs) {
			continue
		}
		if s += held + around; s >= r.floor[i] {
			r.enter(p, i, choice{c.node, s})
		}
	}
}
