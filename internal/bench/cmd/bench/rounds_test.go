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
	var names []string
	for _, list := range [][]bench.Figure{ranks, means, tiny} {
		for _, f := range list {
			require.Positive(t, f.Value, f.Name)
			names = append(names, f.Name)
		}
	}
	require.Subset(t, names, []string{bench.RankRound, bench.RankTimes, bench.MeansRound, bench.MeansTimes, bench.TinyRound})
}
