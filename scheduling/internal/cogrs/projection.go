package cogrs

import (
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// projected is what running maps add to the scores of nodes (our addition). A map counts on its
// node with the mean known output, so that a node with only running maps can be a center. The zero
// value adds nothing.
type projected struct {
	knownOutputs int               // number of the known outputs, of which the mean is taken
	count        []map[int32]int32 // running maps by level and group
}

// projection counts the running maps of j, unless all outputs are known. It reuses the memory of p.
func (r *Placement) projection(j *core.Job, p projected) projected {
	for l := range p.count {
		clear(p.count[l])
	}
	p.knownOutputs = 0
	if r.pol.NoProjection || j.Work[model.Map].Running == 0 {
		return p
	}
	if p.knownOutputs = j.Outputs.Known(); p.count == nil {
		for range r.levels {
			p.count = append(p.count, map[int32]int32{})
		}
	}
	for i := range j.Work[model.Map].Tasks {
		if ai := j.Work[model.Map].Tasks[i].Att; ai >= 0 {
			for l := range p.count {
				p.count[l][r.C.Attempts[ai].Node.Site[l]]++
			}
		}
	}
	return p
}

// runs reports whether maps of the job run on n; false if no output is known.
func (p *projected) runs(n *core.NodeState) bool {
	return p.knownOutputs > 0 && p.count[0][n.Site[0]] > 0
}

// share returns what running maps add to the score of a reduce at n, as a fraction of its known
// input. A map counts once for each level at which it is in the same group as n.
func (p *projected) share(n *core.NodeState) float64 {
	if p.knownOutputs == 0 {
		return 0
	}
	maps := int32(0)
	for l := range p.count {
		maps += p.count[l][n.Site[l]]
	}
	return float64(maps) / float64(p.knownOutputs)
}
