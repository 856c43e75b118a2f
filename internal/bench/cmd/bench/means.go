package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/bench"
	"github.com/tarry-mr/tarry/internal/bench/limit"
	"github.com/tarry-mr/tarry/mapreduce"
)

// The number of centers, around which points are drawn, and the number of rounds of k-means.
const (
	meansCenters = 10
	meansTurns   = 10
)

func clouds(n int) (points, centers []limit.Point) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range meansCenters {
		centers = append(centers, limit.Point{X: rng.Float64() * 100, Y: rng.Float64() * 100, N: 1})
	}
	for i := range n {
		c := centers[i%meansCenters]
		points = append(points, limit.Point{X: c.X + 8*rng.NormFloat64(), Y: c.Y + 8*rng.NormFloat64(), N: 1})
	}
	for i := range centers {
		centers[i].X += 10 * rng.NormFloat64()
	}
	return points, centers
}

// meansRounds measures k-means as in examples/kmeans.
func meansRounds(ctx context.Context, cluster *actors.Cluster, n int) (bench.Outcome, error) {
	points, centers := clouds(n)
	kept, err := actors.Load(ctx, cluster, mapreduce.Slice(points))
	if err != nil {
		return bench.Outcome{}, err
	}
	defer kept.Release()
	var want []limit.Point
	return against(bench.MeansRounds, func() error {
		want = limit.KMeans(points, centers, meansTurns, runtime.GOMAXPROCS(0))
		return nil
	}, func() error {
		got, err := kmeans(ctx, cluster, kept, centers, meansTurns)
		if err != nil {
			return err
		}
		for i, c := range got {
			if math.Abs(c.X-want[i].X)+math.Abs(c.Y-want[i].Y) > 1e-6 {
				return fmt.Errorf("center %d is %v, by the loop %v", i, c, want[i])
			}
		}
		return nil
	})
}

// kmeans moves each center to the mean of the points that are nearer to it than to other centers.
func kmeans(
	ctx context.Context, cluster *actors.Cluster, points *actors.Dataset[limit.Point], centers []limit.Point, rounds int,
) ([]limit.Point, error) {
	for range rounds {
		now := centers // not changed below: a speculative map may read it after the round
		groups, err := actors.Collect(ctx, cluster, mapreduce.Job[limit.Point, int, limit.Point, mapreduce.Pair[int, limit.Point]]{
			Map: func(p limit.Point, emit func(int, limit.Point)) error {
				emit(limit.Nearest(now, p), p)
				return nil
			},
			Combine: func(a, b limit.Point) limit.Point { return limit.Point{X: a.X + b.X, Y: a.Y + b.Y, N: a.N + b.N} },
		}.Over(points.Input()))
		if err != nil {
			return nil, err
		}
		centers = slices.Clone(now)
		for _, g := range groups {
			centers[g.First] = limit.Point{X: g.Second.X / g.Second.N, Y: g.Second.Y / g.Second.N, N: 1}
		}
	}
	return centers, nil
}

// tinyRounds measures the cost of rounds with almost no work: each computes a dataset of three
// records from the previous one, which is then released.
func tinyRounds(ctx context.Context, cluster *actors.Cluster, rounds int) (bench.Outcome, error) {
	start, err := actors.Load(ctx, cluster, mapreduce.Slice([]int{1, 2, 3}))
	if err != nil {
		return bench.Outcome{}, err
	}
	defer start.Release()
	type now = *actors.Dataset[int]
	step := func(ctx context.Context, _ int, now now) (now, error) {
		return actors.Keep(ctx, cluster, mapreduce.Job[int, int, int, int]{
			Map: func(n int, emit func(int, int)) error {
				emit(n, n)
				return nil
			},
			Reduce: func(n int, _ iter.Seq[int], emit func(int)) error {
				emit(n + 1)
				return nil
			},
			Reducers: 1,
		}.Over(now.Input()))
	}
	return against(bench.TinyRounds, nil, func() error {
		last, err := actors.Iterate(ctx, start, rounds, step, nil)
		if err != nil {
			return err
		}
		list, err := last.Collect(ctx)
		last.Release()
		if err == nil && !slices.Equal(list, []int{1 + rounds, 2 + rounds, 3 + rounds}) {
			err = fmt.Errorf("%d rounds of adding 1 to 1, 2, 3 make %v", rounds, list)
		}
		return err
	})
}
