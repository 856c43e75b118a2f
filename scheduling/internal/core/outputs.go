package core

import (
	"fmt"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// apart returns the distance of two nodes, which have joined.
func (n *NodeState) apart(m *NodeState) model.Locality {
	return model.Locality(gravity.Distance(n.Site, m.Site) / 2)
}

// mapDone adds the output of map m on n: bytes per reduce, nil if they are unknown.
func (j *Job) mapDone(m int32, n *NodeState, bytes []int64) {
	if len(j.Work[model.Reduce].Tasks) == 0 || len(bytes) == 0 {
		return
	}
	if j.Outputs == nil {
		j.Outputs = gravity.New(len(j.Work[model.Map].Tasks), len(j.Work[model.Reduce].Tasks))
	}
	j.Outputs.Remove(m)
	j.Outputs.Add(m, n.Site, bytes)
	j.Changes++
}

// mapGone removes the output of map m.
func (j *Job) mapGone(m int32) {
	if j.Outputs != nil {
		j.Outputs.Remove(m)
		j.Changes++
	}
}

// Gravity returns the center of gravity of a reduce: among the nodes that have some of its input,
// the one with the minimum weighted total network distance, and the first in node order among
// equals. ok is false while nothing is known of its input.
func (q View) Gravity(id model.TaskID) (n model.NodeID, ok bool, err error) {
	g, err := q.c.outputsFor(id)
	if err != nil || g == nil {
		return model.NoNode, false, err
	}
	var sums gravity.Sums
	g.Sum(id.Index, &sums)
	center, ok := sums.Center(int(model.OffRack))
	if !ok {
		return model.NoNode, false, nil
	}
	return model.NodeID(center[0]), true, nil
}

// Known returns the number of maps whose output for a reduce is known, and the sum of those outputs
// in bytes.
func (q View) Known(id model.TaskID) (maps int, bytes int64, err error) {
	g, err := q.c.outputsFor(id)
	if err != nil || g == nil {
		return 0, 0, err
	}
	return g.Known(), g.Input(id.Index, func(gravity.Site) bool { return true }), nil
}

// Held returns the number of bytes of a reduce's known input on a node.
func (q View) Held(id model.TaskID, n model.NodeID) (int64, error) {
	g, err := q.c.outputsFor(id)
	if err != nil || g == nil || n < 0 || int(n) >= len(q.c.Nodes) {
		return 0, err
	}
	return g.Input(id.Index, func(at gravity.Site) bool { return at[0] == int32(n) }), nil
}

// WTND returns the weighted total network distance of a reduce if it ran on n, in byte-hops: a byte
// counts 0 on n, 2 in its rack, 4 beyond.
func (q View) WTND(id model.TaskID, n model.NodeID) (int64, error) {
	return q.c.distance(id, n, gravity.Bytes)
}

// TND is like WTND, but each map output that has something for the reduce counts 1.
func (q View) TND(id model.TaskID, n model.NodeID) (int64, error) {
	return q.c.distance(id, n, gravity.Ones)
}

func (c *Core) distance(id model.TaskID, n model.NodeID, weigh gravity.Weight) (int64, error) {
	g, err := c.outputsFor(id)
	if err != nil || g == nil {
		return 0, err
	}
	at, err := c.joined(n)
	if err != nil {
		return 0, err
	}
	return g.Distance(id.Index, at.Site, weigh), nil
}

// outputsFor returns the map outputs of a reduce's job, nil while none is known.
func (c *Core) outputsFor(id model.TaskID) (*gravity.Outputs, error) {
	if id.Kind != model.Reduce || c.taskOf(id) == nil {
		return nil, fmt.Errorf("%w: %v is not a reduce task", ErrUnknownTask, id)
	}
	return c.Job(id.Job).Outputs, nil
}
