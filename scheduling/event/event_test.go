package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// The words are distinct, and parsing an unknown word is an error.
func TestWords(t *testing.T) {
	for i, name := range eventNames[1:] {
		var got Type
		require.NoError(t, got.UnmarshalText([]byte(name)))
		require.Equal(t, Type(i+1), got)
		require.Equal(t, name, got.String())
	}
	require.EqualError(t, new(Type).UnmarshalText(nil), `scheduling: unknown event ""`)
}

// For a reduce, the reason also compares the node with the center of gravity of its input.
func TestWhyOfReduces(t *testing.T) {
	for want, e := range map[string]Event{
		"center of gravity":                     {Reason: model.Reason{Cause: model.CauseGravity}, Placed: &Placed{Center: "a", AtCenter: 10, Here: 10}},
		"near enough: +2.0 % over node-15":      {Reason: model.Reason{Cause: model.CauseGravity}, Placed: &Placed{Center: "node-15", AtCenter: 100, Here: 102}},
		"near enough: +5.0 % over b":            {Reason: model.Reason{Cause: model.CauseMost}, Placed: &Placed{Center: "b", AtCenter: 100, Here: 105}},
		"near enough: all of its input is on a": {Reason: model.Reason{Cause: model.CauseGravity}, Placed: &Placed{Center: "a", Here: 1}},
		"waited for locality, 1s so far: +50.0 % over b": {
			Reason: model.Reason{Cause: model.CauseWaited, Wait: time.Second}, Placed: &Placed{Center: "b", AtCenter: 100, Here: 150},
		},
		"at its preferred node: waited for locality, 1s so far": {
			Reason: model.Reason{Cause: model.CauseWaited, Wait: time.Second}, Placed: &Placed{Center: "b", AtCenter: 100, Here: 100},
		},
		"no node nearer to its center has a slot: +50.0 % over b": {
			Reason: model.Reason{Cause: model.CauseNoNearerSlot}, Placed: &Placed{Center: "b", AtCenter: 100, Here: 150},
		},
		"no gain in waiting": {Reason: model.Reason{Cause: model.CauseNoGain}, Placed: &Placed{Here: 5}},
		"any node":           {Reason: model.Reason{Cause: model.CauseAnyReduce}},
	} {
		require.Equal(t, want, e.Why())
	}
}

// The text of an event has what the event contains and nothing else.
func TestEventsAsText(t *testing.T) {
	attempt := model.AttemptID{Task: model.TaskID{Job: 3, Kind: model.Reduce, Index: 1}, Try: 2}
	for want, e := range map[string]Event{
		"1s joined on n1":                                 {Type: Joined, NodeName: "n1"},
		"1s submitted job_0003":                           {Type: Submitted, JobID: 3},
		"1s failed job_0003_r_000001_2 on n1: boom":       {Type: Failed, JobID: 3, Attempt: attempt, NodeName: "n1", Err: "boom"},
		"1s launched job_0003_r_000001_2 on n1 any-place": {Type: Launched, JobID: 3, Attempt: attempt, NodeName: "n1", Near: "any-place"},
		"1s killed job_0003_r_000001_2 on n1: node lost":  {Type: Killed, Attempt: attempt, NodeName: "n1", Near: "any-place", Reason: model.Reason{Cause: model.CauseNodeLost}},
		"1s reconfigured: policy fair":                    {Type: Reconfigured, Name: "fair"},
		"1s finished job_0003":                            {Type: Finished, JobID: 3, Name: "wordcount"},
	} {
		e.At = time.Second
		require.Equal(t, want, e.String())
	}
}
