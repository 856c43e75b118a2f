package jobs

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
)

// link is an edge of a graph: the numbers of its two nodes.
type link = mapreduce.Pair[int32, int32]

// graph is a graph whose nodes are numbers, in the byte order of their names.
type graph struct {
	names [][]byte
	edges []link // without duplicates
}

// graphLine is a line of a graph: an edge, or a single node.
type graphLine struct {
	From, To []byte
	Alone    bool
}

// errGraph is the error of graphs with too many nodes to number.
var errGraph = errors.New("jobs: more than 2147483647 nodes")

// readGraph returns the graph that an input describes. Each line is a node, a tab and the node that
// an edge leads to, or a single node.
func readGraph(ctx context.Context, run Runner, in mapreduce.Input[[]byte]) (*graph, error) {
	job := mapreduce.Job[[]byte, graphLine, mapreduce.None, graphLine]{
		Name: "graph",
		Map: func(line []byte, emit func(graphLine, mapreduce.None)) error {
			from, to, both := bytes.Cut(withoutCR(line), []byte{'\t'})
			emit(graphLine{From: from, To: to, Alone: !both}, mapreduce.None{})
			return nil
		},
		Combine: func(mapreduce.None, mapreduce.None) mapreduce.None { return mapreduce.None{} },
		Reduce: func(line graphLine, _ iter.Seq[mapreduce.None], emit func(graphLine)) error {
			emit(line)
			return nil
		},
	}
	lines, _, err := collect(ctx, run, func(out mapreduce.Output[graphLine]) (*mapreduce.Plan, error) {
		return job.Bind(in, out)
	})
	if err != nil {
		return nil, err
	}
	g := new(graph)
	for _, l := range lines {
		if g.names = append(g.names, l.From); !l.Alone {
			g.names = append(g.names, l.To)
		}
	}
	slices.SortFunc(g.names, bytes.Compare)
	g.names = slices.Clip(slices.CompactFunc(g.names, bytes.Equal))
	if len(g.names) > math.MaxInt32 {
		return nil, errGraph
	}
	numbers := make(map[string]int32, len(g.names))
	for i, name := range g.names {
		numbers[string(name)] = int32(i)
	}
	for _, l := range lines {
		if !l.Alone {
			g.edges = append(g.edges, mapreduce.MakePair(numbers[string(l.From)], numbers[string(l.To)]))
		}
	}
	return g, nil
}
