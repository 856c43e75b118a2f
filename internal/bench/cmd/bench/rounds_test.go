package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/bench"
)

// The jobs compute what the loops compute: otherwise the functions return an error.
func TestRoundsOnData(t *testing.T) {
	cluster, err := actors.Start(actors.Config{})
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Close()) }()
	ranks, err := rankRounds(t.Context(), cluster, 300)
	require.NoError(t, err)
	means, err := meansRounds(t.Context(), cluster, 3000)
	require.NoError(t, err)
	tiny, err := tinyRounds(t.Context(), cluster, 3)
	require.NoError(t, err)
	for i, o := range []bench.Outcome{ranks, means, tiny} {
		require.Equal(t, []string{bench.RankRounds, bench.MeansRounds, bench.TinyRounds}[i], o.Contest.Name)
		require.Len(t, o.Results, []int{2, 2, 1}[i])
		for _, r := range o.Results {
			require.Len(t, r.Samples, inTurns)
			require.Positive(t, r.Samples[0].Wall)
		}
	}
}
