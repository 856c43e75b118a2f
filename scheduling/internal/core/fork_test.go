package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// A Fork turns one refusal into a launch: the first from its time on that is of its job, its kind
// of task and, if it names one, its node.
func TestForks(t *testing.T) {
	fork := Fork{At: 5 * time.Second, Job: 2, Kind: model.Reduce, Node: 1}
	for name, x := range map[string]struct {
		change func(c *Core, j *Job, n *NodeState)
		kind   model.TaskKind
		want   bool
	}{
		"the refusal":    {func(*Core, *Job, *NodeState) {}, model.Reduce, true},
		"on any node":    {func(c *Core, _ *Job, _ *NodeState) { c.Config.Fork.Node = model.NoNode }, model.Reduce, true},
		"no Fork":        {func(c *Core, _ *Job, _ *NodeState) { c.Config.Fork = nil }, model.Reduce, false},
		"the second one": {func(c *Core, _ *Job, _ *NodeState) { c.forked = true }, model.Reduce, false},
		"too early":      {func(c *Core, _ *Job, _ *NodeState) { c.Now-- }, model.Reduce, false},
		"another job":    {func(_ *Core, j *Job, _ *NodeState) { j.ID = 3 }, model.Reduce, false},
		"another node":   {func(_ *Core, _ *Job, n *NodeState) { n.ID = 2 }, model.Reduce, false},
		"the job's maps": {func(*Core, *Job, *NodeState) {}, model.Map, false},
	} {
		f := fork
		c, j, n := &Core{Now: fork.At, Config: Config{Fork: &f}}, &Job{ID: 2}, &NodeState{ID: 1}
		x.change(c, j, n)
		require.Equal(t, x.want, c.forks(j, n, x.kind), name)
	}
}
