package cogrs

import (
	"slices"
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
	return g.Score(r, n.Site(), levels)
}

// checkPlan fails unless p lists the candidates of each pending reduce, best first. p may also list
// reduces that have been launched since.
func checkPlan(t require.TestingT, r *Placement, j *core.Job, p *Plan) {
	require.Len(t, p.Best, len(j.Work[model.Reduce].Tasks))
	require.True(t, slices.IsSortedFunc(p.ByNode, Here.Compare))
	require.True(t, slices.IsSortedFunc(p.ByRack, Here.Compare))
	pending := &j.Work[model.Reduce].Pending
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		if j.Work[model.Reduce].Tasks[i].Tries > 0 {
			continue // it goes anywhere
		}
		best := p.Candidates[i]
		for k, c := range best {
			if c.Node == nil {
				require.Equal(t, [Choices]Candidate{}, [Choices]Candidate(append(slices.Clone(best[k:]), make([]Candidate, k)...)))
				break
			}
			if k == 0 {
				require.Len(t, slices.DeleteFunc(slices.Clone(p.ByRack), func(h Here) bool { return h.Reduce != i }), 1)
			} else {
				d := best[k-1]
				require.True(t, d.Score > c.Score || d.Score == c.Score && d.Node.ID < c.Node.ID, "%v before %v", d, c)
			}
			require.Contains(t, p.ByNode, Here{Group: int32(c.Node.ID), Reduce: i, Score: c.Score})
			require.True(t, r.Near[0].Has(int32(c.Node.ID), j.Index))
		}
	}
}
