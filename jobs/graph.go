package jobs

import (
	"bytes"
	"context"
	"errors"
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

// readGraph returns the graph that an input describes. Each line is a node, a tab and the node that
// an edge leads to, or a single node.
func readGraph(ctx context.Context, run Runner, in mapreduce.Input[[]byte]) (*graph, error) {
	job := mapreduce.Distinct[graphLine]()
	job.Name = "graph"
	lines, _, err := collect(ctx, run, job.Over(mapreduce.Decoded(in, func(line []byte) (graphLine, error) {
		from, to, both := bytes.Cut(withoutCR(line), []byte{'\t'})
		return graphLine{From: from, To: to, Alone: !both}, nil
	})))
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
		return nil, errors.New("jobs: more than 2147483647 nodes")
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
