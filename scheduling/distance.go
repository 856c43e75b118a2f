package scheduling

import "fmt"

// wtnd is the weighted total network distance of reduce r at n: by definition, one map output after
// the other; weigh gives an output its weight from its bytes. Slow: for questions and as the oracle
// of score.
func (g *gravity) wtnd(r int32, n *node, weigh func(bytes int64) int64) (sum int64) {
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) < len(o.bytes) && o.bytes[r] > 0 {
			sum += distance(n, o.node) * weigh(o.bytes[r])
		}
	}
	return sum
}

// distance is the number of links between two nodes: up to what they share, and down again.
func distance(a, b *node) int64 {
	for l := range a.groups {
		if a.groups[l] == b.groups[l] {
			return 2 * int64(l)
		}
	}
	return 2 * int64(len(a.groups))
}

// Gravity is the center of gravity of a reduce: of the nodes that hold some of its input, the one
// with the least weighted total network distance, the first in node order if several. ok is false
// while nothing is known of its input.
func (q View) Gravity(id TaskID) (n NodeID, ok bool, err error) {
	g, err := q.c.gravityOf(id)
	if err != nil || g == nil {
		return NoNode, false, err
	}
	best := g.center(id.Index, int(q.c.far))
	if best == nil {
		return NoNode, false, nil
	}
	return best.id, true, nil
}

// WTND is the weighted total network distance of a reduce if placed on n, in byte-hops: 0 for bytes
// on n, 2 in its rack, 4 beyond.
func (q View) WTND(id TaskID, n NodeID) (int64, error) {
	return q.c.distance(id, n, bytesOnly)
}

// TND is WTND with each map output that has something for the reduce counting 1.
func (q View) TND(id TaskID, n NodeID) (int64, error) {
	return q.c.distance(id, n, func(int64) int64 { return 1 })
}

func (c *Core) distance(id TaskID, n NodeID, weigh func(int64) int64) (int64, error) {
	g, err := c.gravityOf(id)
	if err != nil || g == nil {
		return 0, err
	}
	if n < 0 || int(n) >= len(c.nodes) || c.nodes[n].groups == nil {
		return 0, fmt.Errorf("%w %d", ErrUnknownNode, n)
	}
	return g.wtnd(id.Index, c.nodes[n], weigh), nil
}

func (c *Core) gravityOf(id TaskID) (*gravity, error) {
	if id.Kind != Reduce || c.taskOf(id) == nil {
		return nil, fmt.Errorf("%w: %v is no reduce", ErrUnknownTask, id)
	}
	return c.jobs.get(id.Job).gravity, nil
}
