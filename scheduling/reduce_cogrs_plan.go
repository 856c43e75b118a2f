package scheduling

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// plan is what cogrs works out ahead for the reduces of a job: their best nodes. It is made anew
// when the number of known map outputs has grown by half, when the last is known, and when one is
// lost; so all plans of a job together cost O(reduces × feeding nodes × log maps).
type plan struct {
	made   bool
	known  int
	flat   bool    // no reduce gains anything worth a wait on any node
	sorted bool    // bySize is that of the last plan that was not flat; only a flat one needs it
	bySize []int32 // reduces, largest input first
	next   int     // first of bySize that may be pending
	best   [][choices]choice
	byNode []here        // the choices worth taking, by node
	byRack []here        // the best choices, by rack
	turn   int32         // the pending reduce that rescue looked at last
	judged bool          // loose tells of all pending reduces
	loose  index.TaskSet // the pending reduces that no node is known to be firm for, and some that are launched
	limit  int32         // the part of a node by which they were looked at
	ahead  projected
}

// choices is how many nodes are kept for each reduce: the best, and others in case that is full.
const choices = 3

// choice is a node and its score for a reduce.
type choice struct {
	node  *node
	score int64
}

// here says that a reduce has a good node in a group.
type here struct {
	group  int32
	reduce int32
	score  int64
}

// sampled outputs tell the larger reduces of an even job.
const sampled = 16

// planOf is the plan of a job as it stands.
func (r *cogrs) planOf(j *job) *plan { return &r.of[j.index].plan }

// planFor returns the plan of a job with known outputs.
func (r *cogrs) planFor(j *job) *plan {
	g, p := r.c.outputsOf(j), r.planOf(j)
	all, known := len(j.w[Map].tasks), g.Known()
	if !p.stale(known, all) {
		return p
	}
	g.Scan()
	even := g.Even(r.pol.Theta, r.levels)
	p.flat = even
	if !even {
		g.Fold()
		g.SumUp()
		p.flat = r.nothingToGain(g, len(j.w[Reduce].tasks))
	}
	switch {
	case !p.flat:
		p.sorted = false
	case !p.made:
		p.sort(g.Sizes(sampled))
	case !p.sorted:
		now, before := g.Totals()
		if even {
			before = now
		}
		p.sort(before)
	}
	p.made, p.known, p.next, p.turn, p.judged = true, known, 0, -1, false
	if !p.flat {
		r.findCenters(j)
	}
	return p
}

// stale tells whether a plan is to be made anew, of so many known outputs of all.
func (p *plan) stale(known, all int) bool {
	return !p.made || p.known != known && (known == all || known*2 >= p.known*3)
}

// sort lists the reduces by size. Those of an even job are judged by some of the outputs, those of
// one that was not even by all that there were when it was not.
func (p *plan) sort(size []int64) {
	p.sorted, p.bySize = true, p.bySize[:0]
	for i := range int32(len(size)) {
		p.bySize = append(p.bySize, i)
	}
	slices.SortFunc(p.bySize, func(a, b int32) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b))
	})
}

// nothingToGain tells whether, for every reduce, the greatest score that any node can have is too
// small to wait for.
func (r *cogrs) nothingToGain(g *gravity.Outputs, reduces int) bool {
	for i := range int32(reduces) {
		if float64(g.Bound(i, r.levels)) > r.worth(g, i) {
			return false
		}
	}
	return true
}

// largest returns the pending reduce with the largest input.
func (p *plan) largest(pending *index.TaskSet) int32 {
	for p.next < len(p.bySize) && !pending.Has(p.bySize[p.next]) {
		p.next++
	}
	if p.next == len(p.bySize) { // one became pending again behind the cursor
		p.next = 0
		return pending.First()
	}
	return p.bySize[p.next]
}
