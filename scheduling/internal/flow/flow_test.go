package flow

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Flow returns the flow through an arc.
func (g *Graph) Flow(a Arc) int32 { return g.arcs[a^1].room }

// line is an arc of a network that drawn draws.
type line struct {
	from, to, room int32
	cost           int64
}

// drawn draws a small network. Vertex 0 is the source, vertex 1 the sink.
func drawn(t *rapid.T) (vertices int, lines []line) {
	vertices = rapid.IntRange(2, 5).Draw(t, "vertices")
	for range rapid.IntRange(1, 7).Draw(t, "arcs") {
		v := rapid.Int32Range(0, int32(vertices-1))
		lines = append(lines, line{
			v.Draw(t, "from"), v.Draw(t, "to"), rapid.Int32Range(0, 2).Draw(t, "room"),
			rapid.Int64Range(-5, 5).Draw(t, "cost"),
		})
	}
	return vertices, lines
}

// flows calls `each` with every flow that the network allows, and its cost.
func flows(vertices int, lines []line, each func(flow []int32, cost int64)) {
	flow := make([]int32, len(lines))
	var try func(i int)
	try = func(i int) {
		if i < len(lines) {
			for flow[i] = 0; flow[i] <= lines[i].room; flow[i]++ {
				try(i + 1)
			}
			flow[i] = 0
			return
		}
		sum, cost := make([]int32, vertices), int64(0)
		for k, l := range lines {
			sum[l.from] -= flow[k]
			sum[l.to] += flow[k]
			cost += l.cost * int64(flow[k])
		}
		for _, s := range sum[2:] {
			if s != 0 {
				return
			}
		}
		each(flow, cost)
	}
	try(0)
}

// From any initial flow in a small network, Solve finds a valid flow, and no valid flow costs less.
func TestLeastCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, lines := drawn(t)
		var all [][]int32
		least := int64(math.MaxInt64)
		flows(vertices, lines, func(flow []int32, cost int64) {
			all = append(all, append([]int32(nil), flow...))
			least = min(least, cost)
		})
		begin := rapid.SampledFrom(all).Draw(t, "begin")
		var g Graph
		for range 2 { // the second network uses the memory of the first
			g.Reset()
			for range vertices {
				g.Vertex()
			}
			var arcs []Arc
			for i, l := range lines {
				arcs = append(arcs, g.Add(l.from, l.to, l.room, l.cost))
				g.Push(arcs[i], begin[i])
			}
			g.Solve(0, 1)
			require.Equal(t, least, g.Cost())
			var got []int32
			for _, a := range arcs {
				got = append(got, g.Flow(a))
			}
			require.Contains(t, all, got)
		}
	})
}

// If vertices stand for tasks and slots, Trace returns the slot of each task.
func TestTrace(t *testing.T) {
	var g Graph
	source, sink := g.Vertex(), g.Vertex()
	slots := []int32{g.Vertex(), g.Vertex()}
	for _, s := range slots {
		g.Add(s, sink, 1, 0)
	}
	cost := [][]int64{{-3, -9}, {-4, -5}, {-1, -1}} // best: task 0 in slot 1, task 1 in slot 0
	var tasks []int32
	for _, row := range cost {
		v := g.Vertex()
		tasks = append(tasks, v)
		g.Add(source, v, 1, 0)
		for s, c := range row {
			g.Add(v, slots[s], 1, c)
		}
	}
	g.Solve(source, sink)
	require.EqualValues(t, -13, g.Cost())
	require.Equal(t, slots[1], g.Trace(tasks[0], sink))
	require.Equal(t, slots[0], g.Trace(tasks[1], sink))
	require.EqualValues(t, None, g.Trace(tasks[2], sink))
	require.EqualValues(t, None, g.Trace(tasks[0], sink), "it was taken out")
}

// Solve finds an assignment of tasks to slots of the same cost from two initial flows: from none,
// and from one that pairs task i with slot i.
func TestFromNothingAndFromAFlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(1, 30).Draw(t, "n")
		cost := rapid.SliceOfN(rapid.Int64Range(-100, -1), int(n*n), int(n*n)).Draw(t, "cost")
		solve := func(warm bool) int64 {
			var g Graph
			source, sink := g.Vertex(), g.Vertex()
			for range 2 * n {
				g.Vertex()
			}
			for i := range n {
				in, out := g.Add(source, 2+i, 1, 0), g.Add(2+n+i, sink, 1, 0)
				for k := range n {
					if a := g.Add(2+i, 2+n+k, 1, cost[i*n+k]); warm && i == k {
						g.Push(in, 1)
						g.Push(a, 1)
						g.Push(out, 1)
					}
				}
			}
			g.Solve(source, sink)
			return g.Cost()
		}
		require.Equal(t, solve(false), solve(true))
	})
}
