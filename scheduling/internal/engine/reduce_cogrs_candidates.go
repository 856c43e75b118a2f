package engine

import (
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// Steps 2 and 3 of cogrs: what reduces cost on nodes, and their candidates.

// choices is how many nodes are kept for each reduce: the best, and others in case that is full.
const choices = 3

// candidate is a node and its score for a reduce.
type candidate struct {
	node  *node
	score int64
}

// score is the score of reduce i on n, with the running maps as in the plan: each counts with the
// mean known output on its node.
func (r *cogrs) score(g *gravity.Outputs, p *plan, i int32, n *node) int64 {
	return g.Held(i, int32(n.id)) + g.Around(i, n.site(), r.levels) + int64(p.ahead.share(n)*float64(g.Total(i))) // 2
}

// findFeeding finds the best feeding nodes of each reduce: those that hold some of its input, or on
// which maps run.
func (r *cogrs) findFeeding(g *gravity.Outputs, p *plan) {
	r.floor = append(r.floor[:0], make([]int64, len(p.best))...)
	for _, f := range g.Feeders() {
		if f.Bytes != nil {
			r.enterFeeding(g, p, r.c.nodes[f.Node], f.Bytes)
		}
	}
	if p.ahead.known > 0 {
		for _, t := range p.ahead.count[0] {
			if !g.Feeds(t.group) {
				r.enterFeeding(g, p, r.c.nodes[t.group], nil)
			}
		}
	}
}

// enterFeeding enters n, with its bytes, for every reduce of which it holds something, or will.
func (r *cogrs) enterFeeding(g *gravity.Outputs, p *plan, n *node, bytes []int64) {
	best, floor, total, runs := p.best, r.floor[:len(p.best)], g.Totals()[:len(p.best)], p.ahead.runs(n)
	base := r.around(g, p, n)[:len(p.best)]
	for i := range best {
		here := int64(0)
		if i < len(bytes) {
			here = bytes[i]
		}
		score := here + base[i]
		if score < floor[i] || here == 0 && !(runs && total[i] > 0) {
			continue
		}
		enter(&best[i], candidate{n, score}) // 3
		if worst := best[i][choices-1]; worst.node != nil {
			floor[i] = worst.score
		}
	}
}

// around is, by reduce, the score on n without what lies there.
func (r *cogrs) around(g *gravity.Outputs, p *plan, n *node) []int64 {
	share, sum := p.ahead.share(n), r.sum[:0]
	for l := 1; l < r.levels; l++ {
		switch row := g.In(l, n.site()); {
		case row == nil:
		case len(sum) == 0 && share == 0 && r.levels == 2:
			return row // by far the most frequent case
		case len(sum) == 0:
			sum = append(sum, row...)
		default:
			for i, b := range row {
				sum[i] += b
			}
		}
	}
	if len(sum) == 0 {
		sum = append(sum, make([]int64, len(p.best))...)
	}
	if share > 0 {
		for i, b := range g.Totals() {
			sum[i] += int64(share * float64(b))
		}
	}
	r.sum = sum
	return sum
}

// enter puts a node among the best if it is; of equal ones the first in the order of nodes.
func enter(best *[choices]candidate, c candidate) {
	for k, d := range best {
		if d.node == nil || c.score > d.score || c.score == d.score && c.node.id < d.node.id {
			best[k], c = c, d
			if c.node == nil {
				return
			}
		}
	}
}

// renew finds new candidates for the pending reduces none of whose candidates can take one: to wait
// for them would be in vain.
func (r *cogrs) renew(j *job, g *gravity.Outputs, p *plan) {
	limit, pending := r.cap(j, g), &j.w[Reduce].pending
	r.findTaken(j, p, limit)
	renewed := false
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		if r.taken[i] {
			continue
		}
		if !renewed {
			renewed = true
			r.findRooms(j, g, p, limit)
		}
		if p.candidates[i] = p.best[i]; !r.anyCanTake(j, &p.best[i], limit) {
			p.candidates[i] = r.bestOf(g, p, i) // 3
		}
	}
	if renewed {
		r.index(j, p)
	}
}

// findTaken finds out of each reduce whether one of its candidates can take it.
func (r *cogrs) findTaken(j *job, p *plan, limit int32) {
	r.taken = append(r.taken[:0], make([]bool, len(p.candidates))...)
	node, can := int32(-1), false
	for _, h := range p.byNode {
		if h.group != node {
			node, can = h.group, r.canTake(j, r.c.nodes[h.group], limit)
		}
		r.taken[h.reduce] = r.taken[h.reduce] || can
	}
}

func (r *cogrs) anyCanTake(j *job, list *[choices]candidate, limit int32) bool {
	return slices.ContainsFunc(list[:], func(c candidate) bool { return c.node != nil && r.canTake(j, c.node, limit) })
}

// room is the nodes of a rack that can take a reduce of a job: those that hold input of the job or
// run its maps, and of the others, which are all alike, as many as are kept.
type room struct {
	feeding []*node
	others  []*node
}

func (r *cogrs) findRooms(j *job, g *gravity.Outputs, p *plan, limit int32) {
	for k := range r.rooms {
		r.rooms[k] = room{r.rooms[k].feeding[:0], r.rooms[k].others[:0]}
	}
	for _, n := range r.c.nodes {
		if !n.live || !r.canTake(j, n, limit) {
			continue
		}
		r.rooms = reach(r.rooms, n.groups[1])
		in := &r.rooms[n.groups[1]]
		switch {
		case g.Feeds(int32(n.id)) || p.ahead.runs(n):
			in.feeding = append(in.feeding, n)
		case len(in.others) < choices:
			in.others = append(in.others, n)
		}
	}
}

// bestOf finds the best nodes for reduce i of those that have room.
func (r *cogrs) bestOf(g *gravity.Outputs, p *plan, i int32) (best [choices]candidate) {
	for k := range r.rooms {
		in := &r.rooms[k]
		for _, n := range in.feeding {
			enter(&best, candidate{n, r.score(g, p, i, n)})
		}
		if len(in.others) > 0 {
			score := r.score(g, p, i, in.others[0])
			for _, n := range in.others {
				enter(&best, candidate{n, score})
			}
		}
	}
	return best
}
