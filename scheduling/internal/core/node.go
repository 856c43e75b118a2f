package core

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// NodeState is the Core's record of a machine. A node may be known only by name, as the place of a
// replica, until it joins.
type NodeState struct {
	// The fields that a search for a slot reads come first, in one cache line; then those of a
	// heartbeat.
	ID       model.NodeID
	Live     bool
	Cordoned bool
	Avoided  bool // by all jobs, because of its faults
	called   bool // in heartbeatQueue.called
	Slots    [model.Kinds]int
	Used     [model.Kinds]int // slots held by attempts that are not suspended
	Running  [model.Kinds]int // attempts that are not suspended

	Site        gravity.Site // set when it joins
	Joined      bool         // it has joined at some time
	Atts        []int32      // live attempts, suspended ones included
	Incarnation uint64
	Seen        time.Duration

	Pending []model.Action // for the next heartbeat
	Last    []model.Action // answer to the last numbered heartbeat
	Seq     uint64
	Heard   uint64 // heartbeatQueue.news at its last heartbeat, or at the last Due that returned it

	Name    string
	Rack    string
	Faults  int           // jobs that succeeded while avoiding it, minus those forgiven
	faultAt time.Duration // time of the last fault, or of the last one forgiven
	numbers [model.Kinds]slotNumbers

	_ [8]byte // makes 296 bytes, which the allocator rounds to whole cache lines: worth 10 % of the speed of "hfs"
}

// Free returns the number of free slots of kind k; it is negative on a node that has joined again
// with fewer slots.
func (n *NodeState) Free(k model.TaskKind) int { return n.Slots[k] - n.Used[k] }

// Open reports whether the node takes new tasks.
func (n *NodeState) Open() bool { return n.Live && !n.Cordoned && !n.Avoided }

// NodeID returns the number of the named node; it reserves one for a node that has not joined.
func (c *Core) NodeID(name string) model.NodeID {
	if id, ok := c.Names[name]; ok {
		return id
	}
	id := c.nodeID(name)
	c.record(calls.Call{Op: calls.Name, At: c.Now, Text: name})
	return id
}

// nodeID is like NodeID, without an entry in the call log.
func (c *Core) nodeID(name string) model.NodeID {
	id, known := c.Names[name]
	if !known {
		id = model.NodeID(len(c.Nodes))
		c.Names[name] = id
		c.Nodes = append(c.Nodes, &NodeState{ID: id, Name: name})
	}
	return id
}

// Lookup returns the number of the named node, and false if it has not joined.
func (q View) Lookup(name string) (model.NodeID, bool) {
	id, ok := q.c.Names[name]
	return id, ok && q.c.Nodes[id].Joined
}

// maxSlots is the maximum number of slots of a kind on a node: the time of a heartbeat may be
// proportional to it.
const maxSlots = 1 << 20

// Join adds a node or brings one back. With another Incarnation, or after the node was lost, its
// attempts and outputs are lost. Joining with the same incarnation changes only the slots.
func (c *Core) Join(now time.Duration, spec model.Node) (model.NodeID, error) {
	if err := c.advance(now); err != nil {
		return model.NoNode, err
	}
	switch {
	case spec.Name == "":
		return model.NoNode, fmt.Errorf("%w: no name", ErrBadNode)
	case spec.MapSlots < 0 || spec.ReduceSlots < 0 || spec.MapSlots > maxSlots || spec.ReduceSlots > maxSlots:
		return model.NoNode, fmt.Errorf("%w %s: %d map and %d reduce slots, want 0 to %d", ErrBadNode, spec.Name, spec.MapSlots, spec.ReduceSlots, maxSlots)
	}
	_, known := c.Names[spec.Name]
	id := c.nodeID(spec.Name)
	n := c.Nodes[id]
	again := n.Live && n.Incarnation == spec.Incarnation
	restarted := n.Incarnation != spec.Incarnation
	if n.Live && !again {
		c.lose(n)
	}
	if known && (!n.Joined || n.Rack != spec.Rack) {
		c.Topo++ // jobs may refer to it
	}
	c.countSlots(n, -1)
	n.Rack, n.Live, n.Incarnation = spec.Rack, true, spec.Incarnation
	n.Slots = [model.Kinds]int{spec.MapSlots, spec.ReduceSlots}
	n.Seen = now
	if !again {
		n.Seq, n.Heard = 0, 0
	}
	if restarted {
		c.clearFailures(n)
	}
	n.Site, n.Joined = gravity.Site{int32(id), c.rack(spec.Rack)}, true
	c.countSlots(n, 1)
	c.dropUnfit(n)
	c.Dirty = true
	c.Emit(event.Event{Type: event.Joined, Node: id, Rack: spec.Rack, Slots: n.Slots})
	c.end(calls.Call{Op: calls.Join, At: now, Join: &spec, Node: id})
	return id, nil
}

// rack returns the number of the named rack.
func (c *Core) rack(name string) int32 {
	name = cmp.Or(name, "default")
	id, known := c.Racks[name]
	if !known {
		id = int32(len(c.Racks))
		c.Racks[name] = id
	}
	return id
}

// dropUnfit kills the suspended attempts of a node that has become too small to resume them.
func (c *Core) dropUnfit(n *NodeState) {
	for _, ai := range slices.Clone(n.Atts) {
		if a := &c.Attempts[ai]; a.Suspended && n.Slots[a.ID.Task.Kind] < int(a.Job.Slots) {
			c.KillAttempt(ai, model.Reason{Cause: model.CauseSuperseded}, false)
		}
	}
}

