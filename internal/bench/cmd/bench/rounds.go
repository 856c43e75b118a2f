package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/bench"
	"github.com/tarry-mr/tarry/internal/bench/limit"
	"github.com/tarry-mr/tarry/internal/cputime"
	"github.com/tarry-mr/tarry/mapreduce"
)

// inTurns is how often each job, and the loop that it is compared with, is timed.
const inTurns = 7

// roundsOnData compares jobs of several rounds, whose data stays in the memory of a cluster, with
// loops over slices on as many cores. Their results must agree.
func roundsOnData(ctx context.Context) (figures []bench.Figure, err error) {
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	for _, measure := range []func() ([]bench.Figure, error){
		func() ([]bench.Figure, error) { return rankRounds(ctx, cluster, 100_000) },
		func() ([]bench.Figure, error) { return meansRounds(ctx, cluster, 1_000_000) },
		func() ([]bench.Figure, error) { return tinyRounds(ctx, cluster, 1000) },
	} {
		f, err := measure()
		if err != nil {
			return nil, err
		}
		figures = append(figures, f...)
	}
	return figures, nil
}

// against times a job of several rounds and the loop that computes the same, in turns. It returns
// the time of a round of the job in ms, and its ratios to the loop: of time and of CPU time.
func against(name, ratio string, rounds int, job, loop func() error) ([]bench.Figure, error) {
	var each, ratios, cpu []float64
	for turn := range inTurns + 1 {
		var took, used [2]float64
		for i, run := range []func() error{loop, job} {
			runtime.GC()
			start, before := time.Now(), cputime.Used()
			if err := run(); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			took[i] = time.Since(start).Seconds() * 1000 / float64(rounds)
			used[i] = (cputime.Used() - before).Seconds()
		}
		if turn > 0 { // the first turn warms up memory and does not count
			each, ratios = append(each, took[1]), append(ratios, took[1]/took[0])
			cpu = append(cpu, used[1]/used[0])
		}
	}
	return []bench.Figure{
		{Name: name, Value: bench.Summarize(each).Median, Unit: "ms"},
		{Name: ratio, Value: bench.Summarize(ratios).Median, Unit: "times"},
		{Name: ratio + ", CPU time", Value: bench.Summarize(cpu).Median, Unit: "times"},
	}, nil
}

// rankTurns is the number of rounds of a PageRank.
const rankTurns = 10

type page struct {
	Number int32
	Links  []int32
}

type rank = mapreduce.Pair[int32, float64]

// web returns a graph, as pages and as rows, with ten links from each page on average. Popular
// pages have many incoming links.
func web(nodes int) (pages []page, g limit.Graph) {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 100, uint64(nodes-1))
	name := rng.Perm(nodes)
	for i := range nodes {
		p := page{Number: int32(i)}
		g.First = append(g.First, int32(len(g.To)))
		for range rng.IntN(21) {
			p.Links = append(p.Links, int32(name[zipf.Uint64()]))
		}
		g.To = append(g.To, p.Links...)
		pages = append(pages, p)
	}
	g.First = append(g.First, int32(len(g.To)))
	return pages, g
}

// rankRounds measures PageRank as in examples/pagerank, but with numbers in place of names.
func rankRounds(ctx context.Context, cluster *actors.Cluster, nodes int) ([]bench.Figure, error) {
	const damping = 0.85
	pages, g := web(nodes)
	kept, err := actors.LoadBy(ctx, cluster, func(p page) int32 { return p.Number }, runtime.GOMAXPROCS(0), mapreduce.Slice(pages))
	if err != nil {
		return nil, err
	}
	defer kept.Release()
	var want []float64
	return against(bench.RankRound, bench.RankTimes, rankTurns, func() error {
		return cluster.Pipeline(ctx, func(ctx context.Context, p *actors.Pipeline) error {
			got, err := pagerank(ctx, p, kept, damping, rankTurns)
			if err != nil {
				return err
			}
			list, err := got.Collect(ctx)
			if err != nil {
				return err
			}
			besides := 1.
			for _, r := range list {
				besides -= r.Second
			}
			for _, r := range list {
				if x := r.Second + besides/float64(len(list)); math.Abs(x-want[r.First]) > 1e-9*want[r.First] {
					return fmt.Errorf("page %d has rank %v, by the loop %v", r.First, x, want[r.First])
				}
			}
			return nil
		})
	}, func() error {
		want = limit.PageRank(g, damping, rankTurns, runtime.GOMAXPROCS(0))
		return nil
	})
}

// pagerank models a reader, who follows a random link with probability damping; otherwise, or if
// the page has no links, the reader jumps to a random page.
func pagerank(
	ctx context.Context, on actors.Runner, web *actors.Keyed[int32, page], damping float64, rounds int,
) (*actors.Keyed[int32, rank], error) {
	number, add := func(r rank) int32 { return r.First }, func(a, b float64) float64 { return a + b }
	begin, err := actors.KeepBy(ctx, on, number,
		mapreduce.Each(func(p page) rank { return rank{First: p.Number} }).On(web.Aligned()))
	if err != nil {
		return nil, err
	}
	type now = *actors.Keyed[int32, rank]
	round := func(ctx context.Context, _ int, now now) (now, error) {
		linked, err := actors.Fold(ctx, on, now.Input(), func(r rank) float64 { return r.Second }, add)
		if err != nil {
			return nil, err
		}
		besides := (1 - linked) / float64(web.Size().Records)
		return actors.KeepBy(ctx, on, number, mapreduce.Job[mapreduce.Group[int32, page, rank], int32, float64, rank]{
			Map: func(at mapreduce.Group[int32, page, rank], emit func(int32, float64)) error {
				emit(at.Key, 0) // each page is there, whether links lead to it or not
				links := at.Left[0].Links
				part := damping * (at.Right[0].Second + besides) / float64(len(links))
				for _, to := range links {
					emit(to, part)
				}
				return nil
			},
			Sum: true, Reducers: web.Size().Parts,
		}.On(mapreduce.Grouped(web.Feed(), now.Feed())))
	}
	return actors.Iterate(ctx, begin, rounds, round, nil)
}
