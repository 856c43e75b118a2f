package jobs

import (
	"context"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Member is a node, and the first node, in byte order, of those that edges connect it with.
type Member = mapreduce.Pair[[]byte, []byte]

// The counter of Components, which tells when it is done.
const (
	ComponentsCounters = "Connected components"
	EdgesMoved         = "Edges moved"
)

// Components finds the connected components of a graph whose edges have no direction. Its input is
// Lines of a node, a tab, and a node, or of a node alone. What comes back is in the byte order of the
// nodes. The graph is held in memory, as numbers but for the names of its nodes.
//
// Two steps follow each other until neither changes an edge (Kiveris et al., Connected Components in
// MapReduce and Beyond, SoCC 2014). The large star ties the larger neighbors of each node to its
// smallest neighbor, itself among these; the small star does so with the node and its smaller
// neighbors. There are never more edges, and of n nodes they are done in about the square of log n
// rounds, on a long path, too. What is left is a star around the first node of each component.
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

// largeStar ties the larger neighbors of each node to the smallest of it and its neighbors.
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

// smallStar ties each node and its smaller neighbors to the smallest of these.
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

// star is a job that turns edges into pairs of a node and a neighbor, each once, and the neighbors of
// each node into edges.
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
