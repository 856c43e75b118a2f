package cogrs

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/flat"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// built has the order "fair" and this package's placements, which the tests' policies name.
var built = &core.Policies{
	Orders: map[string]func(*core.Core, *model.Policy) (core.Order, error){"fair": flat.NewFair},
	Reduces: map[model.ReduceRule]func(*core.Core, model.ReducePolicy, core.Placement) core.Placement{
		model.CoGRS: New, model.LARTS: New,
	},
}

// fair returns a Core with two racks of two nodes, each with 2 map slots and 1 reduce slot.
func fair(t require.TestingT, cfg core.Config, p model.ReducePolicy) (*core.Core, *Placement) {
	c := coretest.New(t, built, cfg, model.Policy{Order: "fair", Reduce: p, SlowStart: -1}, coretest.Racks([2]int{2, 1}, 2, 2)...)
	return c, placement(c)
}

func placement(c *core.Core) *Placement { return c.Placement[model.Reduce].(*Placement) }

// gravityCore returns a Core with racks of the given sizes, and a job whose maps have ended.
// outputs has, by node (numbered through all racks from 0), the bytes per reduce of the map there.
func gravityCore(t require.TestingT, rule model.ReduceRule, racks []int, reduces int, outputs map[int][]int64) (*core.Core, *core.Job) {
	p := model.ReducePolicy{Rule: rule, Theta: -1, Waits: [2]time.Duration{5 * time.Second, 5 * time.Second}}
	c := coretest.New(t, built, core.Config{}, model.Policy{Order: "fair", Reduce: p, SlowStart: 1}, coretest.Racks([2]int{1, 1}, racks...)...)
	id := coretest.Submit(t, c, model.JobSpec{Maps: len(outputs), Reduces: reduces})
	for n := range model.NodeID(len(c.Nodes)) {
		if bytes, ok := outputs[int(n)]; ok {
			got := coretest.Beat(t, c, 0, n)
			require.Len(t, got, 1)
			coretest.Report(t, c, 0, n, model.Status{Attempt: got[0], State: model.StateSucceeded, OutputBytes: bytes})
		}
	}
	return c, c.Job(id)
}

// scoreOf returns the bytes of reduce r in the groups of n, summed over the first `levels` levels.
func scoreOf(g *gravity.Outputs, r int32, n *core.NodeState, levels int) int64 {
	return g.Score(r, n.Site, levels)
}
