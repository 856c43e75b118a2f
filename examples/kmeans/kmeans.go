// Kmeans divides points into groups around centers (Lloyd's algorithm), ten times on one cluster.
package main

import (
	"context"
	"iter"
	"slices"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

type point struct{ X, Y float64 }

type sum struct {
	point
	N int64
}

// kmeans moves each center into the middle of the points that are nearer to it than to others.
func kmeans(ctx context.Context, cluster *actors.Cluster, points mr.Input[point], centers []point, rounds int) ([]point, error) {
	for range rounds {
		job := mr.Job[point, int, sum, mr.Pair[int, point]]{
			Map: func(p point, emit func(int, sum)) error {
				emit(nearest(centers, p), sum{p, 1})
				return nil
			},
			Combine: func(a, b sum) sum { return sum{point{a.X + b.X, a.Y + b.Y}, a.N + b.N} },
			Reduce: func(center int, sums iter.Seq[sum], emit func(mr.Pair[int, point])) error {
				for s := range sums { // one, by Combine
					emit(mr.MakePair(center, point{s.X / float64(s.N), s.Y / float64(s.N)}))
				}
				return nil
			},
		}
		moved, err := actors.Collect(ctx, cluster, func(out mr.Output[mr.Pair[int, point]]) (*mr.Plan, error) {
			return job.Bind(points, out)
		})
		if err != nil {
			return nil, err
		}
		next := slices.Clone(centers) // maps may still look at the old ones
		for _, m := range moved {
			next[m.First] = m.Second
		}
		centers = next
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
