package engine

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// eventDocs returns the tables of docs/events.md, by section. Each row has the name at its
// beginning and the names at its end.
func eventDocs(t require.TestingT) map[string]map[string][]string {
	text, err := os.ReadFile("../../../docs/events.md")
	require.NoError(t, err)
	name := regexp.MustCompile("`([a-z_-]+)`")
	sections, at := map[string]map[string][]string{}, map[string][]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			at = map[string][]string{}
			sections[title] = at
		}
		cells := strings.Split(line, "|")
		if first := name.FindStringSubmatch(cells[min(1, len(cells)-1)]); strings.HasPrefix(line, "| `") {
			at[first[1]] = []string{}
			for _, found := range name.FindAllStringSubmatch(cells[len(cells)-2], -1) {
				at[first[1]] = append(at[first[1]], found[1])
			}
		}
	}
	return sections
}

// jsonNames returns the names in JSON of a struct's fields, sorted.
func jsonNames(of any) (names []string) {
	for f := range reflect.TypeOf(of).Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// docs/events.md names every kind of event and every field, and no others.
func TestEventDocs(t *testing.T) {
	docs := eventDocs(t)
	var names []string
	for e := event.Joined; e <= event.Victim; e++ {
		names = append(names, e.String())
	}
	require.ElementsMatch(t, names, slices.Collect(maps.Keys(docs["Kinds"])))
	live := []string{"counters", "phases"} // fields that package actors sets and tests
	require.ElementsMatch(t, append(jsonNames(event.Event{}), live...), slices.Collect(maps.Keys(docs["Fields"])))
	for section, of := range map[string]any{
		"reason": model.Reason{}, "placed": event.Placed{}, "candidates": event.Candidate{}, "places": event.InputPlaces{}, "virtual": event.Projected{}, "began": event.Header{},
	} {
		require.Equal(t, jsonNames(of), slices.Sorted(maps.Keys(docs[section])), section)
	}
	used := map[string]bool{"at": true, "type": true, "node": true, "node_name": true}
	for kind, fields := range docs["Kinds"] {
		for _, f := range fields {
			require.Contains(t, docs["Fields"], f, kind)
			used[f] = true
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(docs["Fields"])), slices.Collect(maps.Keys(used)), "a field of no kind")
}

// Every event of a random run has only the fields that docs/events.md lists for its kind.
func TestEventsHaveTheFieldsOfTheDocs(t *testing.T) {
	docs := eventDocs(t)["Kinds"]
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		p := policyOf(t, rapid.SampledFrom(Presets()).Draw(t, "preset"), nil)
		p.Pools = model.Allocations{Pools: []model.PoolConfig{{Name: "a", Min: [2]int{2, 1}, MinTimeout: 1}}, FairTimeout: 1}
		p.Preemption = model.PreemptionPolicy{Mode: model.PreemptionMode(rapid.IntRange(0, 2).Draw(t, "preempt")), Interval: 1}
		p.Queues = []model.QueueConfig{{Name: "a", Max: 60, InitJobs: 1}, {Name: "b", UserLimit: 50}, {Name: "default", InitJobs: 1}}
		w := newWorld(t, p)
		w.hears = func(e event.Event) {
			text, err := json.Marshal(e)
			require.NoError(t, err)
			var got map[string]any
			require.NoError(t, json.Unmarshal(text, &got))
			for _, always := range []string{"at", "type", "node", "node_name"} {
				delete(got, always)
			}
			for name := range got {
				require.Contains(t, docs[e.Type.String()], name, e.Type)
			}
			seen[e.Type.String()] = true
		}
		for range 20 {
			w.step(4, 1)
			require.NoError(t, w.c.Update(w.c.Now))
		}
	})
	for _, kind := range []string{"launched", "succeeded", "submitted", "skipped", "shares"} {
		require.True(t, seen[kind], kind)
	}
}
