package engine

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// explain says how far from its center of gravity reduce i is on n; below 0, what a refusal waits
// for.
func (r *cogrs) explain(j *job, i int32, n *node) *Placed {
	g := r.c.outputsOf(j)
	if i < 0 {
		return r.awaited(j, n)
	}
	if g == nil {
		return &Placed{}
	}
	p := r.center(g, i, n)
	r.compare(p, g, j, i, n)
	return p
}

// center is where reduce i has its center, with the distances there and on n.
func (r *cogrs) center(g *gravity.Outputs, i int32, n *node) *Placed {
	p := &Placed{Here: g.Distance(i, n.site(), gravity.Bytes)}
	if at, ok := g.Center(i, r.levels); ok {
		p.Center, p.AtCenter = r.c.nodes[at.Node].name, g.Distance(i, at, gravity.Bytes)
	}
	return p
}

// awaited is what the largest reduce of j that waits would rather have than n; nil if one node is as
// good as another.
func (r *cogrs) awaited(j *job, n *node) *Placed {
	if r.planOf(j).flat {
		return nil // and nothing is summed up
	}
	g, pending := r.c.outputsOf(j), &j.w[Reduce].pending
	largest := pending.First()
	for i := largest; i >= 0; i = pending.Next(i) {
		if g.Total(i) > g.Total(largest) {
			largest = i
		}
	}
	if largest < 0 {
		return nil
	}
	return r.center(g, largest, n)
}

// compare adds to what is told of reduce i of j, launched on n, the distances of other nodes.
func (r *cogrs) compare(p *Placed, g *gravity.Outputs, j *job, i int32, n *node) {
	if p.Center == "" || !r.c.tells() {
		return
	}
	distance := g.Distances(i)
	best, sum, live := p.Here, 0.0, 0
	for _, other := range r.c.nodes {
		if other.live {
			d := distance(other.site())
			best, sum, live = min(best, d), sum+float64(d), live+1
		}
	}
	p.Best, p.Mean = best, int64(sum/float64(max(1, live)))
	known := []*node{n}
	if list := r.planOf(j).candidates; int(i) < len(list) {
		for _, c := range list[i] {
			if c.node != nil && c.node != n {
				known = append(known, c.node)
			}
		}
	}
	for _, n := range known {
		p.Candidates = append(p.Candidates, Candidate{n.name, distance(n.site())})
	}
	slices.SortStableFunc(p.Candidates, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
}
