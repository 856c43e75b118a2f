package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// A suspended attempt is killed if its node gets too few slots for it, or if the new policy does
// not resume attempts.
func TestSuspendedAttemptsThatCannotGoOn(t *testing.T) {
	suspended := func() (*core.Core, model.NodeID, model.AttemptID) {
		c := coreOf(t, "hfsp", func(_ *core.Config, p *model.Policy) { p.HFSP = model.HFSPPolicy{NoTraining: true} })
		n := join(t, c, model.Node{Name: "n", ReduceSlots: 2})
		submit(t, c, model.JobSpec{Reduces: 2, ReduceTime: time.Hour})
		large := beat(t, c, 0, n)
		submit(t, c, model.JobSpec{Reduces: 1, ReduceTime: time.Minute})
		require.Len(t, beat(t, c, 0, n), 1)
		v, ok := c.View().Attempt(large[0])
		require.True(t, ok)
		require.True(t, v.Suspended)
		return c, n, large[0]
	}
	for slots, lives := range map[int]bool{2: true, 1: true, 0: false} {
		c, _, id := suspended()
		join(t, c, model.Node{Name: "n", ReduceSlots: slots})
		_, ok := c.View().Attempt(id)
		require.Equal(t, lives, ok, "%d slots", slots)
		require.Len(t, c.View().Attempts(model.TaskID{Job: 2, Kind: model.Reduce, Index: 0}), 1, "what runs goes on")
	}
	for preset, lives := range map[string]bool{"hfsp": true, "srpt": true, "fair": false, "hfs": false} {
		c, n, id := suspended()
		p := policyOf(t, preset, nil)
		require.NoError(t, c.Reconfigure(0, p))
		_, ok := c.View().Attempt(id)
		require.Equal(t, lives, ok, preset)
		require.Equal(t, map[bool]int{true: 1, false: 0}[lives], c.Suspend)
		got, err := c.Heartbeat(0, model.Heartbeat{Node: n, NoWork: true})
		require.NoError(t, err)
		require.Equal(t, !lives, len(got.Actions) == 1, "the node is recorded")
		checkInvariants(t, c)
	}
	c, _, _ := suspended()
	require.NoError(t, c.Kill(0, 1))
	require.Zero(t, c.Suspend)
	require.Zero(t, jobView(t, c, 1).Kinds[model.Reduce].Suspended)
}
