package flat

import (
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// fifo is Hadoop's default order: priority, then submission. A job without a task for the node is
// passed over. A heartbeat gets any number of maps near their data, at most one map off its data,
// which ends the maps, and one reduce.
type fifo struct{ core.FlatOrder }

// NewFIFO makes the order "fifo".
func NewFIFO(c *core.Core, _ *core.Policy) (core.Order, error) {
	return &fifo{core.FlatOrder{Simple: core.Simple{C: c}, RankOf: core.FifoRank}}, nil
}

// Assign implements core.Order.
func (o *fifo) Assign(n *core.NodeState) {
	for free := min(n.Free(core.Map), o.cap(n, core.Map)-n.Running[core.Map]); free > 0 && n.Free(core.Map) > 0; free-- {
		if local := o.mapRound(n); !local || o.padded(n, core.Map) {
			break
		}
	}
	if n.Free(core.Reduce) > 0 && n.Running[core.Reduce] < o.cap(n, core.Reduce) {
		o.C.Round(n, core.Reduce)
	}
}

// cap is how many tasks of kind k the node may run: its part of the cluster's load while that is
// less than the slots.
func (o *fifo) cap(n *core.NodeState, k core.TaskKind) int {
	if !o.C.Policy.Spread {
		return n.Slots[k]
	}
	return shares.OfNode(n.Slots[k], o.C.Load[k], o.C.Slots[k], 0)
}

// mapRound offers one map slot; it is true if a job took it with a map on the node or in its rack.
func (o *fifo) mapRound(n *core.NodeState) bool {
	c := o.C
	c.Placement[core.Map].Begin()
	for j := range c.InOrder(core.Map) {
		launched := len(c.Actions)
		if c.Offer(j, n, core.Map) {
			l := c.Actions[launched].Locality
			return l == core.NodeLocal || l == core.RackLocal
		}
	}
	return false
}

// padded tells whether the cluster is so full that each heartbeat gets one map only, to keep some
// slots for failures and copies: one for each 100 tasks wanted, at most a node's, none on up to
// three nodes.
func (o *fifo) padded(n *core.NodeState, k core.TaskKind) bool {
	c := o.C
	if !c.Policy.Spread {
		return false
	}
	padding := 0
	if c.Live > 3 {
		padding = min(n.Slots[k], c.Load[k]/100)
	}
	return c.Running[k]+padding >= c.Slots[k]
}

// Idle says that under the load cap a node may have its part of the tasks.
func (o *fifo) Idle(j *core.Job, n *core.NodeState, k core.TaskKind) core.Reason {
	if most := o.cap(n, k); o.C.Policy.Spread && n.Running[k] >= most {
		return core.Reason{Cause: core.CauseLoadCap, Count: int32(n.Running[k]), Of: int32(most)}
	}
	return o.FlatOrder.Idle(j, n, k)
}
