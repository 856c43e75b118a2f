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
		for _, star := range []mapreduce.Job[link, link, mapreduce.None, link]{largeStar(), smallStar()} {
			next, counters, err := collect(ctx, run, func(out mapreduce.Output[link]) (*mapreduce.Plan, error) {
				return star.Bind(mapreduce.Slice(edges), out)
			})
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

// largeStar is the step that connects each node's larger neighbors to the smallest of the node and
// its neighbors.
func largeStar() mapreduce.Job[link, link, mapreduce.None, link] {
	return star("large star", func(a, b int32, emit func(link, mapreduce.None)) {
		emit(mapreduce.MakePair(a, b), mapreduce.None{})
		emit(mapreduce.MakePair(b, a), mapreduce.None{})
	}, func(t *mapreduce.Task, neighbors iter.Seq2[link, mapreduce.None], emit func(link)) error {
		least, moved := int32(-1), int64(0)
		for at := range neighbors { // in order
			if least < 0 {
				least = min(at.First, at.Second)
			}
			if at.Second > at.First {
				emit(mapreduce.MakePair(at.Second, least))
				if least != at.First {
					moved++
				}
			}
		}
		t.Counter(ComponentsCounters, EdgesMoved).Add(moved)
		return nil
	})
}

// smallStar is the step that connects a node and its smaller neighbors to the smallest of them.
func smallStar() mapreduce.Job[link, link, mapreduce.None, link] {
	return star("small star", func(a, b int32, emit func(link, mapreduce.None)) {
		emit(mapreduce.MakePair(max(a, b), min(a, b)), mapreduce.None{})
	}, func(t *mapreduce.Task, neighbors iter.Seq2[link, mapreduce.None], emit func(link)) error {
		least, moved := int32(-1), int64(0)
		for at := range neighbors { // in order, all smaller
			if least < 0 {
				least = at.Second
				emit(mapreduce.MakePair(at.First, least))
				continue
			}
			emit(mapreduce.MakePair(at.Second, least))
			moved++
		}
		t.Counter(ComponentsCounters, EdgesMoved).Add(moved)
		return nil
	})
}

// star returns the job of a step. Its map, turn, emits pairs of a node and a neighbor for each
// edge. Its reduce gets the distinct neighbors of each node and emits the new edges.
func star(
	name string, turn func(a, b int32, emit func(link, mapreduce.None)),
	reduce func(t *mapreduce.Task, neighbors iter.Seq2[link, mapreduce.None], emit func(link)) error,
) mapreduce.Job[link, link, mapreduce.None, link] {
	return mapreduce.Job[link, link, mapreduce.None, link]{
		Name: name,
		Map: func(e link, emit func(link, mapreduce.None)) error {
			turn(e.First, e.Second, emit)
			return nil
		},
		Combine: func(mapreduce.None, mapreduce.None) mapreduce.None { return mapreduce.None{} },
		ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[link, mapreduce.None, link], error) {
			return mapreduce.Reducer[link, mapreduce.None, link]{
				Pairs: func(neighbors iter.Seq2[link, mapreduce.None], emit func(link)) error {
					return reduce(t, neighbors, emit)
				},
			}, nil
		},
		GroupFields: 1,
	}
}
