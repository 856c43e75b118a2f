package scheduling

// projected is what running maps add to the scores of nodes. The zero value adds nothing.
type projected struct {
	known int       // outputs whose mean each running map counts with
	count []tallies // running maps by level and group
	most  int32     // of one node
}

// projection counts the running maps, as long as not all outputs are known, in the lists of p.
func (r *cogrs) projection(j *job, p projected) projected {
	for l := range p.count {
		p.count[l] = p.count[l][:0]
	}
	p.known, p.most = 0, 0
	if r.pol.NoProjection || j.w[Map].running == 0 {
		return p
	}
	if p.known = r.c.outputsOf(j).Known(); p.count == nil {
		p.count = make([]tallies, r.levels)
	}
	for i := range j.w[Map].tasks {
		ai := j.w[Map].tasks[i].att
		if ai < 0 {
			continue
		}
		n := r.c.atts[ai].node
		for l := range p.count {
			p.count[l].add(n.groups[l], 1)
		}
	}
	for _, t := range p.count[0] {
		p.most = max(p.most, t.n)
	}
	return p
}

// runs tells whether maps run on n.
func (p *projected) runs(n *node) bool { return p.known > 0 && p.count[0].of(n.groups[0]) > 0 }

// share is the part of a reduce's known input that the running maps near n add to its score there,
// each level counted.
func (p *projected) share(n *node) float64 {
	if p.known == 0 {
		return 0
	}
	return p.part(p.count[0].of(n.groups[0]) + p.around(n))
}

// part is the part of the known input that so many maps are expected to have.
func (p *projected) part(maps int32) float64 { return float64(maps) / float64(p.known) }

// around is the number of running maps in the rack and the wider groups of n, each level counted.
func (p *projected) around(n *node) (sum int32) {
	for l := 1; l < len(p.count); l++ {
		sum += p.count[l].of(n.groups[l])
	}
	return sum
}
