package jobs

import (
	"context"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Member is a node and the first node, in byte order, of its connected component.
type Member = mapreduce.Pair[[]byte, []byte]

// The counter of edges that a step has changed; Components ends when a round changes none.
const (
	ComponentsCounters = "Connected components"
	EdgesMoved         = "Edges moved"
)

// Components finds the connected components of an undirected graph. Its input is Lines of a node, a
// tab and a node, or of a single node. It returns the nodes in byte order. The graph is held in
// memory, as numbers except for the names of its nodes.
//
// It alternates two steps until neither changes an edge (Kiveris et al., Connected Components in
// MapReduce and Beyond, SoCC 2014). The large star connects the larger neighbors of each node to
// the smallest of the node and its neighbors; the small star does so with the node and its smaller
// neighbors. The number of edges never grows, and a graph of n nodes needs about (log n)² rounds,
// even a long path. The result is a star around the first node of each component.
func Components(ctx context.Context, run Runner, in mapreduce.Input[[]byte]) ([]Member, error) {
	g, err := readGraph(ctx, run, in)
	if err != nil {
		return nil, err
	}
	edges := g.edges[:0]
	for _, e := range g.edges {
		if e.First != e.Second {
			edges = append(edges, e)
		}
	}
	for moved := int64(1); moved > 0; {
		moved = 0
		for _, large := range []bool{true, false} {
			next, counters, err := collect(ctx, run, star(large).Over(mapreduce.Slice(edges)))
			if err != nil {
				return nil, err
			}
			edges = next
			moved += counters.Named(ComponentsCounters, EdgesMoved)
		}
	}
	list := make([]Member, len(g.names))
	for i, name := range g.names {
		list[i] = mapreduce.MakePair(name, name)
	}
	for _, e := range edges {
		list[e.First].Second = g.names[e.Second]
	}
	return list, nil
}

// star returns the job of a step. The reduce gets the distinct neighbors of each node in order; for
// the small star, all of them are smaller than the node.
func star(large bool) mapreduce.Job[link, link, mapreduce.None, link] {
	name := "small star"
	if large {
		name = "large star"
	}
	return mapreduce.Job[link, link, mapreduce.None, link]{
		Name: name,
		Map: func(e link, emit func(link, mapreduce.None)) error {
			if a, b := e.First, e.Second; large {
				emit(e, mapreduce.None{})
				emit(mapreduce.MakePair(b, a), mapreduce.None{})
			} else {
				emit(mapreduce.MakePair(max(a, b), min(a, b)), mapreduce.None{})
			}
			return nil
		},
		Combine: once,
		ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[link, mapreduce.None, link], error) {
			moved := t.Counter(ComponentsCounters, EdgesMoved)
			return mapreduce.Reducer[link, mapreduce.None, link]{
				Pairs: func(neighbors iter.Seq2[link, mapreduce.None], emit func(link)) error {
					least := int32(-1)
					for at := range neighbors {
						node, neighbor := at.First, at.Second
						first := least < 0
						if first {
							least = min(node, neighbor)
						}
						switch {
						case large && neighbor < node:
							continue
						case !large && first:
							emit(mapreduce.MakePair(node, least))
							continue
						case !large || least != node:
							moved.Add(1)
						}
						emit(mapreduce.MakePair(neighbor, least))
					}
					return nil
				},
			}, nil
		},
		GroupFields: 1,
	}
}
