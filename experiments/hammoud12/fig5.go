package hammoud12

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// gravityCluster is a Core with a job whose maps have run, to be asked about distances.
type gravityCluster struct {
	core  *scheduling.Core
	nodes []scheduling.NodeID
}

// newGravityCluster makes racks of so many nodes and a job with one map on each feeding node
// (numbered from 0 through all racks), each map with one byte for each reduce.
func newGravityCluster(racks []int, feeding []int, reduces int) (*gravityCluster, error) {
	p := setup.Preset("fair",
		func(p *scheduling.Policy) { p.Reduce.Rule, p.SlowStart = scheduling.CoGRS, 1 })
	core, err := scheduling.NewCore(scheduling.Config{}, p)
	if err != nil {
		return nil, err
	}
	g := &gravityCluster{core: core}
	for rack, n := range racks {
		for range n {
			id, err := core.Join(0,
				scheduling.Node{
					Name: fmt.Sprintf("node%d", len(g.nodes)+1),
					Rack: fmt.Sprintf("rack%d", rack+1), MapSlots: 1, ReduceSlots: 2,
				})
			if err != nil {
				return nil, err
			}
			g.nodes = append(g.nodes, id)
		}
	}
	if _, err := core.Submit(0,
		scheduling.JobSpec{Name: "wordcount", Maps: len(feeding), Reduces: reduces}); err != nil {
		return nil, err
	}
	bytes := make([]int64, reduces)
	for i := range bytes {
		bytes[i] = 1
	}
	for _, n := range feeding {
		got, err := core.Heartbeat(0, scheduling.Heartbeat{Node: g.nodes[n]})
		if err != nil {
			return nil, err
		}
		for _, order := range got.Actions {
			status := scheduling.Status{
				Attempt: order.Attempt, State: scheduling.StateSucceeded, OutputBytes: bytes,
			}
			if _, err := core.Heartbeat(0,
				scheduling.Heartbeat{
					Node: g.nodes[n], NoWork: true, Statuses: []scheduling.Status{status},
				}); err != nil {
				return nil, err
			}
		}
	}
	return g, nil
}

// tnd asks for the total network distance of reduce 0 on a node, numbered from 1 as in the paper.
func (g *gravityCluster) tnd(node int) (float64, error) {
	d, err := g.core.View().TND(scheduling.TaskID{Job: 1, Kind: scheduling.Reduce, Index: 0},
		g.nodes[node-1])
	return float64(d), err
}

// Fig5 is [Hammoud12 Figs 5 and 7]: total network distances, asked of the Core.
func Fig5(context.Context, study.Options) (*study.Result, error) {
	r := &study.Result{
		Setup: []string{
			"Fig 5: 14 nodes in two racks of 7; 11 maps, one a node: 5 in the rack of node 3 and " +
				"6 in that of nodes 8, 11 and 13, the only numbers that fit the published " +
				"distances; nodes 3 and 12 feed nothing.",
			"Fig 7: two racks of 3 nodes, TT1 and TT2 feeding.",
			"Distances are the Core's own answers: 0 on the node, 2 in the rack, 4 beyond.",
		},
	}
	five, err := newGravityCluster([]int{7, 7}, fig5Feeding(), 3)
	if err != nil {
		return nil, err
	}
	seven, err := newGravityCluster([]int{3, 3}, []int{0, 1}, 1)
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		text   string
		g      *gravityCluster
		node   int
		want   float64
		fitted bool // the number of maps in each rack follows from it
	}{
		{"Fig 5: R0 on node 13", five, 13, 30, false},
		{"Fig 5: R1 on node 12", five, 12, 32, true},
		{"Fig 5: R2 on node 3", five, 3, 34, true},
		{"Fig 5: R1 moved to node 11", five, 11, 30, false},
		{"Fig 5: R2 moved to node 8", five, 8, 30, false},
		{"Fig 7: R on TT4", seven, 4, 8, false},
		{"Fig 7: R on TT1", seven, 1, 2, false},
		{"Fig 7: R on TT2", seven, 2, 2, false},
	} {
		got, err := c.g.tnd(c.node)
		if err != nil {
			return nil, err
		}
		row := study.PrintedRow(c.text+": total network distance", "", c.want, study.Count,
			study.Sure(got))
		if c.fitted {
			row = study.Known(row.Quantity, "", c.want, row.Ours).OldSaying("the racks follow from it")
		}
		r.Add(row)
	}
	return r, placeFig5(r, five)
}

// placeFig5 lets the Core place the three reduces of Fig 5 and compares with native Hadoop's nodes
// and with random ones.
func placeFig5(r *study.Result, g *gravityCluster) error {
	p := setup.Placing{Slots: 2, At: fig5Feeding()}
	bars := study.Figure{
		Name: "tnd", Title: "Total network distance of a reduce by node", X: "node", Y: "links",
		Series: []*study.Series{{Name: "feeding nodes"}, {Name: "idle nodes"}},
	}
	random := 0.0
	for n := range g.nodes {
		p.RackOf = append(p.RackOf, n/7)
		d, err := g.tnd(n + 1)
		if err != nil {
			return err
		}
		random += d / float64(len(g.nodes))
		bars.Categories = append(bars.Categories, fmt.Sprint(n+1))
		ys := [2]float64{0, d}
		if slices.Contains(p.At, n) {
			ys = [2]float64{d, 0}
		}
		bars.Series[0].Y = append(bars.Series[0].Y, ys[0])
		bars.Series[1].Y = append(bars.Series[1].Y, ys[1])
	}
	for range p.At {
		p.Bytes = append(p.Bytes, []int64{1, 1, 1})
	}
	rule := setup.Rule{
		Known: 1,
		Policy: scheduling.ReducePolicy{
			Rule: scheduling.CoGRS, Theta: -1, Waits: [2]time.Duration{placingWaits, placingWaits},
		},
	}
	where, err := p.ByCore(rule, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		return err
	}
	sum := 0.0
	for _, n := range where {
		d, err := g.tnd(n + 1)
		if err != nil {
			return err
		}
		sum += d
	}
	r.Add(study.FormulaRow("Fig 5: sum of the three reduces where CoGRS puts them", "", 90, 0,
		study.Sure(sum)).OldSaying("follows from the text; native placement has 96"),
		study.FormulaRow("Fig 5: mean over all nodes, a reduce", "", 31.43, 0.005,
			study.Sure(random)).OldSaying("follows from the text"))
	r.Setup = append(r.Setup,
		"The Core places the three reduces of Fig 5 itself, without tolerance for nodes that are "+
			"nearly as good.")
	r.Figures = []study.Figure{bars}
	return nil
}

// fig5Feeding lists the feeding nodes of Fig 5, numbered from 0.
func fig5Feeding() []int { return []int{0, 1, 3, 4, 5, 7, 8, 9, 10, 12, 13} }
