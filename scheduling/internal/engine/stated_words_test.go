package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The words of logs and files, and back again.
func TestWords(t *testing.T) {
	require.Equal(t, []string{"map", "reduce"}, []string{Map.String(), Reduce.String()})
	for l, want := range map[Locality]string{
		AnyPlace: "any-place", NodeLocal: "node-local", RackLocal: "rack-local", OffRack: "off-rack", 3: "level-3", 8: "level-8",
	} {
		require.Equal(t, want, l.String())
	}
	names := []string{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"}
	factors := []float64{4, 2, 1, 0.5, 0.25}
	for i, name := range names {
		p := Priority(i - 2)
		require.Equal(t, name, p.String())
		require.Equal(t, factors[i], p.factor())
		for _, text := range []string{name, strings.ToLower(name)} {
			got, err := ParsePriority(text)
			require.NoError(t, err)
			require.Equal(t, p, got)
		}
	}
	require.Equal(t, []string{"priority(-3)", "priority(3)"}, []string{(VeryHigh - 1).String(), (VeryLow + 1).String()})
	_, err := ParsePriority("URGENT")
	require.EqualError(t, err, `scheduling: unknown priority "URGENT" (want VERY_HIGH, HIGH, NORMAL, LOW, VERY_LOW)`)
	for v, name := range []string{"launch", "kill", "suspend", "resume"} {
		require.Equal(t, name, Verb(v).String())
		var got Verb
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, Verb(v), got)
	}
	require.EqualError(t, new(Verb).UnmarshalText([]byte("sing")), `scheduling: unknown verb "sing"`)
	for s, name := range []string{"waiting", "running", "succeeded", "failed", "killed"} {
		require.Equal(t, name, JobState(s).String())
		require.Equal(t, s >= 2, JobState(s).Ended())
	}
}

// Tables of words and back: each has its own, and what is none is refused.
func TestTablesOfWords(t *testing.T) {
	for i, name := range opNames[1:] {
		var got Op
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, Op(i+1), got)
		require.Equal(t, name, got.String())
	}
	require.Equal(t, "op 17", Op(len(opNames)).String())
	require.EqualError(t, new(Op).UnmarshalText(nil), `scheduling: unknown call ""`)
	for i, name := range eventNames[1:] {
		var got EventType
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, EventType(i+1), got)
		require.Equal(t, name, got.String())
	}
	require.EqualError(t, new(EventType).UnmarshalText(nil), `scheduling: unknown event ""`)
	for i, name := range causeText {
		got := CauseCordoned
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, Cause(i), got)
		require.Equal(t, name, got.String())
	}
	require.Equal(t, "cause?", Cause(len(causeText)).String())
	require.EqualError(t, new(Cause).UnmarshalText([]byte("luck")), `scheduling: unknown cause "luck"`)
	for i, name := range speculationNames {
		got := LATE
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, SpeculationRule(i), got)
	}
	require.ErrorContains(t, new(SpeculationRule).UnmarshalText([]byte("early")), `unknown rule of speculation "early"`)
}

// A reason is a sentence with what it counts.
func TestReasonsAsText(t *testing.T) {
	for want, r := range map[string]Reason{
		"waiting for locality":                                 {Cause: CauseWaiting},
		"waiting for locality, 2.5s so far":                    {Cause: CauseWaiting, Wait: 2500 * time.Millisecond},
		"waiting for locality, 3 offers refused":               {Cause: CauseWaiting, Count: 3},
		"limit on running jobs, 0 of 2":                        {Cause: CauseJobLimit, Of: 2},
		"queue at its maximum capacity, 4 of 5":                {Cause: CauseQueueMax, Count: 4, Of: 5},
		"waiting for its center of gravity, 1s so far, 2 of 3": {Cause: CauseGravityWait, Wait: time.Second, Count: 2, Of: 3},
		"waited for locality, 1s so far, 1 offers refused":     {Cause: CauseWaited, Wait: time.Second, Count: 1},
		"too many attempts have failed on the node, 4 of 4":    {Cause: CauseAvoided, Count: 4, Of: 4},
		"needs more slots than free here, 1 of 2":              {Cause: CauseSlots, Count: 1, Of: 2},
		"load cap of the node, 1 of 1":                         {Cause: CauseLoadCap, Count: 1, Of: 1},
		"user limit, 1 of 1":                                   {Cause: CauseUserLimit, Count: 1, Of: 1},
		"node has its part of the job's reduces":               {Cause: CausePlacementCap},
		"slow start: too few maps done, 0 of 1":                {Cause: CauseSlowStart, Of: 1},
		"a smaller job needs the slot":                         {Cause: CauseSmallerJob},
		"preempted for a pool below its share":                 {Cause: CausePreempted},
		"enough jobs of the queue wait initialized":            {Cause: CauseNotInitialized},
		"": {},
	} {
		require.Equal(t, want, r.String())
	}
}

// The presets are the papers' schedulers, with the waits and limits of Hadoop.
func TestPresetsAreThePapers(t *testing.T) {
	wait := LocalityPolicy{Rule: TimedWait, Waits: []time.Duration{5 * time.Second, 10 * time.Second}}
	for name, want := range map[string]Policy{
		"fifo":     {Order: "fifo", Spread: true},
		"fair":     {Order: "fair"},
		"delay":    {Order: "fair", Locality: LocalityPolicy{Rule: SkipCount, Auto: true}},
		"hfs":      {Order: "pools", Spread: true, Locality: wait, Pools: Allocations{PoolPerUser: true}},
		"capacity": {Order: "capacity"},
		"hfsp":     {Order: "hfsp", Locality: wait},
		"srpt":     {Order: "srpt"},
		"quincy":   {Order: "quincy"},
	} {
		got, err := Preset(name)
		require.NoError(t, err)
		want.Name, want.SlowStart = name, -1
		require.Equal(t, want, got)
		require.Equal(t, map[bool]ReduceRule{true: CoGRS, false: AnyNode}[name == "hfs"], DefaultReduceRule(name))
		require.False(t, got.NeedsProgress(Map), name)
		require.Equal(t, name == "hfsp", got.NeedsProgress(Reduce), name)
	}
	require.Len(t, Presets(), 8)
	_, err := Preset("lottery")
	require.ErrorIs(t, err, ErrUnknownPolicy)
	require.EqualError(t, err, `scheduling: unknown policy "lottery" (have fifo, fair, delay, hfs, capacity, hfsp, srpt, quincy)`)
	require.False(t, Policy{Order: "lottery"}.NeedsProgress(Map))
	_, err = NewCore(Config{}, Policy{Order: "lottery"})
	require.ErrorIs(t, err, ErrUnknownPolicy)
}

// The interval between heartbeats grows by a second with each 100 nodes, from 300 ms; the automatic
// wait is one and a half, at most 15 s [Hadoop].
func TestIntervals(t *testing.T) {
	for nodes, want := range map[int]time.Duration{0: 300, 1: 300, 30: 300, 31: 310, 100: 1000, 250: 2500} {
		require.Equal(t, want*time.Millisecond, HeartbeatInterval(nodes))
	}
	for interval, want := range map[time.Duration]time.Duration{
		0: 450 * time.Millisecond, time.Second: 1500 * time.Millisecond, 10 * time.Second: 15 * time.Second, time.Minute: 15 * time.Second,
	} {
		c, _ := newTestCore(t, "fair", func(cfg *Config, _ *Policy) { cfg.HeartbeatInterval = interval })
		require.Equal(t, want, c.autoWait(), interval)
	}
}
