package cogrs

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// Explain says how far from its center of gravity reduce i is on n; below 0, what a refusal waits
// for.
func (r *Placement) Explain(j *core.Job, i int32, n *core.NodeState) *core.Placed {
	g := r.C.OutputsOf(j)
	if i < 0 {
		return r.awaited(j, n)
	}
	if g == nil {
		return &core.Placed{}
	}
	p := r.center(g, i, n)
	r.compare(p, g, j, i, n)
	return p
}

// center is where reduce i has its center, with the distances there and on n.
func (r *Placement) center(g *gravity.Outputs, i int32, n *core.NodeState) *core.Placed {
	p := &core.Placed{Here: g.Distance(i, n.Site(), gravity.Bytes)}
	if at, ok := g.Center(i, r.levels); ok {
		p.Center, p.AtCenter = r.C.Nodes[at.Node].Name, g.Distance(i, at, gravity.Bytes)
	}
	return p
}

// awaited is what the largest reduce of j that waits would rather have than n; nil if one node is as
// good as another.
func (r *Placement) awaited(j *core.Job, n *core.NodeState) *core.Placed {
	if r.PlanOf(j).Flat {
		return nil // and nothing is summed up
	}
	g, pending := r.C.OutputsOf(j), &j.Work[core.Reduce].Pending
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
func (r *Placement) compare(p *core.Placed, g *gravity.Outputs, j *core.Job, i int32, n *core.NodeState) {
	if p.Center == "" || !r.C.Tells() {
		return
	}
	distance := g.Distances(i)
	best, sum, live := p.Here, 0.0, 0
	for _, other := range r.C.Nodes {
		if other.Live {
			d := distance(other.Site())
			best, sum, live = min(best, d), sum+float64(d), live+1
		}
	}
	p.Best, p.Mean = best, int64(sum/float64(max(1, live)))
	known := []*core.NodeState{n}
	if list := r.PlanOf(j).Candidates; int(i) < len(list) {
		for _, c := range list[i] {
			if c.Node != nil && c.Node != n {
				known = append(known, c.Node)
			}
		}
	}
	for _, n := range known {
		p.Candidates = append(p.Candidates, core.Candidate{Node: n.Name, Cost: distance(n.Site())})
	}
	slices.SortStableFunc(p.Candidates, func(a, b core.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
}
