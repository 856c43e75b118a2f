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
	r.reduces = r.reduces[:0]
	for i := range p.Best {
		r.reduces = append(r.reduces, int32(i))
	}
	for _, node := range g.Feeders() {
		if n := r.C.Nodes[node]; g.In(0, n.Site) != nil {
			r.offer(g, p, n, p.Best, false)
		}
	}
	if p.ahead.knownOutputs > 0 {
		for _, node := range slices.Sorted(maps.Keys(p.ahead.count[0])) {
			if n := r.C.Nodes[node]; g.In(0, n.Site) == nil {
				r.offer(g, p, n, p.Best, false)
			}
		}
	}
}

// offer enters n into the best nodes of each reduce in r.reduces or, unless all is set, of those
// whose input it has or will have.
func (r *Placement) offer(g *gravity.Outputs, p *Plan, n *core.NodeState, best [][Choices]Candidate, all bool) {
	node, total, share := g.In(0, n.Site), g.Totals(), p.ahead.share(n)
	var rack []int64
	if r.levels == gravity.Levels {
		rack = g.In(1, n.Site)
	}
	runs := p.ahead.runs(n)
	for _, i := range r.reduces {
		here, score := int64(0), int64(0)
		if int(i) < len(node) {
			here = node[i]
		}
		if int(i) < len(rack) {
			score = rack[i]
		}
		if score += here; share > 0 {
			score += int64(share * float64(total[i]))
		}
		if score < r.floor[i] || here == 0 && !all && !(runs && total[i] > 0) {
			continue
		}
		enter(&best[i], Candidate{n, score}) // step 3
		if worst := best[i][Choices-1]; worst.Node != nil {
			r.floor[i] = worst.Score
		}
	}
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
	r.reduces = r.reduces[:0]
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		if r.hasTaker[i] {
			continue
		}
		renewed = true
		if p.Candidates[i] = p.Best[i]; !r.anyCanTake(j, &p.Best[i], limit) {
			p.Candidates[i] = [Choices]Candidate{}
			r.reduces = append(r.reduces, i)
		}
	}
	if len(r.reduces) > 0 {
		r.findAny(j, g, p, limit)
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

// findAny sets the candidates of r.reduces to the best nodes that can take a reduce of j. A node
// that has limit reduces of j cannot. Of a rack's nodes without input, which all have the same
// score, it looks at the first Choices.
func (r *Placement) findAny(j *core.Job, g *gravity.Outputs, p *Plan, limit int32) {
	clear(r.others)
	r.floor = append(r.floor[:0], make([]int64, len(p.Best))...)
	for _, n := range r.C.Nodes {
		if !n.Live || !r.canTake(j, n, limit) {
			continue
		}
		if g.In(0, n.Site) == nil && !p.ahead.runs(n) {
			r.others = core.Reach(r.others, n.Site[1])
			if r.others[n.Site[1]]++; r.others[n.Site[1]] > Choices {
				continue
			}
		}
		r.offer(g, p, n, p.Candidates, true) // step 3
	}
}
