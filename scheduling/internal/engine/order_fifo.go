package engine

import "github.com/tarry-mr/tarry/scheduling/internal/shares"

// fifo is Hadoop's default order: priority, then submission. A job without a task for the node is
// passed over. A heartbeat gets any number of maps near their data, at most one map off its data,
// which ends the maps, and one reduce.
type fifo struct{ flatOrder }

func newFIFO(c *Core, _ *Policy) (order, error) {
	return &fifo{flatOrder{simple: simple{c}, rankOf: fifoRank}}, nil
}

func (o *fifo) assign(n *node) {
	for free := min(n.free(Map), o.cap(n, Map)-n.running[Map]); free > 0 && n.free(Map) > 0; free-- {
		if local := o.mapRound(n); !local || o.padded(n, Map) {
			break
		}
	}
	if n.free(Reduce) > 0 && n.running[Reduce] < o.cap(n, Reduce) {
		o.c.round(n, Reduce)
	}
}

// cap is how many tasks of kind k the node may run: its part of the cluster's load while that is
// less than the slots.
func (o *fifo) cap(n *node, k TaskKind) int {
	if !o.c.pol.Spread {
		return n.slots[k]
	}
	return shares.OfNode(n.slots[k], o.c.load[k], o.c.slots[k], 0)
}

// mapRound offers one map slot; it is true if a job took it with a map on the node or in its rack.
func (o *fifo) mapRound(n *node) bool {
	c := o.c
	c.placement[Map].begin()
	for j := range c.inOrder(Map) {
		launched := len(c.actions)
		if c.offer(j, n, Map) {
			l := c.actions[launched].Locality
			return l == NodeLocal || l == RackLocal
		}
	}
	return false
}

// padded tells whether the cluster is so full that each heartbeat gets one map only, to keep some
// slots for failures and copies: one for each 100 tasks wanted, at most a node's, none on up to
// three nodes.
func (o *fifo) padded(n *node, k TaskKind) bool {
	c := o.c
	if !c.pol.Spread {
		return false
	}
	padding := 0
	if c.live > 3 {
		padding = min(n.slots[k], c.load[k]/100)
	}
	return c.running[k]+padding >= c.slots[k]
}

// idle: under the load cap a node may have its part of the tasks.
func (o *fifo) idle(j *job, n *node, k TaskKind) Reason {
	if most := o.cap(n, k); o.c.pol.Spread && n.running[k] >= most {
		return Reason{Cause: CauseLoadCap, Count: int32(n.running[k]), Of: int32(most)}
	}
	return o.flatOrder.idle(j, n, k)
}
