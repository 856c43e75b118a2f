package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// limited makes a core with one queue on a node of ten slots.
func limited(t *testing.T, q core.QueueConfig) (*core.Core, core.NodeID) {
	p, err := Preset("capacity")
	require.NoError(t, err)
	p.Queues = []core.QueueConfig{q, {Name: "other", Capacity: 50}}
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "n", MapSlots: 10})
	require.NoError(t, err)
	return c, n
}

// launches sends heartbeats until nothing launches any more.
func launches(t *testing.T, c *core.Core, n core.NodeID) (count int) {
	for {
		o, err := c.Heartbeat(c.Now+1, core.Heartbeat{Node: n})
		require.NoError(t, err)
		if len(o.Actions) == 0 {
			return count
		}
		for _, order := range o.Actions {
			if order.Verb == core.Launch {
				count++
			}
		}
	}
}

// A user holds at most the factor times the queue's capacity, even though slots are idle; another
// user may go on.
func TestUserFactor(t *testing.T) {
	for factor, want := range map[float64]int{0: 10, 1: 5, 1.4: 7, 0.01: 1, 4: 10} {
		c, n := limited(t, core.QueueConfig{Name: "default", Capacity: 50, UserFactor: factor})
		_, err := c.Submit(c.Now, core.JobSpec{User: "ann", Maps: 20})
		require.NoError(t, err)
		require.Equal(t, want, launches(t, c, n), factor)
		_, err = c.Submit(c.Now, core.JobSpec{User: "bob", Maps: 20})
		require.NoError(t, err)
		require.Equal(t, min(want, 10-want), launches(t, c, n), factor)
	}
}

// Beyond InitLimit jobs wait, beyond JobLimit they are refused, also when they are moved; a change
// of policy refuses nobody.
func TestJobLimits(t *testing.T) {
	c, n := limited(t, core.QueueConfig{Name: "default", Capacity: 50, InitJobs: 9, InitLimit: 2, JobLimit: 3})
	submit := func(queue string) (core.JobID, error) {
		return c.Submit(c.Now, core.JobSpec{Queue: queue, User: "u", Maps: 1})
	}
	for range 3 {
		_, err := submit("default")
		require.NoError(t, err)
	}
	_, err := submit("default")
	require.ErrorIs(t, err, core.ErrQueueFull)
	require.ErrorContains(t, err, "queue default has 3 jobs")
	id, err := submit("other")
	require.NoError(t, err)
	require.ErrorIs(t, c.SetPool(c.Now, id, "default"), core.ErrQueueFull)
	require.NoError(t, c.Kill(c.Now, id))
	require.Equal(t, 2, launches(t, c, n), "the third job waits")
	p := c.View().Policy()
	p.Queues[0].JobLimit = 1
	require.NoError(t, c.Reconfigure(c.Now, p))
	require.NoError(t, c.Kill(c.Now, 1))
	require.Equal(t, 1, launches(t, c, n), "its turn")
}
