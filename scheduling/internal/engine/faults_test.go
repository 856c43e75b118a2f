package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Only failures of the task count toward its attempts: it is lost with its node three times and
// fails once, with two attempts allowed.
func TestLostAttemptsAreNotFailures(t *testing.T) {
	c, n := newTestCore(t, "fifo", func(cfg *core.Config, _ *core.Policy) { cfg.MaxAttempts = 2 })
	id, err := c.Submit(0, core.JobSpec{Maps: 1})
	require.NoError(t, err)
	for life := range 3 {
		require.Len(t, beat(t, c, 0, n[life]), 1)
		require.NoError(t, c.Leave(0, n[life]))
	}
	got := beat(t, c, 0, n[3])
	require.Len(t, got, 1)
	got = beat(t, c, 0, n[3], core.Status{Attempt: got[0], State: core.StateFailed})
	require.Equal(t, core.JobRunning, c.View().State(id), "one failure of two")
	beat(t, c, 0, n[3], core.Status{Attempt: got[0], State: core.StateFailed})
	require.Equal(t, core.JobFailed, c.View().State(id))
}

// A heartbeat gets any number of maps near their data, but one off its rack, which ends the maps.
func TestFIFOLaunchesOneMapOffItsRack(t *testing.T) {
	c, n := newTestCore(t, "fifo", func(_ *core.Config, p *core.Policy) { p.Spread = false })
	_, err := c.Submit(0, core.JobSpec{Maps: 9, Places: on(9, n[0])})
	require.NoError(t, err)
	require.Len(t, beat(t, c, 0, n[3]), 1, "off its rack")
	require.Len(t, beat(t, c, 0, n[1]), 2, "in its rack")
	require.Len(t, beat(t, c, 0, n[0]), 2)
}

// Every node has its name, the first, too; who is no node has none.
func TestNodesHaveNames(t *testing.T) {
	c, n := newTestCore(t, "fifo", nil)
	require.Equal(t, "n1", c.View().NodeName(n[0]))
	require.Equal(t, "n4", c.View().NodeName(n[3]))
	require.Empty(t, c.View().NodeName(core.NoNode))
	require.Empty(t, c.View().NodeName(n[3]+1))
}

// A node that is reserved for a task of two slots launches it as soon as two are free, and nothing
// else before.
func TestReservedNodeWaitsForItsTask(t *testing.T) {
	c, n := newTestCore(t, "capacity", nil)
	for _, other := range n[1:] {
		require.NoError(t, c.Leave(0, other))
	}
	_, err := c.Submit(0, core.JobSpec{User: "u", Maps: 3})
	require.NoError(t, err)
	first := append(beat(t, c, 0, n[0]), beat(t, c, 0, n[0])...)
	require.Len(t, first, 2)
	large, err := c.Submit(0, core.JobSpec{User: "v", Maps: 1, SlotsPerTask: 2})
	require.NoError(t, err)
	reserved := beat(t, c, 0, n[0], core.Status{Attempt: first[0], State: core.StateSucceeded})
	if len(reserved) > 0 { // the first job's last map goes before
		reserved = beat(t, c, 0, n[0], core.Status{Attempt: reserved[0], State: core.StateSucceeded})
	}
	require.Empty(t, reserved, "one slot of two is free")
	got := beat(t, c, 0, n[0], core.Status{Attempt: first[1], State: core.StateSucceeded})
	require.Len(t, got, 1)
	require.Equal(t, large, got[0].Task.Job)
}
