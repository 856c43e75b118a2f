package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Each limit of the configuration may be reached, not passed.
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

// Each fault of a job is named, alone as well; what is just within the limits is none.
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
		{core.JobSpec{Maps: 1, Places: core.Places{Offsets: []int32{0, 1}, Nodes: []core.NodeID{core.NoNode}}}, "place -1 is no node"},
		{core.JobSpec{Maps: 1, Places: core.Places{Offsets: []int32{0, 1}, Nodes: []core.NodeID{last + 1}}}, "place 4 is no node"},
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

// A node has a name, slots within bounds and a place in the network of the depth configured.
func TestBoundsOfNodes(t *testing.T) {
	c := coreOf(t, "fifo", func(cfg *core.Config, _ *core.Policy) { cfg.RackDepth = 2 })
	for _, bad := range []core.Node{
		{},
		{Name: "a", MapSlots: -1},
		{Name: "a", ReduceSlots: -1},
		{Name: "a", MapSlots: core.MostSlots + 1},
		{Name: "a", ReduceSlots: core.MostSlots + 1},
		{Name: "a", Rack: "r"},
		{Name: "a", Rack: "s/t/r"},
	} {
		_, err := c.Join(0, bad)
		require.ErrorIs(t, err, core.ErrBadNode, bad)
	}
	require.Empty(t, c.Nodes)
	join(t, c, core.Node{Name: "a", Rack: "s/r", MapSlots: core.MostSlots, ReduceSlots: core.MostSlots})
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

// Each fault of the pools' configuration is refused, alone as well.
func TestBadPoolsAreRefused(t *testing.T) {
	good := core.Allocations{
		Pools: []core.PoolConfig{{Name: "a", Weight: 0}, {Name: "b", Weight: 2.5, Min: [2]int{1, 1}}},
		Users: []core.UserConfig{{Name: "u"}, {Name: "v"}}, BoostFactor: 2, BoostTime: time.Minute, FairTimeout: time.Minute,
	}
	var bad []string
	refuse := func(format string, _ ...any) { bad = append(bad, format) }
	good.Validate(refuse)
	require.Empty(t, bad)
	for _, spoil := range []func(*core.Allocations){
		func(a *core.Allocations) { a.Pools[0].Name = "" },
		func(a *core.Allocations) { a.Pools[0].Name = "b" },
		func(a *core.Allocations) { a.Pools[0].Min[core.Map] = -1 },
		func(a *core.Allocations) { a.Pools[0].Min[core.Reduce] = -1 },
		func(a *core.Allocations) { a.Pools[0].Weight = -1 },
		func(a *core.Allocations) { a.Pools[0].Weight = math.NaN() },
		func(a *core.Allocations) { a.Pools[0].Weight = math.Inf(1) },
		func(a *core.Allocations) { a.Users[0].Name = "" },
		func(a *core.Allocations) { a.Users[0].Name = "v" },
		func(a *core.Allocations) { a.BoostFactor = -1 },
		func(a *core.Allocations) { a.BoostFactor = math.NaN() },
		func(a *core.Allocations) { a.BoostFactor = math.Inf(1) },
		func(a *core.Allocations) { a.BoostTime = -1 },
		func(a *core.Allocations) { a.FairTimeout = -1 },
	} {
		a := good
		a.Pools, a.Users = append([]core.PoolConfig(nil), good.Pools...), append([]core.UserConfig(nil), good.Users...)
		spoil(&a)
		bad = nil
		a.Validate(refuse)
		require.Len(t, bad, 1, "%+v", a)
	}
}

// A recorded job may have so many tasks of each kind, and no more.
func TestRecordedJobsHaveALimit(t *testing.T) {
	for _, x := range []struct {
		maps, reduces int
		fits          bool
	}{
		{core.MostReplayed, core.MostReplayed, true},
		{core.MostReplayed + 1, 0, false},
		{0, core.MostReplayed + 1, false},
	} {
		for _, op := range []core.Op{core.OpSubmit, core.OpResume} {
			err := (&core.Call{Op: op, Submit: &core.JobSpec{Maps: x.maps, Reduces: x.reduces}}).Complete()
			if x.fits {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, core.ErrReplay)
			}
		}
	}
}

