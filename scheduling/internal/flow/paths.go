package flow

import (
	"math"

	"github.com/tarry-mr/tarry/internal/heap"
)

// measure finds the cheapest path from source to sink by Dijkstra's algorithm. It raises the
// heights (potentials) so that fill can tell the arcs of cheapest paths: they cost exactly the
// difference of their ends' heights. It returns false if the path's cost is not negative.
func (g *Graph) measure(source, sink int32) bool {
	for v := range g.dist {
		g.dist[v] = math.MaxInt64
	}
	g.dist[source] = 0
	g.heap = append(g.heap[:0], entry{0, source})
	for len(g.heap) > 0 {
		e := g.heap[0]
		g.heap = heap.Pop(g.heap, (*entry).before)
		if e.dist > g.dist[e.vertex] {
			continue
		}
		if e.vertex == sink {
			break
		}
		for a := g.first[e.vertex]; a != None; a = g.arcs[a].next {
			b := &g.arcs[a]
			if b.room == 0 {
				continue
			}
			if d := e.dist + b.cost + g.height[e.vertex] - g.height[b.to]; d < g.dist[b.to] {
				g.dist[b.to] = d
				g.heap = heap.Push(g.heap, entry{d, b.to}, (*entry).before)
			}
		}
	}
	far := g.dist[sink] // always finite, because of the arc from source to sink
	for v := range g.height {
		g.height[v] += min(g.dist[v], far)
	}
	return g.height[sink]-g.height[source] < 0
}

// fill pushes at most `most` units from a vertex to the sink along cheapest paths, by the heights
// of measure, and returns the amount. It does not retry a vertex from which nothing flows.
func (g *Graph) fill(v, sink, most int32) (sum int32) {
	if v == sink {
		return most
	}
	g.seen[v] = true
	for ; g.cur[v] != None; g.cur[v] = g.arcs[g.cur[v]].next {
		a := g.cur[v]
		b := &g.arcs[a]
		if b.room == 0 || g.seen[b.to] || g.height[v]+b.cost != g.height[b.to] {
			continue
		}
		n := g.fill(b.to, sink, min(most-sum, b.room))
		g.push(a, n)
		if sum += n; sum == most {
			break
		}
	}
	if sum > 0 {
		g.seen[v] = false
	}
	return sum
}

// entry is a vertex in the heap of Dijkstra's algorithm, with the length of a path to it.
type entry struct {
	dist   int64
	vertex int32
}

func (e *entry) before(f *entry) bool {
	return e.dist < f.dist || e.dist == f.dist && e.vertex < f.vertex
}
