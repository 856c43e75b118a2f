// Kmeans divides points into groups around centers (Lloyd's algorithm), ten times on one cluster,
// in whose memory the points stay.
package main

import (
	"context"
	"slices"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

type point struct{ X, Y float64 }

// group is the sum of the points that are nearest to a center, and their number.
type group struct{ X, Y, N float64 }

// kmeans moves each center into the middle of the points that are nearer to it than to others.
func kmeans(ctx context.Context, cluster *actors.Cluster, points *actors.Dataset[point], centers []point, rounds int) ([]point, error) {
	for range rounds {
		now := centers // of this round: maps may look at it when the round is over
		groups, err := actors.Collect(ctx, cluster, mr.Job[point, int, group, mr.Pair[int, group]]{
			Map: func(p point, emit func(int, group)) error {
				emit(nearest(now, p), group{p.X, p.Y, 1})
				return nil
			},
			Combine: func(a, b group) group { return group{a.X + b.X, a.Y + b.Y, a.N + b.N} },
		}.On(points.Input()))
		if err != nil {
			return nil, err
		}
		centers = slices.Clone(now)
		for _, g := range groups {
			centers[g.First] = point{g.Second.X / g.Second.N, g.Second.Y / g.Second.N}
		}
	}
	return centers, nil
}

func nearest(centers []point, p point) (best int) {
	far := func(c point) float64 { return (c.X-p.X)*(c.X-p.X) + (c.Y-p.Y)*(c.Y-p.Y) }
	for i := range centers {
		if far(centers[i]) < far(centers[best]) {
			best = i
		}
	}
	return best
}
