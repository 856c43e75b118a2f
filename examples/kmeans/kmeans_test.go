package main

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

// The job returns the same centers as loops over slices that implement Lloyd's algorithm.
func TestKmeansIsLloyds(t *testing.T) {
	points, begin := clouds(3000)
	want := slices.Clone(begin)
	for range 5 {
		sums := make([]point, len(want))
		for _, p := range points {
			s := &sums[nearest(want, p)]
			s.X, s.Y, s.N = s.X+p.X, s.Y+p.Y, s.N+1
		}
		for i, s := range sums {
			want[i] = point{s.X / s.N, s.Y / s.N, 1}
		}
	}
	cluster, err := actors.Start(actors.Config{Nodes: 3, BlockSize: 500})
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Close()) }()
	kept, err := actors.Load(context.Background(), cluster, mr.Slice(points))
	require.NoError(t, err)
	got, err := kmeans(context.Background(), cluster, kept, begin, 5)
	require.NoError(t, err)
	for i := range want {
		require.InDelta(t, want[i].X, got[i].X, 1e-9)
		require.InDelta(t, want[i].Y, got[i].Y, 1e-9)
	}
	require.Equal(t, []point{{1, 1, 1}, {6, 0, 1}, {0, 6, 1}}, begin)
}
