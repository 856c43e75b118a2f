package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// The words of logs and files, and back again.
func TestWords(t *testing.T) {
	require.Equal(t, []string{"map", "reduce"}, []string{core.Map.String(), core.Reduce.String()})
	for l, want := range map[core.Locality]string{
		core.AnyPlace: "any-place", core.NodeLocal: "node-local", core.RackLocal: "rack-local", core.OffRack: "off-rack", 3: "level-3", 8: "level-8",
	} {
		require.Equal(t, want, l.String())
	}
	names := []string{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"}
	factors := []float64{4, 2, 1, 0.5, 0.25}
	for i, name := range names {
		p := core.Priority(i - 2)
		require.Equal(t, name, p.String())
		require.Equal(t, factors[i], p.Factor())
		for _, text := range []string{name, strings.ToLower(name)} {
			got, err := core.ParsePriority(text)
			require.NoError(t, err)
			require.Equal(t, p, got)
		}
	}
	require.Equal(t, []string{"priority(-3)", "priority(3)"}, []string{(core.VeryHigh - 1).String(), (core.VeryLow + 1).String()})
	_, err := core.ParsePriority("URGENT")
	require.EqualError(t, err, `scheduling: unknown priority "URGENT" (want VERY_HIGH, HIGH, NORMAL, LOW, VERY_LOW)`)
	for v, name := range []string{"launch", "kill", "suspend", "resume"} {
		require.Equal(t, name, core.Verb(v).String())
		var got core.Verb
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, core.Verb(v), got)
	}
	require.EqualError(t, new(core.Verb).UnmarshalText([]byte("sing")), `scheduling: unknown verb "sing"`)
	for s, name := range []string{"waiting", "running", "succeeded", "failed", "killed"} {
		require.Equal(t, name, core.JobState(s).String())
		require.Equal(t, s >= 2, core.JobState(s).Ended())
	}
}

// Tables of words and back: each has its own, and what is none is refused.
func TestTablesOfWords(t *testing.T) {
	for i, name := range core.OpNames[1:] {
		var got core.Op
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, core.Op(i+1), got)
		require.Equal(t, name, got.String())
	}
	require.Equal(t, "op 17", core.Op(len(core.OpNames)).String())
	require.EqualError(t, new(core.Op).UnmarshalText(nil), `scheduling: unknown call ""`)
	for i, name := range core.EventNames[1:] {
		var got core.EventType
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, core.EventType(i+1), got)
		require.Equal(t, name, got.String())
	}
	require.EqualError(t, new(core.EventType).UnmarshalText(nil), `scheduling: unknown event ""`)
	for i, name := range core.CauseText {
		got := core.CauseCordoned
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, core.Cause(i), got)
		require.Equal(t, name, got.String())
	}
	require.Equal(t, "cause?", core.Cause(len(core.CauseText)).String())
	require.EqualError(t, new(core.Cause).UnmarshalText([]byte("luck")), `scheduling: unknown cause "luck"`)
	for i, name := range core.SpeculationNames {
		got := core.LATE
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, core.SpeculationRule(i), got)
	}
	require.ErrorContains(t, new(core.SpeculationRule).UnmarshalText([]byte("early")), `unknown rule of speculation "early"`)
}

