package flow

import "math"

// balance pushes flow around cycles of negative cost until none remains. Then each arc with room
// costs at least its head's height (potential) minus its tail's. It uses the algorithm of Bellman
// and Ford in rounds. After each round it searches for cycles among the arcs by which vertices were
// last reached; such a cycle has negative cost.
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

// wake makes all vertices active: balance begins its search for cycles at each of them.
func (g *Graph) wake() {
	g.active, g.waiting = g.active[:0], g.waiting[:0]
	for v := range g.first {
		g.active = append(g.active, int32(v))
		g.parent[v], g.seen[v] = None, true
	}
}

// cancel pushes as much flow as possible around each cycle that the arcs g.parent form, and reports
// whether it found one. The cycles have no common vertices.
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

// from returns the vertex at the beginning of an arc.
func (g *Graph) from(a int32) int32 { return g.arcs[a^1].to }
