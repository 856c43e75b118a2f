package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Each setting of Config may have its maximum or minimum, and is rejected beyond.
func TestBoundsOfTheConfiguration(t *testing.T) {
	p := policyOf(t, "fifo", nil)
	for _, x := range []struct {
		cfg  core.Config
		fits bool
	}{
		{core.Config{}, true},
		{core.Config{HeartbeatInterval: 1, Expiry: 1, MaxAttempts: 255, History: -1}, true},
		{core.Config{HeartbeatInterval: -1}, false},
		{core.Config{Expiry: -1}, false},
		{core.Config{MaxAttempts: -1}, false},
		{core.Config{MaxAttempts: 256}, false},
	} {
		_, err := NewCore(x.cfg, p)
		if x.fits {
			require.NoError(t, err, x.cfg)
		} else {
			require.ErrorIs(t, err, model.ErrBadConfig, x.cfg)
		}
	}
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	require.Equal(t, []any{10 * time.Minute, 4, 1000}, []any{c.Config.Expiry, c.Config.MaxAttempts, c.Config.History}, "the defaults")
}

// Each mistake in a job is rejected, even if it is the only one. Values at the limits are valid.
func TestBoundsOfJobs(t *testing.T) {
	c, n := newTestCore(t, "fifo", nil)
	last := n[len(n)-1]
	for _, good := range []model.JobSpec{
		{},
		{Maps: 1 << 30},
		{Reduces: 1 << 30},
		{SlotsPerTask: 1, MaxAttempts: 255, MapTime: 1, ReduceTime: 1, SlowStart: 1, Priority: model.VeryHigh},
		{Priority: model.VeryLow, SlowStart: -3},
		{Maps: 2, Places: model.Places{Offsets: []int32{0, 0, 1}, Nodes: []model.NodeID{last}}},
		{Maps: 1, Places: model.Places{Offsets: []int32{0, 2}, Nodes: []model.NodeID{0, last}}},
	} {
		require.NoError(t, c.ValidateJob(&good), "%+v", good)
	}
	for _, x := range []struct {
		bad  model.JobSpec
		says string
	}{
		{model.JobSpec{Maps: -1}, "-1 maps and 0 reduces"},
		{model.JobSpec{Reduces: -1}, "0 maps and -1 reduces"},
		{model.JobSpec{Maps: 1<<30 + 1}, "maps and 0 reduces"},
		{model.JobSpec{Reduces: 1<<30 + 1}, "0 maps and"},
		{model.JobSpec{SlotsPerTask: -1}, "slots per task"},
		{model.JobSpec{MaxAttempts: -1}, "attempts (at most 255)"},
		{model.JobSpec{MaxAttempts: 256}, "attempts (at most 255)"},
		{model.JobSpec{MapTime: -1}, "times must not be negative"},
		{model.JobSpec{ReduceTime: -1}, "times must not be negative"},
		{model.JobSpec{Priority: model.VeryHigh - 1}, "priority(-3)"},
		{model.JobSpec{Priority: model.VeryLow + 1}, "priority(3)"},
		{model.JobSpec{SlowStart: 1.01}, "slow start 1.01 is above 1"},
		{model.JobSpec{SlowStart: math.NaN()}, "slow start NaN"},
		{model.JobSpec{Maps: 2, Places: model.Places{Offsets: []int32{0, 1}, Nodes: []model.NodeID{0}}}, "places do not fit 2 maps"},
		{model.JobSpec{Maps: 1, Places: model.Places{Offsets: []int32{1, 1}, Nodes: []model.NodeID{0}}}, "places do not fit 1 maps"},
		{model.JobSpec{Maps: 1, Places: model.Places{Offsets: []int32{0, 1}, Nodes: []model.NodeID{0, 0}}}, "places do not fit 1 maps"},
		{model.JobSpec{Maps: 2, Places: model.Places{Offsets: []int32{0, 2, 1}, Nodes: []model.NodeID{0}}}, "places of map 1"},
		{model.JobSpec{Maps: 1, Places: model.Places{Offsets: []int32{0, 1}, Nodes: []model.NodeID{model.NoNode}}}, "place -1 is not a node"},
		{model.JobSpec{Maps: 1, Places: model.Places{Offsets: []int32{0, 1}, Nodes: []model.NodeID{last + 1}}}, "place 4 is not a node"},
		{model.JobSpec{Maps: 1, Places: model.Places{Nodes: []model.NodeID{0}}}, "places without offsets"},
	} {
		_, err := c.Submit(0, x.bad)
		require.ErrorIs(t, err, core.ErrBadJob)
		require.ErrorContains(t, err, x.says)
	}
	_, err := c.Submit(0, model.JobSpec{Maps: -1, SlotsPerTask: -1, Priority: 7, SlowStart: 2})
	for _, says := range []string{"-1 maps", "slots per task", "priority(7)", "slow start 2"} {
		require.ErrorContains(t, err, says, "all faults at once")
	}
	require.Zero(t, c.View().Jobs())
	id := submit(t, c, model.JobSpec{Maps: 1})
	for p, fits := range map[model.Priority]bool{model.VeryHigh - 1: false, model.VeryHigh: true, model.VeryLow: true, model.VeryLow + 1: false} {
		if err := c.SetPriority(0, id, p); fits {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, core.ErrBadJob)
		}
	}
}

// A node must have a name and slots within bounds. Without a rack it is in the rack "default".
func TestBoundsOfNodes(t *testing.T) {
	c := coreOf(t, "fifo", nil)
	for _, bad := range []model.Node{
		{},
		{Name: "a", MapSlots: -1},
		{Name: "a", ReduceSlots: -1},
		{Name: "a", MapSlots: 1<<20 + 1},
		{Name: "a", ReduceSlots: 1<<20 + 1},
	} {
		_, err := c.Join(0, bad)
		require.ErrorIs(t, err, core.ErrBadNode, bad)
	}
	require.Empty(t, c.Nodes)
	join(t, c, model.Node{Name: "a", Rack: "default", MapSlots: 1 << 20, ReduceSlots: 1 << 20})
	id := join(t, c, model.Node{Name: "b"})
	require.Equal(t, model.RackLocal, c.View().Between(0, id))
	_, known := c.View().Lookup("b")
	require.True(t, known)
	c.NodeID("named")
	_, known = c.View().Lookup("named")
	require.False(t, known, "it has not joined")
	_, known = c.View().Lookup("nobody")
	require.False(t, known)
	for _, at := range []model.NodeID{model.NoNode, 2, 3} {
		require.ErrorIs(t, c.Cordon(0, at, true), core.ErrUnknownNode)
		require.ErrorIs(t, c.Leave(0, at), core.ErrUnknownNode)
		got, err := c.Heartbeat(0, model.Heartbeat{Node: at})
		require.ErrorIs(t, err, core.ErrUnknownNode)
		require.True(t, got.Reregister)
	}
}
