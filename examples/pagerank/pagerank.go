// Pagerank ranks the pages of a small web by its links, twenty rounds on one cluster, in whose
// memory the web and the ranks stay, side by side.
package main

import (
	"context"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

type page struct {
	Name  string
	Links []string // to pages of the same web
}

type rank = mr.Pair[string, float64]

// ranks are what comes to pages by links, of which they keep the part damping, and what each has
// besides.
type ranks struct {
	*actors.Keyed[string, rank]
	besides float64
}

// pagerank gives each page the part of a reader's time that is spent on it, who follows a link with
// probability damping, and goes anywhere else, or where a page has no links.
func pagerank(ctx context.Context, on actors.Runner, web *actors.Keyed[string, page], damping float64, rounds int) (ranks, error) {
	n, name := float64(web.Size().Records), func(r rank) string { return r.First }
	add := func(a, b float64) float64 { return a + b }
	begin, err := actors.KeepBy(ctx, on, name, mr.MapOnly[page, rank]{
		Map: func(p page, emit func(rank)) error { emit(rank{First: p.Name}); return nil },
	}.On(web.Aligned()))
	if err != nil {
		return ranks{}, err
	}
	round := func(ctx context.Context, _ int, now ranks) (next ranks, err error) {
		next.Keyed, err = actors.KeepBy(ctx, on, name, mr.Job[mr.Group[string, page, rank], string, float64, rank]{
			Map: func(at mr.Group[string, page, rank], emit func(string, float64)) error {
				emit(at.Key, 0) // each page is there, whether links lead to it or not
				for _, to := range at.Left[0].Links {
					emit(to, (damping*at.Right[0].Second+now.besides)/float64(len(at.Left[0].Links)))
				}
				return nil
			},
			Combine: add, Reducers: web.Size().Parts,
		}.On(mr.Grouped(web.Feed(), now.Feed())))
		if err == nil {
			next.besides, err = actors.Fold(ctx, on, next.Input(), func(r rank) float64 { return -damping * r.Second / n }, add)
			next.besides += 1 / n
		}
		return next, err
	}
	return actors.Iterate(ctx, ranks{begin, 1 / n}, round, actors.Rounds[ranks](rounds))
}
