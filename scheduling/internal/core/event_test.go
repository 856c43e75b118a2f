package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The places of a job's inputs are reported with one count if all maps have equally many, otherwise
// with a count per map. A huge job reports only their number.
func TestPlacesAreReportedCompactly(t *testing.T) {
	c := &Core{Config: Config{Explain: true, Events: func(Event) {}}}
	require.Nil(t, c.inputPlaces(Places{}))
	require.Equal(t, &InputPlaces{Each: 2, Nodes: []NodeID{1, 2, 3, 4}}, c.inputPlaces(Places{Offsets: []int32{0, 2, 4}, Nodes: []NodeID{1, 2, 3, 4}}))
	require.Equal(t, &InputPlaces{Counts: []int32{0, 2}, Nodes: []NodeID{1, 2}}, c.inputPlaces(Places{Offsets: []int32{0, 0, 2}, Nodes: []NodeID{1, 2}}))
	require.Equal(t, &InputPlaces{Omitted: maxPlaces + 1}, c.inputPlaces(Places{Offsets: []int32{0, maxPlaces + 1}, Nodes: make([]NodeID, maxPlaces+1)}))
	huge := &Job{Spec: JobSpec{Maps: maxOutputs, Reduces: 2}}
	sum, parts := c.outputTold(huge, []int64{1, 2})
	require.Equal(t, []any{int64(3), []int64(nil)}, []any{sum, parts})
}

// For a reduce, the reason also compares the node with the center of gravity of its input.
func TestWhyOfReduces(t *testing.T) {
	for want, e := range map[string]Event{
		"center of gravity":                     {Reason: Reason{Cause: CauseGravity}, Placed: &Placed{Center: "a", AtCenter: 10, Here: 10}},
		"near enough: +2.0 % over node-15":      {Reason: Reason{Cause: CauseGravity}, Placed: &Placed{Center: "node-15", AtCenter: 100, Here: 102}},
		"near enough: +5.0 % over b":            {Reason: Reason{Cause: CauseMost}, Placed: &Placed{Center: "b", AtCenter: 100, Here: 105}},
		"near enough: all of its input is on a": {Reason: Reason{Cause: CauseGravity}, Placed: &Placed{Center: "a", Here: 1}},
		"waited for locality, 1s so far: +50.0 % over b": {
			Reason: Reason{Cause: CauseWaited, Wait: time.Second}, Placed: &Placed{Center: "b", AtCenter: 100, Here: 150},
		},
		"at its preferred node: waited for locality, 1s so far": {
			Reason: Reason{Cause: CauseWaited, Wait: time.Second}, Placed: &Placed{Center: "b", AtCenter: 100, Here: 100},
		},
		"no node nearer to its center has a slot: +50.0 % over b": {
			Reason: Reason{Cause: CauseNoNearerSlot}, Placed: &Placed{Center: "b", AtCenter: 100, Here: 150},
		},
		"no gain in waiting": {Reason: Reason{Cause: CauseNoGain}, Placed: &Placed{Here: 5}},
		"any node":           {Reason: Reason{Cause: CauseAnyReduce}},
	} {
		require.Equal(t, want, e.Why())
	}
}

// The text of an event has what the event contains and nothing else.
func TestEventsAsText(t *testing.T) {
	attempt := AttemptID{Task: TaskID{Job: 3, Kind: Reduce, Index: 1}, Try: 2}
	for want, e := range map[string]Event{
		"1s joined on n1":                                 {Type: EventJoined, NodeName: "n1"},
		"1s submitted job_0003":                           {Type: EventSubmitted, JobID: 3},
		"1s failed job_0003_r_000001_2 on n1: boom":       {Type: EventFailed, JobID: 3, Attempt: attempt, NodeName: "n1", Err: "boom"},
		"1s launched job_0003_r_000001_2 on n1 any-place": {Type: EventLaunched, JobID: 3, Attempt: attempt, NodeName: "n1", Near: "any-place"},
		"1s killed job_0003_r_000001_2 on n1: node lost":  {Type: EventKilled, Attempt: attempt, NodeName: "n1", Near: "any-place", Reason: Reason{Cause: CauseNodeLost}},
		"1s reconfigured: policy fair":                    {Type: EventReconfigured, Name: "fair"},
		"1s finished job_0003":                            {Type: EventFinished, JobID: 3, Name: "wordcount"},
	} {
		e.At = time.Second
		require.Equal(t, want, e.String())
	}
}
