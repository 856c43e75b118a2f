package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Each setting of Config may have its maximum or minimum, and is rejected beyond.
func TestBoundsOfTheConfiguration(t *testing.T) {
	p := policyOf(t, "fifo", nil)
	for _, x := range []struct {
		cfg  core.Config
		fits bool
	}{
		{core.Config{}, true},
		{core.Config{HeartbeatInterval: 1, Expiry: 1, MaxAttempts: 255, RackDepth: 8, History: -1}, true},
		{core.Config{HeartbeatInterval: -1}, false},
		{core.Config{Expiry: -1}, false},
		{core.Config{MaxAttempts: -1}, false},
		{core.Config{MaxAttempts: 256}, false},
		{core.Config{RackDepth: -1}, false},
		{core.Config{RackDepth: 9}, false},
	} {
		_, err := NewCore(x.cfg, p)
		if x.fits {
			require.NoError(t, err, x.cfg)
		} else {
			require.ErrorIs(t, err, core.ErrBadConfig, x.cfg)
		}
	}
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	require.Equal(t, []any{10 * time.Minute, 4, 1, 1000}, []any{c.Config.Expiry, c.Config.MaxAttempts, c.Config.RackDepth, c.Config.History}, "the defaults")
}

// Each mistake in a job is rejected, even if it is the only one. Values at the limits are valid.
func TestBoundsOfJobs(t *testing.T) {
	c, n := newTestCore(t, "fifo", nil)
	last := n[len(n)-1]
	for _, good := range []core.JobSpec{
		{},
		{Maps: 1 << 30},
		{Reduces: 1 << 30},
		{SlotsPerTask: 1, MaxAttempts: 255, MapTime: 1, ReduceTime: 1, SlowStart: 1, Priority: core.VeryHigh},
		{Priority: core.VeryLow, SlowStart: -3},
		{Maps: 2, Places: core.Places{Offsets: []int32{0, 0, 1}, Nodes: []core.NodeID{last}}},
		{Maps: 1, Places: core.Places{Offsets: []int32{0, 2}, Nodes: []core.NodeID{0, last}}},
	} {
		require.NoError(t, c.ValidateJob(&good), "%+v", good)
	}
	for _, x := range []struct {
		bad  core.JobSpec
		says string
	}{
		{core.JobSpec{Maps: -1}, "-1 maps and 0 reduces"},
		{core.JobSpec{Reduces: -1}, "0 maps and -1 reduces"},
		{core.JobSpec{Maps: 1<<30 + 1}, "maps and 0 reduces"},
		{core.JobSpec{Reduces: 1<<30 + 1}, "0 maps and"},
		{core.JobSpec{SlotsPerTask: -1}, "slots per task"},
		{core.JobSpec{MaxAttempts: -1}, "attempts (at most 255)"},
		{core.JobSpec{MaxAttempts: 256}, "attempts (at most 255)"},
		{core.JobSpec{MapTime: -1}, "times must not be negative"},
		{core.JobSpec{ReduceTime: -1}, "times must not be negative"},
		{core.JobSpec{Priority: core.VeryHigh - 1}, "priority(-3)"},
		{core.JobSpec{Priority: core.VeryLow + 1}, "priority(3)"},
		{core.JobSpec{SlowStart: 1.01}, "slow start 1.01 is above 1"},
		{core.JobSpec{SlowStart: math.NaN()}, "slow start NaN"},
		{core.JobSpec{Maps: 2, Places: core.Places{Offsets: []int32{0, 1}, Nodes: []core.NodeID{0}}}, "places do not fit 2 maps"},
		{core.JobSpec{Maps: 1, Places: core.Places{Offsets: []int32{1, 1}, Nodes: []core.NodeID{0}}}, "places do not fit 1 maps"},
		{core.JobSpec{Maps: 1, Places: core.Places{Offsets: []int32{0, 1}, Nodes: []core.NodeID{0, 0}}}, "places do not fit 1 maps"},
		{core.JobSpec{Maps: 2, Places: core.Places{Offsets: []int32{0, 2, 1}, Nodes: []core.NodeID{0}}}, "places of map 1"},
		{core.JobSpec{Maps: 1, Places: core.Places{Offsets: []int32{0, 1}, Nodes: []core.NodeID{core.NoNode}}}, "place -1 is not a node"},
		{core.JobSpec{Maps: 1, Places: core.Places{Offsets: []int32{0, 1}, Nodes: []core.NodeID{last + 1}}}, "place 4 is not a node"},
		{core.JobSpec{Maps: 1, Places: core.Places{Nodes: []core.NodeID{0}}}, "places without offsets"},
	} {
		_, err := c.Submit(0, x.bad)
		require.ErrorIs(t, err, core.ErrBadJob)
		require.ErrorContains(t, err, x.says)
	}
	_, err := c.Submit(0, core.JobSpec{Maps: -1, SlotsPerTask: -1, Priority: 7, SlowStart: 2})
	for _, says := range []string{"-1 maps", "slots per task", "priority(7)", "slow start 2"} {
		require.ErrorContains(t, err, says, "all faults at once")
	}
	require.Zero(t, c.View().Jobs())
	id := submit(t, c, core.JobSpec{Maps: 1})
	for p, fits := range map[core.Priority]bool{core.VeryHigh - 1: false, core.VeryHigh: true, core.VeryLow: true, core.VeryLow + 1: false} {
		if err := c.SetPriority(0, id, p); fits {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, core.ErrBadJob)
		}
	}
}

// A node must have a name, slots within bounds, and a rack name of the configured depth.
func TestBoundsOfNodes(t *testing.T) {
	c := coreOf(t, "fifo", func(cfg *core.Config, _ *core.Policy) { cfg.RackDepth = 2 })
	for _, bad := range []core.Node{
		{},
		{Name: "a", MapSlots: -1},
		{Name: "a", ReduceSlots: -1},
		{Name: "a", MapSlots: 1<<20 + 1},
		{Name: "a", ReduceSlots: 1<<20 + 1},
		{Name: "a", Rack: "r"},
		{Name: "a", Rack: "s/t/r"},
	} {
		_, err := c.Join(0, bad)
		require.ErrorIs(t, err, core.ErrBadNode, bad)
	}
	require.Empty(t, c.Nodes)
	join(t, c, core.Node{Name: "a", Rack: "s/r", MapSlots: 1 << 20, ReduceSlots: 1 << 20})
	id := join(t, c, core.Node{Name: "b"})
	require.Equal(t, []string{"default/default", "default"}, []string{c.Groups[1].Names[c.Nodes[id].Groups[1]], c.Groups[2].Names[c.Nodes[id].Groups[2]]})
	_, known := c.View().Lookup("b")
	require.True(t, known)
	c.NodeID("named")
	_, known = c.View().Lookup("named")
	require.False(t, known, "it has not joined")
	_, known = c.View().Lookup("nobody")
	require.False(t, known)
	for _, at := range []core.NodeID{core.NoNode, 2, 3} {
		require.ErrorIs(t, c.Cordon(0, at, true), core.ErrUnknownNode)
		require.ErrorIs(t, c.Leave(0, at), core.ErrUnknownNode)
		got, err := c.Heartbeat(0, core.Heartbeat{Node: at})
		require.ErrorIs(t, err, core.ErrUnknownNode)
		require.True(t, got.Reregister)
	}
}
