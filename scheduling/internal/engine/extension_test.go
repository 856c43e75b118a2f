package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

func TestTaskSelectorHasTheLastWord(t *testing.T) {
	for _, rule := range []model.ReduceRule{model.AnyNode, model.CoGRS} {
		answer := int32(0)
		c, nodes := newTestCore(t, "hfs", func(cfg *core.Config, p *model.Policy) {
			p.Reduce.Rule, p.Spread = rule, false
			p.Locality = model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{time.Hour, time.Hour}}
			cfg.TaskSelector = func(s core.Selection) int32 {
				require.True(t, s.Pending(s.Index))
				require.False(t, s.Pending(1<<20))
				return answer
			}
		})
		_, err := c.Submit(0, model.JobSpec{Maps: 4, Reduces: 5, SlowStart: -1, Places: model.Places{
			Offsets: []int32{0, 1, 2, 3, 4}, Nodes: []model.NodeID{nodes[0], nodes[2], nodes[0], nodes[0]},
		}})
		require.NoError(t, err)
		index := func(got []model.AttemptID) (list [model.Kinds][]int32) {
			for _, id := range got {
				list[id.Task.Kind] = append(list[id.Task.Kind], id.Task.Index)
			}
			return list
		}
		answer = 3 // at first 3 is launched; then it runs, so the policy's own choice is
		require.Equal(t, [model.Kinds][]int32{{3, 0}, {3}}, index(beat(t, c, 0, nodes[0])))
		answer = 0 // a map that is neither pending nor local
		require.Equal(t, [model.Kinds][]int32{{1}, {0}}, index(beat(t, c, 0, nodes[2])))
		require.Equal(t, model.NodeLocal, c.Level(c.Job(1), 2, c.Nodes[nodes[0]]))
		require.Equal(t, model.RackLocal, c.Level(c.Job(1), 2, c.Nodes[nodes[1]]))
		require.Equal(t, model.OffRack, c.Level(c.Job(1), 2, c.Nodes[nodes[3]]))
		answer = 4
		require.Equal(t, int32(4), beat(t, c, 0, nodes[1])[0].Task.Index, "a reduce on a node without local maps")
	}
}
