// Pagerank ranks the pages of a small web by its links, twenty rounds on one cluster.
package main

import (
	"context"
	"iter"

	"github.com/tarry-mr/tarry/actors"
	mr "github.com/tarry-mr/tarry/mapreduce"
)

type page struct {
	Name  string
	Links []string // to pages of the same web
}

// pagerank gives each page the part of a reader's time that is spent on it, who follows a link with
// probability damping, and goes anywhere else, or where a page has no links.
func pagerank(ctx context.Context, cluster *actors.Cluster, web []page, damping float64, rounds int) (map[string]float64, error) {
	n := float64(len(web))
	ranks := make(map[string]float64, len(web))
	for _, p := range web {
		ranks[p.Name] = 1 / n
	}
	for range rounds {
		job := mr.Job[page, string, float64, mr.Pair[string, float64]]{
			Map: func(p page, emit func(string, float64)) error {
				emit(p.Name, 0) // each page is there, whether links lead to it or not
				for _, to := range p.Links {
					emit(to, ranks[p.Name]/float64(len(p.Links)))
				}
				return nil
			},
			Combine: func(a, b float64) float64 { return a + b },
			Reduce: func(name string, parts iter.Seq[float64], emit func(mr.Pair[string, float64])) error {
				for sum := range parts { // one, by Combine
					emit(mr.MakePair(name, sum))
				}
				return nil
			},
		}
		followed, err := actors.Collect(ctx, cluster, func(out mr.Output[mr.Pair[string, float64]]) (*mr.Plan, error) {
			return job.Bind(mr.Slice(web), out)
		})
		if err != nil {
			return nil, err
		}
		lost := 1.0 // where no link leads on
		for _, p := range followed {
			lost -= p.Second
		}
		next := make(map[string]float64, len(web)) // maps may still look at the old one
		for _, p := range followed {
			next[p.First] = damping*(p.Second+lost/n) + (1-damping)/n
		}
		ranks = next
	}
	return ranks, nil
}
