package cogrs

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Plan caches what Placement computes and counts for the reduces of a job. All plans of a job
// together cost O(reduces × feeding nodes × log maps).
type Plan struct {
	// The state for which the plan was made. It must be recomputed when half as many more outputs
	// are known, or all, when an output is lost, and when nodes or slots change.
	Made    bool
	Known   int
	removed int
	Cluster uint64 // Core.Cluster

	Flat       bool                 // no reduce gains enough on any node to wait
	Best       [][Choices]Candidate // best feeding nodes, by reduce
	Candidates [][Choices]Candidate // by reduce: Best, or nodes that can take it if those of Best cannot
	ByNode     []Here               // all candidates of pending reduces, by node
	ByRack     []Here               // the best candidate of each pending reduce, by rack
	Period     uint64               // Placement.Period when candidates were last checked
	ahead      projected            // what running maps add to the scores

	launched map[int32]int32 // by node: reduces launched there that have not ended without success
	lost     int             // 1 + Job.ReducesLost when launched was counted
}

// Here records that a reduce has a candidate in a group of nodes: a node or a rack.
type Here struct {
	Group  int32
	Reduce int32
	Score  int64
}

// PlanOf returns the present plan of a job, which may be out of date, with `launched` counted.
func (r *Placement) PlanOf(j *core.Job) *Plan {
	p := r.plans.Of(j)
	if *p == nil {
		*p = &Plan{launched: map[int32]int32{}}
		r.Near[0].Widen(j.Index)
		r.Near[1].Widen(j.Index)
	}
	if (*p).lost != j.ReducesLost+1 {
		r.recount(j, *p)
	}
	return *p
}

// plan returns where the reduces of a job with known outputs should run. It recomputes an old plan,
// and once a period it looks for better nodes.
func (r *Placement) plan(j *core.Job, g *gravity.Outputs) *Plan {
	p := r.PlanOf(j)
	if p.due(g, len(j.Work[model.Map].Tasks), r.C.Cluster) {
		r.makePlan(j, g, p)
	}
	if !p.Flat && p.Period != r.Period {
		r.renew(j, g, p)
		p.Period = r.Period
	}
	return p
}

// due reports whether the plan must be recomputed; all is the number of the job's maps.
func (p *Plan) due(g *gravity.Outputs, all int, cluster uint64) bool {
	known := g.Known()
	return !p.Made || p.removed != g.Removed() || p.Cluster != cluster || p.Known != known && (known == all || known*2 >= p.Known*3)
}

// makePlan computes the best nodes of each reduce and makes them its candidates.
func (r *Placement) makePlan(j *core.Job, g *gravity.Outputs, p *Plan) {
	p.Made, p.Known, p.removed, p.Cluster, p.Period = true, g.Known(), g.Removed(), r.C.Cluster, 0
	p.Best = p.Best[:0]
	if p.Flat = g.Even(r.pol.Theta, r.levels); !p.Flat {
		g.Fold()
		p.Best = append(p.Best, make([][Choices]Candidate, len(j.Work[model.Reduce].Tasks))...)
		p.ahead = r.projection(j, p.ahead)
		r.findFeeding(g, p)
		p.Flat = r.nothingToGain(g, p)
	}
	p.Candidates = append(p.Candidates[:0], p.Best...)
	r.index(j, p)
}

// nothingToGain reports whether, for every reduce, even the highest score of a node is too low to
// wait for.
func (r *Placement) nothingToGain(g *gravity.Outputs, p *Plan) bool {
	for i := range p.Best {
		if float64(p.Best[i][0].Score) > r.worth(g, int32(i)) {
			return false
		}
	}
	return true
}

// index lists the candidates of pending reduces by node, and the best ones by rack. If the best one
// has a free slot, the Core calls the node: its driver asks it for a heartbeat.
func (r *Placement) index(j *core.Job, p *Plan) {
	r.unmark(j, p)
	p.ByNode, p.ByRack = p.ByNode[:0], p.ByRack[:0]
	for node := range p.launched {
		r.Near[0].Set(node, j.Index)
	}
	if p.Flat {
		return
	}
	pending := &j.Work[model.Reduce].Pending
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		for k, c := range p.Candidates[i] {
			if c.Node == nil {
				break
			}
			r.Near[0].Set(int32(c.Node.ID), j.Index)
			p.ByNode = append(p.ByNode, Here{int32(c.Node.ID), i, c.Score})
			if k == 0 {
				r.Near[1].Set(c.Node.Site[1], j.Index)
				p.ByRack = append(p.ByRack, Here{c.Node.Site[1], i, c.Score})
				if c.Node.Free(model.Reduce) > 0 {
					r.C.Call(c.Node)
				}
			}
		}
	}
	slices.SortFunc(p.ByNode, Here.Compare)
	slices.SortFunc(p.ByRack, Here.Compare)
}

// Compare orders by group, then by reduce.
func (h Here) Compare(o Here) int {
	return cmp.Compare(int64(h.Group)<<32|int64(h.Reduce), int64(o.Group)<<32|int64(o.Reduce))
}

// in returns the entries of a list, sorted by Compare, that have the given Group.
func in(list []Here, Group int32) []Here {
	i, _ := slices.BinarySearchFunc(list, Group, func(h Here, g int32) int { return cmp.Compare(h.Group, g) })
	k := i
	for k < len(list) && list[k].Group == Group {
		k++
	}
	return list[i:k]
}

// unmark clears the job's bits in Near, for all nodes and racks.
func (r *Placement) unmark(j *core.Job, p *Plan) {
	for _, h := range p.ByNode {
		r.Near[0].Clear(h.Group, j.Index)
	}
	for _, h := range p.ByRack {
		r.Near[1].Clear(h.Group, j.Index)
	}
	for node := range p.launched {
		r.Near[0].Clear(node, j.Index)
	}
}

// count adds a reduce of j to those launched on a node, whose number On returns.
func (r *Placement) count(j *core.Job, p *Plan, id model.NodeID) {
	r.Near[0].Set(int32(id), j.Index)
	p.launched[int32(id)]++
}

// On returns the number of reduces of j on n, including done ones.
func (r *Placement) On(j *core.Job, n *core.NodeState) int32 {
	p := r.PlanOf(j)
	if !r.Near[0].Has(int32(n.ID), j.Index) {
		return 0
	}
	return p.launched[int32(n.ID)]
}

// recount counts the launched reduces on each node: for a new job, and after a reduce has ended
// without success.
func (r *Placement) recount(j *core.Job, p *Plan) {
	p.lost = j.ReducesLost + 1
	for node := range p.launched {
		p.launched[node] = 0
	}
	for i := range j.Work[model.Reduce].Tasks {
		t := &j.Work[model.Reduce].Tasks[i]
		for ai := t.Att; ai >= 0; ai = r.C.Attempts[ai].Next {
			r.count(j, p, r.C.Attempts[ai].Node.ID)
		}
		if t.Att < 0 && t.State == core.TaskDone && t.Node != model.NoNode {
			r.count(j, p, t.Node)
		}
	}
}
