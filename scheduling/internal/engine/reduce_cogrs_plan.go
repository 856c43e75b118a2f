package engine

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// plan is what cogrs works out for the reduces of a job, and counts of them. All plans of a job
// together cost O(reduces × feeding nodes × log maps).
type plan struct {
	// What the plan was made of: it is due when a half more outputs are known, or the last, when
	// one is lost, and when nodes or slots have come or gone.
	made    bool
	known   int
	removed int
	cluster uint64 // Core.cluster

	flat       bool                 // no reduce gains anything worth a wait on any node
	best       [][choices]candidate // of each reduce, the best feeding nodes
	candidates [][choices]candidate // of each reduce, these, or others that can take it
	byNode     []here               // the candidates of pending reduces
	byRack     []here               // the best of each
	period     uint64               // cogrs.period when candidates were looked at
	ahead      projected            // running maps

	launched tallies // by node: reduces launched there that have not come to nothing
	lost     int     // 1 + job.reducesLost when they were counted
}

// here says that a reduce has a candidate in a group.
type here struct {
	group  int32
	reduce int32
	score  int64
}

// planOf is the plan of a job as it stands.
func (r *cogrs) planOf(j *job) *plan {
	p := r.plans.of(j)
	if *p == nil {
		*p = &plan{}
		r.near[0].Widen(j.index)
		r.near[1].Widen(j.index)
	}
	if (*p).lost != j.reducesLost+1 {
		r.recount(j, *p)
	}
	return *p
}

// plan is the plan of a job with known outputs, made anew if it is due, with candidates that are
// looked at once a period.
func (r *cogrs) plan(j *job, g *gravity.Outputs) *plan {
	p := r.planOf(j)
	if p.due(g, len(j.w[Map].tasks), r.c.cluster) {
		r.makePlan(j, g, p)
	}
	if !p.flat && p.period != r.period {
		r.renew(j, g, p)
		p.period = r.period
	}
	return p
}

// due reports whether the plan is to be made anew; all is the number of maps.
func (p *plan) due(g *gravity.Outputs, all int, cluster uint64) bool {
	known := g.Known()
	return !p.made || p.removed != g.Removed() || p.cluster != cluster || p.known != known && (known == all || known*2 >= p.known*3)
}

func (r *cogrs) makePlan(j *job, g *gravity.Outputs, p *plan) {
	p.made, p.known, p.removed, p.cluster, p.period = true, g.Known(), g.Removed(), r.c.cluster, 0
	p.best = p.best[:0]
	if p.flat = g.Even(r.pol.Theta, r.levels); !p.flat {
		g.Fold()
		p.best = append(p.best, make([][choices]candidate, len(j.w[Reduce].tasks))...)
		p.ahead = r.projection(j, p.ahead)
		r.findFeeding(g, p)
		p.flat = r.nothingToGain(g, p)
	}
	p.candidates = append(p.candidates[:0], p.best...)
	r.index(j, p)
}

// nothingToGain reports whether, for every reduce, the greatest score that a node has is too small
// to wait for.
func (r *cogrs) nothingToGain(g *gravity.Outputs, p *plan) bool {
	for i := range p.best {
		if float64(p.best[i][0].score) > r.worth(g, int32(i)) {
			return false
		}
	}
	return true
}

// index lists the candidates of pending reduces by node and the best ones by rack, and has the best
// asked that have a slot.
func (r *cogrs) index(j *job, p *plan) {
	r.unmark(j, p)
	p.byNode, p.byRack = p.byNode[:0], p.byRack[:0]
	for _, t := range p.launched {
		r.near[0].Set(t.group, j.index)
	}
	if p.flat {
		return
	}
	pending := &j.w[Reduce].pending
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		for k, c := range p.candidates[i] {
			if c.node == nil {
				break
			}
			r.near[0].Set(int32(c.node.id), j.index)
			p.byNode = append(p.byNode, here{int32(c.node.id), i, c.score})
			if k == 0 {
				r.near[1].Set(c.node.groups[1], j.index)
				p.byRack = append(p.byRack, here{c.node.groups[1], i, c.score})
				if c.node.free(Reduce) > 0 {
					r.c.call(c.node)
				}
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

// unmark takes the marks of the job off all nodes.
func (r *cogrs) unmark(j *job, p *plan) {
	for _, h := range p.byNode {
		r.near[0].Clear(h.group, j.index)
	}
	for _, h := range p.byRack {
		r.near[1].Clear(h.group, j.index)
	}
	for _, t := range p.launched {
		r.near[0].Clear(t.group, j.index)
	}
}

// count counts a reduce on a node.
func (r *cogrs) count(j *job, p *plan, id NodeID) {
	r.near[0].Set(int32(id), j.index)
	p.launched.add(int32(id), 1)
}

// on is the number of reduces of j on n, done ones included.
func (r *cogrs) on(j *job, n *node) int32 {
	p := r.planOf(j)
	if !r.near[0].Has(int32(n.id), j.index) {
		return 0
	}
	return p.launched.of(int32(n.id))
}

// recount counts the reduces on each node: when the job is met first, and after one has come to
// nothing.
func (r *cogrs) recount(j *job, p *plan) {
	p.lost = j.reducesLost + 1
	for i := range p.launched {
		p.launched[i].n = 0
	}
	for i := range j.w[Reduce].tasks {
		t := &j.w[Reduce].tasks[i]
		for ai := t.att; ai >= 0; ai = r.c.atts[ai].next {
			r.count(j, p, r.c.atts[ai].node.id)
		}
		if t.att < 0 && t.state == taskDone && t.node != NoNode {
			r.count(j, p, t.node)
		}
	}
}