// slotNumbers records which slots of a node and kind are taken, for events.
type slotNumbers struct {
	isTaken []bool
	low     int32 // every slot below is taken
}

// take takes count adjacent slots, the lowest free ones, and returns the first, from 1. If tasks of
// several slots leave gaps, the result may lie beyond the node's slots.
func (s *slotNumbers) take(count int32) int32 {
	for int(s.low) < len(s.isTaken) && s.isTaken[s.low] {
		s.low++
	}
	first, run := s.low, int32(0)
	for at := first; run < count; at++ {
		if int(at) == len(s.isTaken) {
			s.isTaken = append(s.isTaken, false)
		}
		if run++; s.isTaken[at] {
			first, run = at+1, 0
		}
	}
	for i := range count {
		s.isTaken[first+i] = true
	}
	return first + 1
}

// free releases slots returned by take.
func (s *slotNumbers) free(first, count int32) {
	for i := range count {
		s.isTaken[first-1+i] = false
	}
	s.low = min(s.low, first-1)
}

// countSlots adds (1) or removes (-1) a node and its slots in the cluster's totals.
func (c *Core) countSlots(n *NodeState, sign int) {
	c.Cluster++
	if n.Live {
		c.Live += sign
	}
	if !n.Open() {
		return
	}
	for k := range model.TaskKind(model.Kinds) {
		c.Slots[k] += sign * n.Slots[k]
		c.Room[k] += sign * max(0, n.Free(k))
	}
}

// Cordon stops new tasks on a node (true) or allows them (false). Running tasks continue, and
// suspended tasks resume there as slots become free.
func (c *Core) Cordon(now time.Duration, id model.NodeID, cordoned bool) error {
	n, err := c.nodeAt(now, id)
	if err != nil {
		return err
	}
	changed := n.Cordoned != cordoned
	c.countSlots(n, -1)
	n.Cordoned = cordoned
	c.countSlots(n, 1)
	if changed {
		c.Emit(event.Event{Type: event.Cordoned, Node: id, State: map[bool]string{true: "cordoned", false: "open"}[cordoned]})
	}
	c.Dirty = true
	if n.Live && !cordoned {
		c.Call(n)
	}
	c.end(calls.Call{Op: calls.Cordon, At: now, Node: id, Flag: cordoned})
	return nil
}

// Leave removes a node. Its attempts, and the maps whose outputs are still needed, run on other
// nodes; this does not count as failures.
func (c *Core) Leave(now time.Duration, id model.NodeID) error {
	n, err := c.nodeAt(now, id)
	if err != nil {
		return err
	}
	if n.Live {
		c.lose(n)
	}
	c.end(calls.Call{Op: calls.Leave, At: now, Node: id})
	return nil
}

// nodeAt advances the clock and returns the node with that ID, which must have joined.
func (c *Core) nodeAt(now time.Duration, id model.NodeID) (*NodeState, error) {
	if err := c.advance(now); err != nil {
		return nil, err
	}
	return c.joined(id)
}

// joined returns the node with that ID, which must have joined.
func (c *Core) joined(id model.NodeID) (*NodeState, error) {
	if id < 0 || int(id) >= len(c.Nodes) || !c.Nodes[id].Joined {
		return nil, fmt.Errorf("%w %d", ErrUnknownNode, id)
	}
	return c.Nodes[id], nil
}

// Expire removes the nodes that have been silent for Config.Expiry and returns them in ascending
// order. It costs nothing before NextExpiry.
func (c *Core) Expire(now time.Duration) ([]model.NodeID, error) {
	if err := c.advance(now); err != nil {
		return nil, err
	}
	if now < c.View().NextExpiry() {
		return nil, nil
	}
	var lost []model.NodeID
	c.oldest = now
	for _, n := range c.Nodes {
		if !n.Live {
			continue
		}
		if now-n.Seen >= c.Config.Expiry {
			lost = append(lost, n.ID)
			c.lose(n)
			continue
		}
		c.oldest = min(c.oldest, n.Seen)
	}
	c.end(calls.Call{Op: calls.Expire, At: now})
	return lost, nil
}

// NextExpiry returns the earliest time at which Expire can find a node silent for too long.
func (q View) NextExpiry() time.Duration { return q.c.oldest + q.c.Config.Expiry }

// lose removes a live node from the cluster.
func (c *Core) lose(n *NodeState) {
	c.countSlots(n, -1)
	n.Live = false
	c.uncall(n)
	n.Pending, n.Last = n.Pending[:0], n.Last[:0]
	c.Emit(event.Event{Type: event.Lost, Node: n.ID})
	for len(n.Atts) > 0 {
		c.drop(n.Atts[0], model.Reason{Cause: model.CauseNodeLost})
	}
	for _, j := range c.Active {
		if c.BadNodes(j) > 0 {
			c.newWork() // with fewer nodes the job may have to use those that it avoids
		}
		if len(j.Work[model.Reduce].Tasks) == 0 {
			continue
		}
		for m := range j.Work[model.Map].Tasks {
			if t := &j.Work[model.Map].Tasks[m]; t.State == TaskDone && t.Node == n.ID {
				c.Rerun(j, int32(m))
			}
		}
	}
	c.Dirty = true
}
