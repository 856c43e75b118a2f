package flat

import (
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// fifo is Hadoop's default order: priority, then submission. It passes over a job without a task
// for the node. A heartbeat launches any number of node-local or rack-local maps, then at most one
// other map and one reduce.
type fifo struct{ core.FlatOrder }

// NewFIFO returns the order "fifo".
func NewFIFO(c *core.Core, _ *model.Policy) (core.Order, error) {
	return &fifo{core.FlatOrder{BaseOrder: core.BaseOrder{C: c}, RankOf: core.FifoRank}}, nil
}

// Assign implements core.Order.
func (o *fifo) Assign(n *core.NodeState) {
	for free := min(n.Free(model.Map), o.cap(n, model.Map)-n.Running[model.Map]); free > 0 && n.Free(model.Map) > 0; free-- {
		if local := o.mapRound(n); !local || o.padded(n, model.Map) {
			break
		}
	}
	if n.Free(model.Reduce) > 0 && n.Running[model.Reduce] < o.cap(n, model.Reduce) {
		o.C.Round(n, model.Reduce)
	}
}

// cap returns the maximum number of tasks of kind k on n: its slots. With the policy's Spread,
// while the cluster has fewer tasks than slots, it is the node's proportional part of the tasks.
func (o *fifo) cap(n *core.NodeState, k model.TaskKind) int {
	if !o.C.Policy.Spread {
		return n.Slots[k]
	}
	return shares.OfNode(n.Slots[k], o.C.Load[k], o.C.Slots[k], 0)
}

// mapRound offers one map slot to the jobs in order. It reports whether the heartbeat may launch
// further maps: a job has launched a node-local or rack-local one.
func (o *fifo) mapRound(n *core.NodeState) bool {
	c := o.C
	c.Placement[model.Map].Begin()
	for j := range c.InOrder(model.Map) {
		launched := len(c.Actions)
		if c.Offer(j, n, model.Map) {
			l := c.Actions[launched].Locality
			return l == model.NodeLocal || l == model.RackLocal
		}
	}
	return false
}

// padded reports whether the cluster is so full that each heartbeat gets only one map. That keeps
// slots for failures and speculative attempts: one per 100 tasks, at most as many as a node has. A
// cluster of up to three nodes keeps none.
func (o *fifo) padded(n *core.NodeState, k model.TaskKind) bool {
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

// Idle explains why j got no free slot of n. With Spread, n may have its part of all tasks already.
func (o *fifo) Idle(j *core.Job, n *core.NodeState, k model.TaskKind) model.Reason {
	if most := o.cap(n, k); o.C.Policy.Spread && n.Running[k] >= most {
		return model.Reason{Cause: model.CauseLoadCap, Count: int32(n.Running[k]), Of: int32(most)}
	}
	return o.FlatOrder.Idle(j, n, k)
}
