package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

func TestTrainingReplacesTheSize(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "n", MapSlots: 5, ReduceSlots: 1})
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Maps: 8})
	require.NoError(t, err)
	v, err := c.View().Virtual(1, core.Map)
	require.NoError(t, err)
	require.Equal(t, 8*time.Minute, v.Left, "60 s a task while nothing is known")
	var list []core.Status
	for _, id := range beat(t, c, 0, n) {
		list = append(list, core.Status{Attempt: id, State: core.StateSucceeded})
	}
	require.Len(t, list, 5)
	beat(t, c, 10*time.Second, n, list...)
	v, err = c.View().Virtual(1, core.Map)
	require.NoError(t, err)
	require.Equal(t, 30*time.Second, v.Left, "8 tasks of 10 s, less the 50 s of the sample")
}

// threeReduces are those of a job under hfsp, whose sample is one of them, on a node with one slot.
func threeReduces(t *testing.T) (*core.Core, core.NodeID) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.Sample = 1
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "n", ReduceSlots: 1})
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Reduces: 3})
	require.NoError(t, err)
	return c, n
}

func TestReduceProgressTellsItsLength(t *testing.T) {
	c, n := threeReduces(t)
	r := beat(t, c, 0, n)
	beat(t, c, 30*time.Second, n, core.Status{Attempt: r[0], ReduceProgress: 0.1})
	v, _ := c.View().Virtual(1, core.Reduce)
	require.Equal(t, 150*time.Second, v.Left, "still the guess: 3 × 60 s, of which 30 s have passed")
	beat(t, c, 60*time.Second, n, core.Status{Attempt: r[0], ReduceProgress: 0.2})
	v, _ = c.View().Virtual(1, core.Reduce)
	require.Equal(t, 840*time.Second, v.Left, "3 × 60 s / 0.2, less the 60 s done")
}

// TestShuffleIsNoExecution has a reduce that shuffles long after the last map, so that it has
// consumed little when Delta has passed since that map.
func TestShuffleIsNoExecution(t *testing.T) {
	c, n := threeReduces(t)
	r := beat(t, c, 0, n)
	beat(t, c, 178*time.Second, n, core.Status{Attempt: r[0]})
	beat(t, c, 180*time.Second, n, core.Status{Attempt: r[0], ReduceProgress: 0.01})
	v, _ := c.View().Virtual(1, core.Reduce)
	require.Zero(t, v.Left, "no estimate yet: of the guess of 180 s all has passed")
	beat(t, c, 238*time.Second, n, core.Status{Attempt: r[0], ReduceProgress: 0.3})
	v, _ = c.View().Virtual(1, core.Reduce)
	require.Equal(t, 540*time.Second, v.Left, "3 × 60 s / 0.3, less the 60 s done")
}

func TestHysteresisOfSuspension(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP = core.HFSPPolicy{NoTraining: true, SuspendHigh: 2, SuspendLow: 0}
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "n", ReduceSlots: 4})
	require.NoError(t, err)
	submit := func(at time.Duration, reduces int, long time.Duration) {
		_, err := c.Submit(at, core.JobSpec{Reduces: reduces, ReduceTime: long})
		require.NoError(t, err)
	}
	submit(0, 4, time.Hour)
	require.Len(t, beat(t, c, 0, n), 4)
	submit(1, 2, time.Minute)
	small := beat(t, c, 1, n)
	require.Len(t, small, 2)
	require.Equal(t, 2, c.Suspend)
	submit(2, 1, time.Second)
	require.Empty(t, beat(t, c, 2, n), "two are suspended: now wait")
	got := beat(t, c, 3, n, core.Status{Attempt: small[0], State: core.StateSucceeded})
	require.Equal(t, core.JobID(3), got[0].Task.Job, "a free slot goes to the smallest job")
}

// TestOnlyTheSampleIsKept has a job of unknown size on all slots: a smaller one gets those beyond
// its sample.
func TestOnlyTheSampleIsKept(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.Sample = 2
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "n", ReduceSlots: 5})
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Reduces: 50})
	require.NoError(t, err)
	require.Len(t, beat(t, c, 0, n), 5)
	_, err = c.Submit(time.Second, core.JobSpec{Reduces: 4})
	require.NoError(t, err)
	got := beat(t, c, time.Second, n)
	require.Len(t, got, 3)
	for _, id := range got {
		require.Equal(t, core.JobID(2), id.Task.Job)
	}
	v, err := c.View().Job(1)
	require.NoError(t, err)
	require.Equal(t, 2, v.Kinds[core.Reduce].Running, "the training keeps two")
	require.Equal(t, 3, v.Kinds[core.Reduce].Suspended)
}
