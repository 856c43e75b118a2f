// Package flow computes minimum-cost flows in a network of arcs with capacities and costs. It
// starts from any existing flow: it first cancels cycles of negative cost. Then it fills paths from
// source to sink, the cheapest first, as long as their cost is negative (successive shortest paths
// by Dijkstra's algorithm with potentials, all paths of one cost together). If little has changed
// since a former solution, the first part is almost all the work.
//
// Numbers are integers, and arcs are processed in order: the same network always has the same flow.
package flow

import "math"

// Arc identifies an arc of a Graph.
type Arc int32

// None means no arc or no vertex.
const None = -1

// Graph is a network. The zero value has no vertices; Reset keeps the memory. A Graph is not safe
// for concurrent use.
type Graph struct {
	first []int32 // first arc by vertex, or None
	arcs  []arc   // arc a and its reverse a^1; those passed to Add have even numbers
	sides
}

// arc is an arc of the network, or its reverse, through which flow can be taken back.
type arc struct {
	to, next int32 // next arc from the same vertex, or None
	room     int32 // remaining capacity
	cost     int64
}

// sides is the scratch memory of Solve, by vertex.
type sides struct {
	height  []int64 // potential: an arc with room costs at least its head's height minus its tail's
	dist    []int64
	parent  []int32 // arc
	stamp   []int32
	seen    []bool
	cur     []int32 // arc
	active  []int32
	waiting []int32
	heap    []entry
}

// Reset removes all vertices and arcs.
func (g *Graph) Reset() { g.first, g.arcs = g.first[:0], g.arcs[:0] }

// Vertex adds a vertex and returns its number; numbers count from 0.
func (g *Graph) Vertex() int32 {
	g.first = append(g.first, None)
	return int32(len(g.first) - 1)
}

// Add adds an arc with a non-negative capacity and a cost per unit of flow, which may be negative.
// Sums of costs along a path must fit into an int64.
func (g *Graph) Add(from, to, capacity int32, cost int64) Arc {
	a := int32(len(g.arcs))
	g.arcs = append(g.arcs, arc{to, g.first[from], capacity, cost}, arc{from, g.first[to], 0, -cost})
	g.first[from] = a
	if from == to {
		g.arcs[a+1].next = a
	}
	g.first[to] = a + 1
	return Arc(a)
}

// Push adds n to the flow through an arc, which must have the room. The caller must keep the flow
// balanced: what flows into a vertex flows out of it, except at source and sink.
func (g *Graph) Push(a Arc, n int32) { g.push(int32(a), n) }

func (g *Graph) push(a, n int32) {
	g.arcs[a].room -= n
	g.arcs[a^1].room += n
}

// Cost returns the cost of the whole flow.
func (g *Graph) Cost() (sum int64) {
	for a := 0; a < len(g.arcs); a += 2 {
		sum += g.arcs[a].cost * int64(g.arcs[a+1].room)
	}
	return sum
}

// Solve changes the flow into one of minimum cost, whatever its amount from source to sink.
func (g *Graph) Solve(source, sink int32) {
	g.Add(source, sink, math.MaxInt32, 0) // takes the flow that is not profitable: units on this arc are not sent
	n := len(g.first)
	g.height, g.dist, g.seen = reach(g.height, n), reach(g.dist, n), reach(g.seen, n)
	g.parent, g.stamp, g.cur = reach(g.parent, n), reach(g.stamp, n), reach(g.cur, n)
	g.balance()
	for g.measure(source, sink) {
		clear(g.seen)
		copy(g.cur, g.first)
		for g.fill(source, sink, math.MaxInt32) > 0 {
		}
	}
}

// reach returns a list of n zeros, in the memory of list if that suffices.
func reach[T any](list []T, n int) []T {
	if cap(list) < n {
		list = make([]T, n, n+n/2)
	}
	list = list[:n]
	clear(list)
	return list
}

// Trace follows one unit of flow from a vertex to the sink, removes it, and returns the last vertex
// before the sink; None if nothing flows. The flow must have no cycles.
func (g *Graph) Trace(from, sink int32) (last int32) {
	for last = None; from != sink; {
		a := g.first[from]
		for a != None && (a&1 == 1 || g.arcs[a^1].room == 0) {
			a = g.arcs[a].next
		}
		if a == None {
			return None
		}
		g.push(a, -1)
		last, from = from, g.arcs[a].to
	}
	return last
}

// Room returns the remaining capacity of an arc.
func (g *Graph) Room(a Arc) int32 { return g.arcs[a].room }
