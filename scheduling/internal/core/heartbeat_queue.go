package core

import "github.com/tarry-mr/tarry/scheduling/internal/model"

// heartbeatQueue records which nodes a driver should ask for a heartbeat. A node is called if an
// action or a reduce waits for it. All other nodes are asked when new work appears: tasks that
// could not be launched before.
type heartbeatQueue struct {
	news   uint64            // increases with new work
	told   uint64            // value of news at the last Due that returned open nodes
	called []model.NodeID    // in the order of the calls; their NodeState.called is set
	answer [2][]model.NodeID // scratch
}

// Due returns the nodes that should be asked for a heartbeat now. called are those for which an
// action or a reduce waits, in the order in which the waiting began. open are those, ascending,
// with a slot, free or reclaimable, for work that has come since their last heartbeat: a job,
// reduces that may start, or a task that must rerun. Such work names each node once; a node may
// be in both lists. A driver that relies on regular heartbeats need not call Due. The Core owns the
// slices until the next call of any method.
func (c *Core) Due() (called, open []model.NodeID) {
	d := &c.queue
	called, open = d.answer[0][:0], d.answer[1][:0]
	for _, id := range d.called {
		c.Nodes[id].called = false
		called = append(called, id)
	}
	d.called = d.called[:0]
	if d.told == d.news {
		return called, nil
	}
	d.told = d.news
	reclaims := c.MayReclaim()
	for _, n := range c.Nodes {
		if !n.Open() || n.Heard == d.news {
			continue
		}
		n.Heard = d.news
		if n.Free(model.Map) > 0 || n.Free(model.Reduce) > 0 || reclaims {
			open = append(open, n.ID)
		}
	}
	d.answer = [2][]model.NodeID{called, open}
	return called, open
}

// MayReclaim reports whether the order may take slots from running attempts.
func (c *Core) MayReclaim() bool {
	o, ok := c.Order.(reclaimer)
	return ok && o.MayReclaim()
}

// Useful reports whether a heartbeat of the node, or of any node for NoNode, may bring it a task.
// Either tasks of a kind with a free slot wait for a launch or a speculative attempt, or the policy
// reclaims slots.
func (q View) Useful(id model.NodeID) bool {
	c := q.c
	if c.Waiting[model.Map]+c.Waiting[model.Reduce] > 0 && c.MayReclaim() {
		return true
	}
	free := c.Room
	if id != model.NoNode {
		n := c.Nodes[id]
		if !n.Open() {
			return false
		}
		free = [model.Kinds]int{n.Free(model.Map), n.Free(model.Reduce)}
	}
	wanted := [model.Kinds]int{c.Waiting[model.Map] + c.Slow[model.Map], c.Waiting[model.Reduce] + c.Slow[model.Reduce]}
	return wanted[model.Map] > 0 && free[model.Map] > 0 || wanted[model.Reduce] > 0 && free[model.Reduce] > 0
}
