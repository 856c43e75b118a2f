package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Each preset has the parts of its paper's scheduler, with Hadoop's waits and limits.
func TestPresetsAreThePapers(t *testing.T) {
	wait := model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{5 * time.Second, 10 * time.Second}}
	for name, want := range map[string]model.Policy{
		"fifo":     {Order: "fifo", Spread: true},
		"fair":     {Order: "fair"},
		"delay":    {Order: "fair", Locality: model.LocalityPolicy{Rule: model.SkipCount, Auto: true}},
		"hfs":      {Order: "pools", Spread: true, Locality: wait, Pools: model.Allocations{PoolPerUser: true}},
		"capacity": {Order: "capacity"},
		"hfsp":     {Order: "hfsp", Locality: wait},
		"srpt":     {Order: "srpt"},
		"quincy":   {Order: "quincy"},
	} {
		got := policyOf(t, name, nil)
		want.Name, want.SlowStart = name, -1
		require.Equal(t, want, got)
		require.Equal(t, map[bool]model.ReduceRule{true: model.CoGRS, false: model.AnyNode}[name == "hfs"], DefaultReduceRule(name))
		require.False(t, got.NeedsProgress(model.Map), name)
		require.Equal(t, name == "hfsp", got.NeedsProgress(model.Reduce), name)
	}
	require.Len(t, Presets(), 8)
	_, err := Preset("lottery")
	require.ErrorIs(t, err, core.ErrUnknownPolicy)
	require.EqualError(t, err, `scheduling: unknown policy "lottery" (have fifo, fair, delay, hfs, capacity, hfsp, srpt, quincy)`)
	require.False(t, model.Policy{Order: "lottery"}.NeedsProgress(model.Map))
	_, err = NewCore(core.Config{}, model.Policy{Order: "lottery"})
	require.ErrorIs(t, err, core.ErrUnknownPolicy)
}

// The heartbeat interval is 1 s per 100 nodes, at least 300 ms. The automatic wait is 1.5
// intervals, at most 15 s [Hadoop].
func TestIntervals(t *testing.T) {
	for nodes, want := range map[int]time.Duration{0: 300, 1: 300, 30: 300, 31: 310, 100: 1000, 250: 2500} {
		require.Equal(t, want*time.Millisecond, core.HeartbeatInterval(nodes))
	}
	for interval, want := range map[time.Duration]time.Duration{
		0: 450 * time.Millisecond, time.Second: 1500 * time.Millisecond, 10 * time.Second: 15 * time.Second, time.Minute: 15 * time.Second,
	} {
		c, _ := newTestCore(t, "fair", func(cfg *core.Config, _ *model.Policy) { cfg.HeartbeatInterval = interval })
		require.Equal(t, want, c.AutoWait(), interval)
	}
}

// Timed waits apply under every order that uses a locality rule, even under Hadoop's FIFO.
func TestWaitsUnderEveryOrder(t *testing.T) {
	for _, preset := range Presets() {
		if preset == "quincy" {
			continue // its flow has costs of distance instead
		}
		c, n := newTestCore(t, preset, func(_ *core.Config, p *model.Policy) {
			p.Spread = false
			p.Locality = model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}}
		})
		submit(t, c, model.JobSpec{Maps: 2, Places: on(2, n[0])})
		require.Empty(t, beat(t, c, 0, n[3]), preset)
		require.Empty(t, beat(t, c, 9*time.Second, n[3]), preset)
		require.NotEmpty(t, beat(t, c, 10*time.Second, n[3]), preset)
	}
}