// Each fault of a policy is refused, alone as well; the limits themselves are not.
func TestBadPoliciesAreRefused(t *testing.T) {
	good := core.Policy{
		Order: "hfsp", SlowStart: 1, LoadMaxDiff: 1, Locality: core.LocalityPolicy{Skips: []int{0, 1}, Waits: []time.Duration{0, 1}},
		HFSP: core.HFSPPolicy{Xi: 1, SuspendLow: 2, SuspendHigh: 2},
	}
	require.NoError(t, good.Validate())
	many := core.MaxLevels
	for name, spoil := range map[string]func(*core.Policy){
		"slow start":     func(p *core.Policy) { p.SlowStart = 1.01 },
		"no slow start":  func(p *core.Policy) { p.SlowStart = math.NaN() },
		"load below":     func(p *core.Policy) { p.LoadMaxDiff = -0.01 },
		"load above":     func(p *core.Policy) { p.LoadMaxDiff = 1.01 },
		"skips":          func(p *core.Policy) { p.Locality.Skips = make([]int, many) },
		"waits":          func(p *core.Policy) { p.Locality.Waits = make([]time.Duration, many) },
		"negative skip":  func(p *core.Policy) { p.Locality.Skips = []int{0, -1} },
		"negative wait":  func(p *core.Policy) { p.Locality.Waits = []time.Duration{0, -1} },
		"theta":          func(p *core.Policy) { p.Reduce.Theta = math.NaN() },
		"skew cap":       func(p *core.Policy) { p.Reduce.SkewCap = math.NaN() },
		"forgive":        func(p *core.Policy) { p.Avoid.Forgive = -1 },
		"sample":         func(p *core.Policy) { p.HFSP.Sample = -1 },
		"delta":          func(p *core.Policy) { p.HFSP.Delta = -1 },
		"xi":             func(p *core.Policy) { p.HFSP.Xi = 0.99 },
		"initial":        func(p *core.Policy) { p.HFSP.Initial = -1 },
		"suspend low":    func(p *core.Policy) { p.HFSP.SuspendLow = -1 },
		"low above high": func(p *core.Policy) { p.HFSP.SuspendLow = 3 },
		"pools":          func(p *core.Policy) { p.Pools.Pools = []core.PoolConfig{{}} },
		"copies' rule":   func(p *core.Policy) { p.Speculation.Rule = core.LATE + 1 },
		"copies' lag":    func(p *core.Policy) { p.Speculation.Lag = -1 },
		"slow task":      func(p *core.Policy) { p.Speculation.SlowTask = math.NaN() },
		"slow node":      func(p *core.Policy) { p.Speculation.SlowNode = -1 },
		"copies below":   func(p *core.Policy) { p.Speculation.Cap = -0.1 },
		"copies above":   func(p *core.Policy) { p.Speculation.Cap = 1.1 },
		"few copies":     func(p *core.Policy) { p.Speculation.MinCopies = -1 },
	} {
		p := good
		spoil(&p)
		require.ErrorIs(t, p.Validate(), core.ErrBadConfig, name)
	}
	most := good
	most.Locality.Skips, most.Locality.Waits = make([]int, many-1), make([]time.Duration, many-1)
	require.NoError(t, most.Validate())
}

// A weight goes to its pool, a new one where pools are free, "default" always; whoever holds the old list
// keeps it.
func TestSetWeight(t *testing.T) {
	old := []core.PoolConfig{{Name: "ann", Weight: 2, MaxJobs: 3}, {Name: "bob"}}
	for _, known := range []bool{false, true} {
		a := core.Allocations{Pools: old, Known: known}
		require.True(t, a.SetWeight("ann", 5))
		require.True(t, a.SetWeight("default", 4))
		require.Equal(t, !known, a.SetWeight("cat", 3))
		want := []core.PoolConfig{{Name: "ann", Weight: 5, MaxJobs: 3}, {Name: "bob"}, {Name: "default", Weight: 4}}
		if !known {
			want = append(want, core.PoolConfig{Name: "cat", Weight: 3})
		}
		require.Equal(t, want, a.Pools)
		require.InDelta(t, 2, old[0].Weight, 0)
	}
}
