package model

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each enumeration has a word per value for logs and files, which parses to the value.
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
		require.Equal(t, factors[i], p.Factor())
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

// In each table the words are distinct, and parsing an unknown word is an error.
func TestTablesOfWords(t *testing.T) {
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

// The text of a reason is a sentence with its counts.
func TestReasonsAsText(t *testing.T) {
	for want, r := range map[string]Reason{
		"waiting for locality":                                 {Cause: CauseWaiting},
		"waiting for locality, 2.5s so far":                    {Cause: CauseWaiting, Wait: 2500 * time.Millisecond},
		"waiting for locality, offers refused: 3":              {Cause: CauseWaiting, Count: 3},
		"limit on running jobs, 0 of 2":                        {Cause: CauseJobLimit, Of: 2},
		"queue at its maximum capacity, 4 of 5":                {Cause: CauseQueueMax, Count: 4, Of: 5},
		"waiting for its center of gravity, 1s so far, 2 of 3": {Cause: CauseGravityWait, Wait: time.Second, Count: 2, Of: 3},
		"waited for locality, 1s so far, offers refused: 1":    {Cause: CauseWaited, Wait: time.Second, Count: 1},
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
