// Pagerank ranks the pages of a small web by its links in twenty rounds on one cluster. The cluster
// keeps the web and the ranks in memory between rounds, co-partitioned by page.
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

// rank is a page and the probability that a reader reaches it over a link. All ranks together are
// less than 1: the rest is the probability that the reader jumps to a random page.
type rank = mr.Pair[string, float64]

// pagerank models a reader: with probability damping it follows a random link of its page;
// otherwise, or if the page has no links, it jumps to a random page. A page's full rank is its rank
// and an equal share of the jumps, so that all full ranks add up to 1.
func pagerank(ctx context.Context, on actors.Runner, web *actors.Keyed[string, page], damping float64, rounds int) (*actors.Keyed[string, rank], error) {
	name, add := func(r rank) string { return r.First }, func(a, b float64) float64 { return a + b }
	begin, err := actors.KeepBy(ctx, on, name, mr.Apply(func(p page) rank { return rank{First: p.Name} }).Over(web.Aligned()))
	if err != nil {
		return nil, err
	}
	round := func(ctx context.Context, _ int, now *actors.Keyed[string, rank]) (*actors.Keyed[string, rank], error) {
		linked, err := actors.Fold(ctx, on, now.Input(), func(r rank) float64 { return r.Second }, add)
		if err != nil {
			return nil, err
		}
		jumps := (1 - linked) / float64(web.Size().Records)
		return actors.KeepBy(ctx, on, name, mr.Job[mr.Group[string, page, rank], string, float64, rank]{
			Map: func(at mr.Group[string, page, rank], emit func(string, float64)) error {
				emit(at.Key, 0) // each page is there, whether links lead to it or not
				for _, to := range at.Left[0].Links {
					emit(to, damping*(at.Right[0].Second+jumps)/float64(len(at.Left[0].Links)))
				}
				return nil
			},
			Sum: true, Reducers: web.Size().Parts,
		}.Over(mr.Grouped(web.Feed(), now.Feed())))
	}
	return actors.Iterate(ctx, begin, rounds, round, nil)
}
