package flow

import "math"

// balance cancels cycles of negative cost until there is none, and leaves heights by which no arc
// with room is too cheap: Bellman and Ford's algorithm in rounds, after each of which the arcs by
// which vertices were reached last are searched for cycles. Such a cycle has a negative cost.
func (g *Graph) balance() {
	g.wake()
	for len(g.active) > 0 {
		for _, v := range g.active {
			g.seen[v] = false
			for a := g.first[v]; a != None; a = g.arcs[a].next {
				e := &g.arcs[a]
				h := g.height[v] + e.cost
				if e.room == 0 || h >= g.height[e.to] {
					continue
				}
				g.height[e.to], g.parent[e.to] = h, a
				if !g.seen[e.to] {
					g.seen[e.to] = true
					g.waiting = append(g.waiting, e.to)
				}
			}
		}
		g.active, g.waiting = g.waiting, g.active[:0]
		if g.cancel() {
			g.wake()
		}
	}
}

// wake makes all vertices active.
func (g *Graph) wake() {
	g.active, g.waiting = g.active[:0], g.waiting[:0]
	for v := range g.first {
		g.active = append(g.active, int32(v))
		g.parent[v], g.seen[v] = None, true
	}
}

// cancel lets as much flow as has room around each cycle of parents, and tells whether there was
// one. The cycles have no vertex in common.
func (g *Graph) cancel() (found bool) {
	clear(g.stamp)
	for v := range g.first {
		at := int32(v)
		for g.stamp[at] == 0 {
			g.stamp[at] = int32(v) + 1
			if g.parent[at] == None {
				break
			}
			at = g.from(g.parent[at])
		}
		if g.stamp[at] != int32(v)+1 || g.parent[at] == None {
			continue
		}
		found = true
		room, u := int32(math.MaxInt32), at
		for {
			room = min(room, g.arcs[g.parent[u]].room)
			if u = g.from(g.parent[u]); u == at {
				break
			}
		}
		for {
			g.push(g.parent[u], room)
			if u = g.from(g.parent[u]); u == at {
				break
			}
		}
	}
	return found
}

// from is the vertex that an arc comes from.
func (g *Graph) from(a int32) int32 { return g.arcs[a^1].to }
