package jobs

import (
	"cmp"
	"context"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce"
)

// PageRankOptions are the options of PageRank. The zero value is useful.
type PageRankOptions struct {
	// Damping is the fraction of readers who follow a link, above 0 and below 1; 0 means 0.85. The
	// others go anywhere.
	Damping float64
	// Rounds is the number of iterations; 0 means 20.
	Rounds int
}

// Check returns an error if the options are invalid.
func (o PageRankOptions) Check() error {
	if !(o.Damping >= 0 && o.Damping < 1) || o.Rounds < 0 { // also rejects NaN
		return fmt.Errorf("jobs: damping %v, %d rounds: want a damping above 0 and below 1, and a round", o.Damping, o.Rounds)
	}
	return nil
}

// NodeRank is a node and the fraction of all readers who are there.
type NodeRank = mapreduce.Pair[[]byte, float64]

// rankUnits is the number of units that make up a rank of 1. Ranks are passed on as integers, so
// that sums do not depend on their order; all together fit in 64 bits. Rounding loses less than
// 1e-9 of all readers for up to a billion links.
const rankUnits = 1 << 62

// PageRank ranks the nodes of a graph by its links (Brin and Page, 1998). In each round a node
// passes its rank in equal parts to the nodes that it links to, counting duplicate links once;
// nodes without links pass their rank to all nodes. Its input is Lines of a node, a tab and a node
// that it links to, or of a single node. It returns the nodes in byte order. The ranks add up to 1
// and do not depend on how the jobs run. The graph is held in memory, as numbers except for the
// names of its nodes. Invalid options are an error.
func PageRank(ctx context.Context, run Runner, in mapreduce.Input[[]byte], o PageRankOptions) ([]NodeRank, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.Damping, o.Rounds = cmp.Or(o.Damping, 0.85), cmp.Or(o.Rounds, 20)
	g, err := readGraph(ctx, run, in)
	if err != nil {
		return nil, err
	}
	links := make([][]int32, len(g.names))
	for _, e := range g.edges {
		links[e.First] = append(links[e.First], e.Second)
	}
	n := float64(len(links))
	ranks := make([]float64, len(links))
	for i := range ranks {
		ranks[i] = 1 / n
	}
	for range o.Rounds {
		if ranks, err = followed(ctx, run, links, ranks, o.Damping); err != nil {
			return nil, err
		}
	}
	list := make([]NodeRank, len(ranks))
	for i, rank := range ranks {
		list[i] = mapreduce.MakePair(g.names[i], rank)
	}
	return list, nil
}

// followed returns the ranks after one more round. links has the targets of each node's links.
func followed(ctx context.Context, run Runner, links [][]int32, ranks []float64, damping float64) ([]float64, error) {
	job := mapreduce.Job[[]int32, int32, int64, mapreduce.Pair[int32, int64]]{
		Name: "pagerank",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]int32, int32, int64], error) {
			return mapreduce.Mapper[[]int32, int32, int64]{Map: func(to []int32, emit func(int32, int64)) error {
				if len(to) > 0 {
					part := int64(ranks[t.Offset()] / float64(len(to)) * rankUnits)
					for _, node := range to {
						emit(node, part)
					}
				}
				return nil
			}}, nil
		},
		Sum: true,
	}
	received, _, err := collect(ctx, run, job.Over(mapreduce.Slice(links)))
	if err != nil {
		return nil, err
	}
	n, lost := float64(len(links)), 0.0
	for i, to := range links {
		if len(to) == 0 {
			lost += ranks[i]
		}
	}
	next := make([]float64, len(links)) // new slice: abandoned maps may still read the old one
	for i := range next {
		next[i] = damping*lost/n + (1-damping)/n
	}
	for _, r := range received {
		next[r.First] += damping * float64(r.Second) / rankUnits
	}
	return next, nil
}
