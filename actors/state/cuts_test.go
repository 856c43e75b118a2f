package state

import (
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// Cut reports whether a job's input is split as it was at the last call. A Dir keeps this for jobs
// that have not succeeded, also for later processes.
func TestStateKnowsCuts(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	state, err := Open(dir, scheduling.Parts{})
	require.NoError(t, err)
	require.True(t, state.Fresh())
	require.NoError(t, state.Begin(json.RawMessage(`"a use"`)))
	cut := []cluster.Split{{Length: 5}, {Offset: 5, Length: 5}}
	require.False(t, state.Cut("a", cut, log), "never cut before")
	require.True(t, state.Cut("a", cut, log))
	for _, other := range [][]cluster.Split{
		cut[:1],
		{{Length: 4}, {Offset: 4, Length: 6}},
		{{Length: 5}, {Offset: 5, Length: 5, Source: 1}},
		{{Length: 5}, {Offset: 5, Length: 5, Files: 2}},
	} {
		require.False(t, state.Cut("a", other, log), "%v", other)
		require.True(t, state.Cut("a", other, log), "%v", other)
		require.False(t, state.Cut("a", cut, log))
	}
	require.False(t, state.Cut("b", cut, log), "of each job for itself")
	reopen := func(known ...string) {
		t.Helper()
		require.Equal(t, known, slices.Sorted(maps.Keys(state.saved.Cuts)))
		require.NoError(t, state.Close())
		state, err = Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		require.Equal(t, known, slices.Sorted(maps.Keys(state.saved.Cuts)))
		require.False(t, state.Fresh())
		require.JSONEq(t, `"a use"`, string(state.About()))
	}
	reopen("a", "b")
	require.True(t, state.Cut("a", cut, log))
	how := Succeeded{Name: "copy", Elapsed: 3}
	state.Succeed("a", how, log)
	reopen("b")
	require.NoError(t, state.Begin(state.About())) // a snapshot
	reopen("b")
	got, yes := state.Succeeded("a")
	require.True(t, yes)
	require.Equal(t, how, got)
	_, yes = state.Succeeded("b")
	require.False(t, yes)
	require.NoError(t, state.Close())
}
