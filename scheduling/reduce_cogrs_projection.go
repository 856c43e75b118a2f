package scheduling

import (
	"cmp"
	"slices"
)

// projected is what running maps add to the scores of nodes. The zero value adds nothing.
type projected struct {
	known int       // outputs whose mean each running map counts with
	count [][]tally // running maps by level, ascending by group
	most  int32     // of one node
}

// tally is a number of maps in a group of nodes.
type tally struct{ group, maps int32 }

// projection counts the running maps, as long as not all outputs are known.
func (r *cogrs) projection(j *job) projected {
	if r.pol.NoProjection || j.w[Map].running == 0 {
		return projected{}
	}
	p := projected{known: r.c.outputsOf(j).Known(), count: make([][]tally, r.levels)}
	for i := range j.w[Map].tasks {
		ai := j.w[Map].tasks[i].att
		if ai < 0 {
			continue
		}
		n := r.c.atts[ai].node
		for l := range p.count {
			at, known := find(p.count[l], n.groups[l])
			if !known {
				p.count[l] = slices.Insert(p.count[l], at, tally{group: n.groups[l]})
			}
			p.count[l][at].maps++
		}
	}
	for _, t := range p.count[0] {
		p.most = max(p.most, t.maps)
	}
	return p
}

func find(list []tally, group int32) (at int, known bool) {
	return slices.BinarySearchFunc(list, group, func(t tally, g int32) int { return cmp.Compare(t.group, g) })
}

// near is the number of running maps in n's group of a level.
func (p *projected) near(l int, n *node) int32 {
	if at, known := find(p.count[l], n.groups[l]); known {
		return p.count[l][at].maps
	}
	return 0
}

// runs tells whether maps run on n.
func (p *projected) runs(n *node) bool { return p.known > 0 && p.near(0, n) > 0 }

// share is the part of a reduce's known input that the running maps near n add to its score there,
// each level counted.
func (p *projected) share(n *node) float64 {
	if p.known == 0 {
		return 0
	}
	return float64(p.near(0, n)+p.around(n)) / float64(p.known)
}

// around is the number of running maps in the rack and the wider groups of n, each level counted.
func (p *projected) around(n *node) (sum int32) {
	for l := 1; l < len(p.count); l++ {
		sum += p.near(l, n)
	}
	return sum
}

// mostAround is a share that no node in n's rack exceeds.
func (p *projected) mostAround(n *node) float64 {
	if p.known == 0 {
		return 0
	}
	return float64(p.most+p.around(n)) / float64(p.known)
}
