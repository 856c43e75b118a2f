package actors

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/events.md lists exactly an attempt's phases, and the two fields that only live runs have.
func TestDocsOfLiveEvents(t *testing.T) {
	text, err := os.ReadFile("../docs/events.md")
	require.NoError(t, err)
	_, phases, found := strings.Cut(string(text), "\n### phases\n")
	require.True(t, found)
	of := reflect.TypeFor[Phases]()
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		require.Contains(t, phases, "\n| `"+name+"` |")
	}
	require.Equal(t, of.NumField(), strings.Count(phases, "\n| `"))
	require.Contains(t, string(text), "\n| `phases` |")
	require.Contains(t, string(text), "\n| `counters` |")
	require.Equal(t, 3, reflect.TypeFor[Event]().NumField(), "the schedulers' event, phases and counters")
}
