// Package flow finds flows of least cost in a network of arcs with capacities and costs. It starts
// from any flow that is there: cycles that cost less than nothing are canceled first, then paths
// from source to sink are filled, the cheapest first, for as long as they cost less than nothing
// (successive shortest paths by Dijkstra's algorithm with potentials, all paths of one cost
// together). Where little has changed the first part is nearly all there is to do.
//
// All is in whole numbers and in the order of the arcs: the same network has the same flow.
package flow

import "math"

// Arc names an arc of a Graph.
type Arc int32

// None is no arc and no vertex.
const None = -1

// Graph is a network. Its zero value has no vertex; Reset keeps the memory. It is not safe for
// concurrent use.
type Graph struct {
	first []int32 // arc by vertex, or None
	arcs  []arc   // a^1 is the reverse of a; those added are even
	sides
}

// arc is one direction of an arc.
type arc struct {
	to, next int32 // next of those from the same vertex, or None
	room     int32 // what more may flow
	cost     int64
}

// sides is scratch by vertex.
type sides struct {
	height  []int64 // potential: no arc with room costs less than the rise along it
	dist    []int64
	parent  []int32 // arc
	stamp   []int32
	seen    []bool
	cur     []int32 // arc
	active  []int32
	waiting []int32
	heap    []entry
}

// Reset takes all vertices and arcs out.
func (g *Graph) Reset() { g.first, g.arcs = g.first[:0], g.arcs[:0] }

// Vertex adds a vertex; they are numbered from 0.
func (g *Graph) Vertex() int32 {
	g.first = append(g.first, None)
	return int32(len(g.first) - 1)
}

// Add adds an arc with a capacity of 0 or more and a cost for each unit that flows, which may be
// negative. Sums of costs along a path must stay within an int64.
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

// Push lets so much more flow through an arc, no more than it has room for. Who pushes has to see
// to it that what flows into a vertex flows out of it again, but at source and sink.
func (g *Graph) Push(a Arc, n int32) { g.push(int32(a), n) }

func (g *Graph) push(a, n int32) {
	g.arcs[a].room -= n
	g.arcs[a^1].room += n
}

// Flow is how much flows through an arc.
func (g *Graph) Flow(a Arc) int32 { return g.arcs[a^1].room }

// Cost is the cost of all that flows.
func (g *Graph) Cost() (sum int64) {
	for a := 0; a < len(g.arcs); a += 2 {
		sum += g.arcs[a].cost * int64(g.arcs[a+1].room)
	}
	return sum
}

// Solve changes the flow into one of least cost, however much then flows from source to sink.
func (g *Graph) Solve(source, sink int32) {
	g.Add(source, sink, math.MaxInt32, 0) // what goes this way goes nowhere
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

// reach gives a list a length.
func reach[T any](list []T, n int) []T {
	if cap(list) < n {
		list = make([]T, n, n+n/2)
	}
	list = list[:n]
	clear(list)
	return list
}

// Trace follows one unit that flows from a vertex to the sink, takes it out, and returns the last
// vertex before the sink; None if nothing flows. What flows must have no cycle.
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

// Room is how much more may flow through an arc.
func (g *Graph) Room(a Arc) int32 { return g.arcs[a].room }
