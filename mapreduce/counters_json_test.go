package mapreduce

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is written by hand is what package json makes of the list, and the engine's counters need no
// sorting.
func TestCountersAppendJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Counters
		for id := range counterCount {
			if rapid.Bool().Draw(t, "counted") {
				c.Add(id, rapid.Int64Range(-1, 1).Draw(t, "n"))
			}
		}
		engine := slices.Collect(c.All())
		with := Counters{framework: c.framework, counted: c.counted}
		with.AddNamed("~ last", "user", 1)
		sorted := slices.Collect(with.All())
		require.Equal(t, sorted[:len(sorted)-1], append([]CounterValue{}, engine...))
		live := map[string]bool{}
		for id, n := range c.framework {
			live[Counter(id).Group()] = live[Counter(id).Group()] || n != 0
		}
		var told []CounterValue
		for id, n := range c.framework {
			if group := Counter(id).Group(); c.counted[id] && live[group] {
				told = append(told, CounterValue{group, Counter(id).String(), n})
			}
		}
		require.Equal(t, told, engine)
		for range rapid.IntRange(0, 2).Draw(t, "users") {
			c.AddNamed(rapid.String().Draw(t, "group"), rapid.String().Draw(t, "name"), rapid.Int64().Draw(t, "value"))
		}
		want, err := json.Marshal(append([]CounterValue{}, slices.Collect(c.All())...))
		require.NoError(t, err)
		require.Equal(t, string(want), string(c.AppendJSON(nil)))
	})
}
