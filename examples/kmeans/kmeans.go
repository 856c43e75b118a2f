// Kmeans divides points into groups around centers by ten rounds of Lloyd's algorithm. All rounds
// run on one cluster, which keeps the points in memory.
package main

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

// point is a point, with N = 1, or the sum of N points.
type point struct{ X, Y, N float64 }

// kmeans moves each center to the mean of the points that are nearer to it than to other centers,
// and repeats this for the given number of rounds.
func kmeans(ctx context.Context, cluster *actors.Cluster, points *actors.Dataset[point], centers []point, rounds int) ([]point, error) {
	for range rounds {
		now := centers // not changed below: a speculative map may read it after the round
		groups, err := actors.Collect(ctx, cluster, mr.Job[point, int, point, mr.Pair[int, point]]{
			Map: func(p point, emit func(int, point)) error {
				emit(nearest(now, p), p)
				return nil
			},
			Combine: func(a, b point) point { return point{a.X + b.X, a.Y + b.Y, a.N + b.N} },
		}.Over(points.Input()))
		if err != nil {
			return nil, err
		}
		centers = slices.Clone(now)
		for _, g := range groups {
			centers[g.First] = point{g.Second.X / g.Second.N, g.Second.Y / g.Second.N, 1}
		}
	}
	return centers, nil
}

func nearest(centers []point, p point) int {
	far := func(c point) float64 { return math.Hypot(c.X-p.X, c.Y-p.Y) }
	return slices.Index(centers, slices.MinFunc(centers, func(a, b point) int { return cmp.Compare(far(a), far(b)) }))
}
