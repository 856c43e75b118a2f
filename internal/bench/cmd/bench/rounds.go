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
func roundsOnData(ctx context.Context) (outcomes []bench.Outcome, err error) {
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	for _, measure := range []func() (bench.Outcome, error){
		func() (bench.Outcome, error) { return rankRounds(ctx, cluster, 100_000) },
		func() (bench.Outcome, error) { return meansRounds(ctx, cluster, 1_000_000) },
		func() (bench.Outcome, error) { return tinyRounds(ctx, cluster, 1000) },
	} {
		o, err := measure()
		if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// against times a loop, if there is one, and the job that computes the same, in turns.
func against(name string, loop, job func() error) (bench.Outcome, error) {
	o := bench.Outcome{Contest: bench.Contest{Name: name}, Rounds: inTurns, Results: []bench.Result{
		{Program: bench.Program{Name: "limit"}}, {Program: bench.Program{Name: "tarry"}},
	}}
	runs := []func() error{loop, job}
	if loop == nil {
		o.Results, runs = o.Results[1:], runs[1:]
	}
	for turn := range inTurns + 1 {
		for i, run := range runs {
			runtime.GC()
			start, before := time.Now(), cputime.Used()
			if err := run(); err != nil {
				return o, fmt.Errorf("%s: %w", name, err)
			}
			s := bench.Sample{Wall: time.Since(start).Seconds(), CPU: (cputime.Used() - before).Seconds()}
			if turn > 0 { // the first turn warms up memory and does not count
				o.Results[i].Samples = append(o.Results[i].Samples, s)
			}
		}
	}
	return o, nil
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
func rankRounds(ctx context.Context, cluster *actors.Cluster, nodes int) (bench.Outcome, error) {
	const damping = 0.85
	pages, g := web(nodes)
	kept, err := actors.LoadBy(ctx, cluster, func(p page) int32 { return p.Number }, runtime.GOMAXPROCS(0), mapreduce.Slice(pages))
	if err != nil {
		return bench.Outcome{}, err
	}
	defer kept.Release()
	var want []float64
	var got []rank
	o, err := against(bench.RankRounds, func() error {
		want = limit.PageRank(g, damping, rankTurns, runtime.GOMAXPROCS(0))
		return nil
	}, func() error {
		return cluster.Pipeline(ctx, func(ctx context.Context, p *actors.Pipeline) error {
			last, err := pagerank(ctx, p, kept, damping, rankTurns)
			if err == nil {
				got, err = last.Collect(ctx)
			}
			return err
		})
	})
	if err != nil {
		return o, err
	}
	return o, checkRanks(got, want)
}

// checkRanks returns an error unless got, with an equal share of the jumps for each page, has the
// ranks of the loop.
func checkRanks(got []rank, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d pages have ranks, by the loop %d", len(got), len(want))
	}
	besides := 1.
	for _, r := range got {
		besides -= r.Second
	}
	for _, r := range got {
		if x := r.Second + besides/float64(len(got)); math.Abs(x-want[r.First]) > 1e-9*want[r.First] {
			return fmt.Errorf("page %d has rank %v, by the loop %v", r.First, x, want[r.First])
		}
	}
	return nil
}

// pagerank models a reader, who follows a random link with probability damping; otherwise, or if
// the page has no links, the reader jumps to a random page.
func pagerank(
	ctx context.Context, on actors.Runner, web *actors.Keyed[int32, page], damping float64, rounds int,
) (*actors.Keyed[int32, rank], error) {
	number, add := func(r rank) int32 { return r.First }, func(a, b float64) float64 { return a + b }
	begin, err := actors.KeepBy(ctx, on, number,
		mapreduce.Apply(func(p page) rank { return rank{First: p.Number} }).Over(web.Aligned()))
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
		}.Over(mapreduce.Grouped(web.Feed(), now.Feed())))
	}
	return actors.Iterate(ctx, begin, rounds, round, nil)
}
