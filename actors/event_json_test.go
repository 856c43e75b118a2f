package actors

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// For random events, AppendJSON writes the same text as package json.
func TestEventAppendJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Event{Event: event.Event{Type: event.Succeeded, Node: scheduling.NodeID(rapid.IntRange(-1, 3).Draw(t, "node"))}}
		if rapid.Bool().Draw(t, "phases") {
			d := rapid.SampledFrom([]time.Duration{0, 1, time.Hour})
			e.Phases = &Phases{
				Start: d.Draw(t, "start"), Wait: d.Draw(t, "wait"), Read: d.Draw(t, "read"),
				Shuffle: d.Draw(t, "shuffle"), Work: d.Draw(t, "work"), Commit: d.Draw(t, "commit"),
			}
		}
		if rapid.Bool().Draw(t, "counters") {
			e.Counters = new(counter.Set)
			for range rapid.IntRange(0, 3).Draw(t, "n") {
				e.Counters.AddNamed(rapid.String().Draw(t, "group"), rapid.String().Draw(t, "name"), rapid.Int64().Draw(t, "value"))
			}
			e.Counters.Add(counter.MapInputRecords, 7)
		}
		want, err := json.Marshal(&e)
		require.NoError(t, err)
		require.Equal(t, string(want), string(e.AppendJSON(nil)))
	})
}
