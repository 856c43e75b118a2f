package hammoud12

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// gravityCluster is a Core with a job whose maps have ended; it computes the reduces' distances.
type gravityCluster struct {
	setup.Placing
	s    *study.Study
	core *scheduling.Core
}

// newGravityCluster makes two racks of rack nodes each and a job with one map on each feeding node
// (numbered from 0 through both racks), each map with one byte for each reduce.
func newGravityCluster(s *study.Study, rack int, feeding []int, reduces int) *gravityCluster {
	bytes := slices.Repeat([][]int64{slices.Repeat([]int64{1}, reduces)}, len(feeding))
	g := &gravityCluster{Placing: setup.Placing{Slots: 2, At: feeding, Bytes: bytes}, s: s}
	for n := range 2 * rack {
		g.RackOf = append(g.RackOf, n/rack)
	}
	g.core = g.MapsDone(s.Check, cogrs(1), rand.New(rand.NewPCG(1, 0)))
	return g
}

// tnd returns the total network distance of reduce 0 on a node, numbered from 1 as in the paper.
func (g *gravityCluster) tnd(node int) float64 {
	d, err := g.core.View().TND(scheduling.TaskID{Job: 1, Kind: scheduling.Reduce, Index: 0},
		scheduling.NodeID(node-1))
	g.s.Check(err)
	return float64(d)
}

// fig5 reproduces [Hammoud12 Figs 5 and 7]: total network distances, as the Core computes them.
func fig5(s *study.Study) {
	feeding := []int{0, 1, 3, 4, 5, 7, 8, 9, 10, 12, 13}
	five, seven := newGravityCluster(s, 7, feeding, 3), newGravityCluster(s, 3, []int{0, 1}, 1)
	for _, c := range []struct {
		text string
		g    *gravityCluster
		node int
	}{
		{"Fig 5: R0 on node 13", five, 13},
		{"Fig 5: R1 on node 12", five, 12},
		{"Fig 5: R2 on node 3", five, 3},
		{"Fig 5: R1 moved to node 11", five, 11},
		{"Fig 5: R2 moved to node 8", five, 8},
		{"Fig 7: R on TT4", seven, 4},
		{"Fig 7: R on TT1", seven, 1},
		{"Fig 7: R on TT2", seven, 2},
	} {
		s.Row(c.text+": total network distance", study.Sure(c.g.tnd(c.node)))
	}
	bars := s.Plot("tnd")
	random := 0.0
	for n := range five.RackOf {
		d := five.tnd(n + 1)
		random += d / float64(len(five.RackOf))
		feeds, idle := 0.0, d
		if slices.Contains(feeding, n) {
			feeds, idle = d, 0
		}
		bars.Bar("feeding nodes", fmt.Sprint(n+1), feeds)
		bars.Bar("idle nodes", fmt.Sprint(n+1), idle)
	}
	placed, rule := 0.0, cogrs(1, func(r *setup.Rule) { r.Policy.Theta = -1 })
	for _, n := range five.ByCore(s.Check, rule, rand.New(rand.NewPCG(1, 0))) {
		placed += five.tnd(n + 1)
	}
	s.Row("Fig 5: sum of the three reduces where CoGRS puts them", study.Sure(placed))
	s.Row("Fig 5: mean over all nodes, a reduce", study.Sure(random))
}
