package scheduling

// choose picks the reduce to launch on n and the level at which it is there, or -1. At the center,
// or as good as: the one that has most to lose elsewhere. In the center's rack: the one nearest to
// its input. Else: the one that loses least. Only the last looks at all pending reduces; that comes
// after the waits.
func (r *cogrs) choose(j *job, n *node, level Locality, limit int32) (int32, Locality) {
	g := j.gravity
	pending := &j.w[Reduce].pending
	g.foldAll()
	best := bestReduce{g: g, reduce: -1}
	for _, h := range in(g.plan.byNode, int32(n.id)) {
		if !pending.has(h.reduce) {
			continue
		}
		at, other := r.rivals(j, h.reduce, n, limit)
		if float64(at-h.score) <= r.worth(g, h.reduce) {
			best.offer(h.reduce, h.score-other)
		}
	}
	if best.reduce < 0 && j.w[Reduce].again > 0 { // one that has failed or was lost does not wait
		for i := pending.first(); i >= 0 && best.reduce < 0; i = pending.next(i) {
			if j.w[Reduce].tasks[i].tries > 0 {
				best.offer(i, 0)
			}
		}
	}
	if best.reduce < 0 {
		r.rescue(j, n, limit, &best)
	}
	if best.reduce >= 0 || level == 0 {
		return best.reduce, 0
	}
	for _, h := range in(g.plan.byRack, n.groups[1]) {
		if pending.has(h.reduce) {
			best.offer(h.reduce, r.outlook(g, h.reduce, n))
		}
	}
	if best.reduce >= 0 || level == 1 {
		return best.reduce, 1
	}
	for i := pending.first(); i >= 0; i = pending.next(i) {
		best.offer(i, r.outlook(g, i, n)-g.plan.best[i][0].score)
	}
	return best.reduce, 2
}

// rivals returns the scores of the best node for reduce i that can still take one, n included, and
// of the best other one; -1 for none.
func (r *cogrs) rivals(j *job, i int32, n *node, limit int32) (at, other int64) {
	at, other = -1, -1
	for _, c := range j.gravity.plan.best[i] {
		if c.node == nil || !r.reachable(j, c.node, limit) {
			continue
		}
		at = max(at, c.score)
		if c.node != n {
			other = max(other, c.score)
		}
	}
	return at, other
}

// bestReduce keeps the reduce of greatest value; ties go to the larger input, then to the one
// offered first.
type bestReduce struct {
	g      *gravity
	reduce int32
	value  int64
}

func (b *bestReduce) offer(i int32, value int64) {
	if b.reduce < 0 || value > b.value || value == b.value && b.g.total[i] > b.g.total[b.reduce] {
		b.reduce, b.value = i, value
	}
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
	p := projected{known: j.gravity.known, count: make([]map[int32]int, r.levels)}
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
