package cogrs

import (
	"maps"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Steps 2 and 3 of Placement: the scores of reduces on nodes, and the candidates of each reduce.

// Choices is the number of candidates of a reduce: its best node, and alternatives if that is full.
const Choices = 3

// Candidate is a node with the score that a reduce has there: the higher, the nearer to its input.
type Candidate struct {
	Node  *core.NodeState
	Score int64
}

// score returns the score of reduce i on n. A running map counts on its node as if it had the mean
// output of the known ones, as in the plan.
func (r *Placement) score(g *gravity.Outputs, p *Plan, i int32, n *core.NodeState) int64 {
	return g.Score(i, n.Site, r.levels) + int64(p.ahead.share(n)*float64(g.Total(i))) // step 2
}

// findFeeding sets p.Best of each reduce to its best feeding nodes: nodes that have some of its
// input, or that run maps of the job.
func (r *Placement) findFeeding(g *gravity.Outputs, p *Plan) {
	r.floor = append(r.floor[:0], make([]int64, len(p.Best))...)
	for _, node := range g.Feeders() {
		n := r.C.Nodes[node]
		if bytes := g.In(0, n.Site); bytes != nil {
			r.enterFeeding(g, p, n, bytes)
		}
	}
	if p.ahead.knownOutputs > 0 {
		for _, node := range slices.Sorted(maps.Keys(p.ahead.count[0])) {
			if n := r.C.Nodes[node]; g.In(0, n.Site) == nil {
				r.enterFeeding(g, p, n, nil)
			}
		}
	}
}

// enterFeeding enters n into the best nodes of every reduce whose input it has or will have. bytes
// is that input by reduce.
func (r *Placement) enterFeeding(g *gravity.Outputs, p *Plan, n *core.NodeState, bytes []int64) {
	best, floor, total, runs := p.Best, r.floor[:len(p.Best)], g.Totals()[:len(p.Best)], p.ahead.runs(n)
	base := r.around(g, p, n)[:len(p.Best)]
	for i := range best {
		here := int64(0)
		if i < len(bytes) {
			here = bytes[i]
		}
		score := here + base[i]
		if score < floor[i] || here == 0 && !(runs && total[i] > 0) {
			continue
		}
		enter(&best[i], Candidate{n, score}) // step 3
		if worst := best[i][Choices-1]; worst.Node != nil {
			floor[i] = worst.Score
		}
	}
}

// around returns, by reduce, the score on n without the part of the bytes on n itself.
func (r *Placement) around(g *gravity.Outputs, p *Plan, n *core.NodeState) []int64 {
	var rack []int64
	if r.levels == gravity.Levels {
		rack = g.In(1, n.Site)
	}
	share := p.ahead.share(n)
	if rack != nil && share == 0 {
		return rack // the most frequent case
	}
	r.sum = append(r.sum[:0], make([]int64, len(p.Best))...)
	copy(r.sum, rack)
	if share > 0 {
		for i, b := range g.Totals() {
			r.sum[i] += int64(share * float64(b))
		}
	}
	return r.sum
}

// enter inserts a node into the best ones if its score is high enough. Of equal scores, the lower
// node ID wins.
func enter(best *[Choices]Candidate, c Candidate) {
	for k, d := range best {
		if d.Node == nil || c.Score > d.Score || c.Score == d.Score && c.Node.ID < d.Node.ID {
			best[k], c = c, d
			if c.Node == nil {
				return
			}
		}
	}
}

// renew finds new candidates for each pending reduce that none of its candidates can take. Waiting
// for those would be useless.
func (r *Placement) renew(j *core.Job, g *gravity.Outputs, p *Plan) {
	limit, pending := r.cap(j, g), &j.Work[model.Reduce].Pending
	r.findTakers(j, p, limit)
	renewed := false
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		if r.hasTaker[i] {
			continue
		}
		if !renewed {
			renewed = true
			r.findRooms(j, g, p, limit)
		}
		if p.Candidates[i] = p.Best[i]; !r.anyCanTake(j, &p.Best[i], limit) {
			p.Candidates[i] = r.bestOf(g, p, i) // step 3
		}
	}
	if renewed {
		r.index(j, p)
	}
}

// findTakers sets r.hasTaker: for each reduce, whether one of its candidates can take it.
func (r *Placement) findTakers(j *core.Job, p *Plan, limit int32) {
	r.hasTaker = append(r.hasTaker[:0], make([]bool, len(p.Candidates))...)
	node, takes := int32(-1), false
	for _, h := range p.ByNode {
		if h.Group != node {
			node, takes = h.Group, r.canTake(j, r.C.Nodes[h.Group], limit)
		}
		r.hasTaker[h.Reduce] = r.hasTaker[h.Reduce] || takes
	}
}

// anyCanTake reports whether a node in list can take a reduce of j; each may get limit at most.
func (r *Placement) anyCanTake(j *core.Job, list *[Choices]Candidate, limit int32) bool {
	return slices.ContainsFunc(list[:], func(c Candidate) bool { return c.Node != nil && r.canTake(j, c.Node, limit) })
}

// room holds the nodes of a rack that can take a reduce of a job.
type room struct {
	feeding []*core.NodeState // with map output of the job, or running maps of it
	others  []*core.NodeState // the first Choices of the others, which all have the same score
}

// findRooms sorts the nodes that can take a reduce of j into r.rooms, by rack. A node that has
// limit reduces of j cannot.
func (r *Placement) findRooms(j *core.Job, g *gravity.Outputs, p *Plan, limit int32) {
	for k := range r.rooms {
		r.rooms[k] = room{r.rooms[k].feeding[:0], r.rooms[k].others[:0]}
	}
	for _, n := range r.C.Nodes {
		if !n.Live || !r.canTake(j, n, limit) {
			continue
		}
		r.rooms = core.Reach(r.rooms, n.Site[1])
		in := &r.rooms[n.Site[1]]
		switch {
		case g.In(0, n.Site) != nil || p.ahead.runs(n):
			in.feeding = append(in.feeding, n)
		case len(in.others) < Choices:
			in.others = append(in.others, n)
		}
	}
}

// bestOf returns the nodes of r.rooms with the highest scores for reduce i.
func (r *Placement) bestOf(g *gravity.Outputs, p *Plan, i int32) (best [Choices]Candidate) {
	for k := range r.rooms {
		in := &r.rooms[k]
		for _, n := range in.feeding {
			enter(&best, Candidate{n, r.score(g, p, i, n)})
		}
		if len(in.others) > 0 {
			score := r.score(g, p, i, in.others[0])
			for _, n := range in.others {
				enter(&best, Candidate{n, score})
			}
		}
	}
	return best
}
