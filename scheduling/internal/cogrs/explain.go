package cogrs

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Explain returns the distances of reduce i on n and at its center of gravity. If i is negative, j
// has refused a slot of n; then the distances are those of its largest waiting reduce.
func (r *Placement) Explain(j *core.Job, i int32, n *core.NodeState) *event.Placed {
	g := j.Outputs
	if i < 0 {
		return r.awaited(j, n)
	}
	if g == nil {
		return &event.Placed{}
	}
	p := r.center(g, i, n)
	r.compare(p, j, i, n)
	return p
}

// causes are the reasons that a rule, CoGRS or LARTS, gives for its decisions.
type causes struct{ near, ahead, full, waits model.Cause }

// near returns the cause of launching reduce i on n, one of its candidates. Either n is within
// Theta of the best node, or better nodes have no slot. It is so only with the running maps counted
// if, by known outputs alone, another of the best nodes is better.
func (r *Placement) near(g *gravity.Outputs, p *Plan, i int32, n *core.NodeState) model.Cause {
	switch worth := r.worth(g, i); {
	case float64(p.Best[i][0].Score-r.score(g, p, i, n)) > worth:
		return r.why.full
	case p.ahead.share(n) > 0:
		known := g.Score(i, n.Site, r.levels)
		for _, c := range p.Best[i] {
			if c.Node != nil && float64(g.Score(i, c.Node.Site, r.levels)-known) > worth {
				return r.why.ahead
			}
		}
	}
	return r.why.near
}

// center returns the center of reduce i, with the distances there and on n. It sets r.sums to
// reduce i.
func (r *Placement) center(g *gravity.Outputs, i int32, n *core.NodeState) *event.Placed {
	g.Sum(i, &r.sums)
	p := &event.Placed{Here: r.sums.Distance(n.Site)}
	if at, ok := r.sums.Center(r.levels); ok {
		p.Center, p.AtCenter = r.C.Nodes[at[0]].Name, r.sums.Distance(at)
	}
	return p
}

// awaited returns the center that the largest waiting reduce of j prefers to n; nil if all nodes
// are equivalent.
func (r *Placement) awaited(j *core.Job, n *core.NodeState) *event.Placed {
	if r.PlanOf(j).Flat {
		return nil // and no sums exist
	}
	g, pending := j.Outputs, &j.Work[model.Reduce].Pending
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

// compare adds to p the distances of reduce i on other nodes: minimum, mean, and candidates.
func (r *Placement) compare(p *event.Placed, j *core.Job, i int32, n *core.NodeState) {
	if p.Center == "" || !r.C.Tells() {
		return
	}
	if r.counted != r.C.Cluster { // the set of live nodes has changed
		r.racks, r.counted = make([]gravity.Rack, len(r.C.Racks)), r.C.Cluster
		for _, n := range r.C.Nodes {
			if n.Live {
				k := &r.racks[n.Site[1]]
				k.Site, k.Nodes = n.Site, k.Nodes+1
			}
		}
	}
	p.Best, p.Mean = r.sums.Spread(r.racks, func(id int32) bool { return r.C.Nodes[id].Live })
	p.Candidates = append(make([]event.Candidate, 0, 1+Choices), event.Candidate{Node: n.Name, Cost: p.Here})
	if list := r.PlanOf(j).Candidates; int(i) < len(list) {
		for _, c := range list[i] {
			if c.Node != nil && c.Node != n {
				p.Candidates = append(p.Candidates, event.Candidate{Node: c.Node.Name, Cost: r.sums.Distance(c.Node.Site)})
			}
		}
	}
	slices.SortStableFunc(p.Candidates, func(a, b event.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
}