// A reason is a sentence with what it counts.
func TestReasonsAsText(t *testing.T) {
	for want, r := range map[string]core.Reason{
		"waiting for locality":                                 {Cause: core.CauseWaiting},
		"waiting for locality, 2.5s so far":                    {Cause: core.CauseWaiting, Wait: 2500 * time.Millisecond},
		"waiting for locality, 3 offers refused":               {Cause: core.CauseWaiting, Count: 3},
		"limit on running jobs, 0 of 2":                        {Cause: core.CauseJobLimit, Of: 2},
		"queue at its maximum capacity, 4 of 5":                {Cause: core.CauseQueueMax, Count: 4, Of: 5},
		"waiting for its center of gravity, 1s so far, 2 of 3": {Cause: core.CauseGravityWait, Wait: time.Second, Count: 2, Of: 3},
		"waited for locality, 1s so far, 1 offers refused":     {Cause: core.CauseWaited, Wait: time.Second, Count: 1},
		"too many attempts have failed on the node, 4 of 4":    {Cause: core.CauseAvoided, Count: 4, Of: 4},
		"needs more slots than free here, 1 of 2":              {Cause: core.CauseSlots, Count: 1, Of: 2},
		"load cap of the node, 1 of 1":                         {Cause: core.CauseLoadCap, Count: 1, Of: 1},
		"user limit, 1 of 1":                                   {Cause: core.CauseUserLimit, Count: 1, Of: 1},
		"node has its part of the job's reduces":               {Cause: core.CausePlacementCap},
		"slow start: too few maps done, 0 of 1":                {Cause: core.CauseSlowStart, Of: 1},
		"a smaller job needs the slot":                         {Cause: core.CauseSmallerJob},
		"preempted for a pool below its share":                 {Cause: core.CausePreempted},
		"enough jobs of the queue wait initialized":            {Cause: core.CauseNotInitialized},
		"": {},
	} {
		require.Equal(t, want, r.String())
	}
}

// The presets are the papers' schedulers, with the waits and limits of Hadoop.
func TestPresetsAreThePapers(t *testing.T) {
	wait := core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second, 10 * time.Second}}
	for name, want := range map[string]core.Policy{
		"fifo":     {Order: "fifo", Spread: true},
		"fair":     {Order: "fair"},
		"delay":    {Order: "fair", Locality: core.LocalityPolicy{Rule: core.SkipCount, Auto: true}},
		"hfs":      {Order: "pools", Spread: true, Locality: wait, Pools: core.Allocations{PoolPerUser: true}},
		"capacity": {Order: "capacity"},
		"hfsp":     {Order: "hfsp", Locality: wait},
		"srpt":     {Order: "srpt"},
		"quincy":   {Order: "quincy"},
	} {
		got, err := Preset(name)
		require.NoError(t, err)
		want.Name, want.SlowStart = name, -1
		require.Equal(t, want, got)
		require.Equal(t, map[bool]core.ReduceRule{true: core.CoGRS, false: core.AnyNode}[name == "hfs"], DefaultReduceRule(name))
		require.False(t, got.NeedsProgress(core.Map), name)
		require.Equal(t, name == "hfsp", got.NeedsProgress(core.Reduce), name)
	}
	require.Len(t, Presets(), 8)
	_, err := Preset("lottery")
	require.ErrorIs(t, err, core.ErrUnknownPolicy)
	require.EqualError(t, err, `scheduling: unknown policy "lottery" (have fifo, fair, delay, hfs, capacity, hfsp, srpt, quincy)`)
	require.False(t, core.Policy{Order: "lottery"}.NeedsProgress(core.Map))
	_, err = NewCore(core.Config{}, core.Policy{Order: "lottery"})
	require.ErrorIs(t, err, core.ErrUnknownPolicy)
}

// The interval between heartbeats grows by a second with each 100 nodes, from 300 ms; the automatic
// wait is one and a half, at most 15 s [Hadoop].
func TestIntervals(t *testing.T) {
	for nodes, want := range map[int]time.Duration{0: 300, 1: 300, 30: 300, 31: 310, 100: 1000, 250: 2500} {
		require.Equal(t, want*time.Millisecond, core.HeartbeatInterval(nodes))
	}
	for interval, want := range map[time.Duration]time.Duration{
		0: 450 * time.Millisecond, time.Second: 1500 * time.Millisecond, 10 * time.Second: 15 * time.Second, time.Minute: 15 * time.Second,
	} {
		c, _ := newTestCore(t, "fair", func(cfg *core.Config, _ *core.Policy) { cfg.HeartbeatInterval = interval })
		require.Equal(t, want, c.AutoWait(), interval)
	}
}
