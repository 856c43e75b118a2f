package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// node is the Core's record of a machine. One that has only been named, as the place of a replica,
// has no groups yet.
type node struct {
	// What a look for a slot reads stands first, in one line of the cache, then what a heartbeat does.
	id      NodeID
	live    bool
	closed  bool // barred for some reason; apart, for speed
	barred  bars // why it takes no new tasks
	called  bool // in due.called
	slots   [kinds]int
	used    [kinds]int // slots held by attempts that are not suspended
	running [kinds]int // attempts that are not suspended

	groups      []int32 // by level: the node itself, its rack, wider groups
	atts        []int32 // live attempts, suspended ones included
	incarnation uint64
	seen        time.Duration

	pending []Action // for the next heartbeat
	last    []Action // answer to the last numbered heartbeat
	seq     uint64
	heard   uint64 // due.news of its last heartbeat, or of the last Due that named it

	name    string
	rack    string
	faults  int           // jobs that succeeded while they avoided it, as far as not forgiven
	faultAt time.Duration // of the last fault, or of the last that was forgiven
	numbers [kinds]slotNumbers
}

// free is the number of slots of kind k that are free; below 0 on a node that has joined again with
// fewer.
func (n *node) free(k TaskKind) int { return n.slots[k] - n.used[k] }

// open tells whether the node takes new tasks.
func (n *node) open() bool { return n.live && !n.closed }

// bars are why a live node takes no new tasks; 0 if it does.
type bars uint8

const (
	barCordoned bars = 1 << iota
	barFaults        // all jobs avoid it
)

// has tells whether a bar is there.
func (b bars) has(bar bars) bool { return b&bar != 0 }

// bar puts a bar there, or takes it away.
func (n *node) bar(bar bars, on bool) {
	n.barred &^= bar
	if on {
		n.barred |= bar
	}
	n.closed = n.barred != 0
}

// groupNames numbers the groups of one level of the network.
type groupNames struct {
	ids   map[string]int32
	names []string
}

func (g *groupNames) count() int { return len(g.names) }

func (g *groupNames) id(name string) int32 {
	id, ok := g.ids[name]
	if !ok {
		id = int32(len(g.names))
		g.ids[name] = id
		g.names = append(g.names, name)
	}
	return id
}

// NodeID gives the number of the node of that name, and reserves one for a node that has not
// joined.
func (c *Core) NodeID(name string) NodeID {
	if id, ok := c.names[name]; ok {
		return id
	}
	id := NodeID(len(c.nodes))
	c.names[name] = id
	c.nodes = append(c.nodes, &node{id: id, name: name})
	c.record(Call{Op: OpName, At: c.now, Text: name})
	return id
}

// Lookup gives the number of a node that has joined at some time.
func (q View) Lookup(name string) (NodeID, bool) {
	id, ok := q.c.names[name]
	return id, ok && q.c.nodes[id].groups != nil
}

// mostSlots is how many slots of a kind a node may have: a heartbeat may take time in proportion.
const mostSlots = 1 << 20

// Join adds a node, or brings one back: with another Incarnation, or after it was lost, what it ran
// and held is gone. Joining again with the same incarnation changes nothing but the slots.
func (c *Core) Join(now time.Duration, spec Node) (NodeID, error) {
	if err := c.advance(now); err != nil {
		return NoNode, err
	}
	path := strings.Split(spec.Rack, "/")
	if spec.Rack == "" {
		path = strings.Split(strings.Repeat("default/", c.cfg.RackDepth-1)+"default", "/")
	}
	switch {
	case spec.Name == "":
		return NoNode, fmt.Errorf("%w: no name", ErrBadNode)
	case spec.MapSlots < 0 || spec.ReduceSlots < 0 || spec.MapSlots > mostSlots || spec.ReduceSlots > mostSlots:
		return NoNode, fmt.Errorf("%w %s: %d map and %d reduce slots, want 0 to %d", ErrBadNode, spec.Name, spec.MapSlots, spec.ReduceSlots, mostSlots)
	case len(path) != c.cfg.RackDepth:
		return NoNode, fmt.Errorf("%w %s: rack %q has %d parts, want %d", ErrBadNode, spec.Name, spec.Rack, len(path), c.cfg.RackDepth)
	}
	_, known := c.names[spec.Name]
	id := c.nodeID(spec.Name)
	n := c.nodes[id]
	again := n.live && n.incarnation == spec.Incarnation
	restarted := n.incarnation != spec.Incarnation
	if n.live && !again {
		c.lose(n)
	}
	if known && (n.groups == nil || n.rack != spec.Rack) {
		c.topo++ // jobs may refer to it
	}
	c.countSlots(n, -1)
	n.rack, n.live, n.incarnation = spec.Rack, true, spec.Incarnation
	n.slots = [kinds]int{spec.MapSlots, spec.ReduceSlots}
	n.seen = now
	if !again {
		n.seq, n.heard = 0, 0
	}
	if restarted {
		c.absolve(n)
	}
	c.stand(n, path)
	c.countSlots(n, 1)
	c.dropUnfit(n)
	c.dirty = true
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventJoined, Node: id, Rack: spec.Rack, Slots: n.slots})
	}
	c.end(Call{Op: OpJoin, At: now, Join: &spec, Node: id})
	return id, nil
}

// stand notes where a node stands in the network.
func (c *Core) stand(n *node, path []string) {
	n.groups = []int32{int32(n.id)} // places of outputs may keep the former
	for l := 1; l <= c.cfg.RackDepth; l++ {
		n.groups = append(n.groups, c.groups[l].id(strings.Join(path[:len(path)-l+1], "/")))
	}
}

// dropUnfit kills the suspended attempts of a node that has become too small to resume them.
func (c *Core) dropUnfit(n *node) {
	for _, ai := range slices.Clone(n.atts) {
		if a := &c.atts[ai]; a.suspended && n.slots[a.id.Task.Kind] < int(a.job.slots) {
			c.kill(ai, Reason{Cause: CauseSuperseded}, false)
		}
	}
}

// slotNumbers is which slots of a node and kind are taken, as far as events tell.
type slotNumbers struct {
	taken []bool
	low   int32 // none below is free
}

// take takes count slots that lie side by side, the lowest that are free, and gives the first, from
// 1. Where none do within the node's slots, for tasks of several slots leave gaps, it is one beyond.
func (s *slotNumbers) take(count int32) int32 {
	for int(s.low) < len(s.taken) && s.taken[s.low] {
		s.low++
	}
	first, run := s.low, int32(0)
	for at := first; run < count; at++ {
		if int(at) == len(s.taken) {
			s.taken = append(s.taken, false)
		}
		if run++; s.taken[at] {
			first, run = at+1, 0
		}
	}
	for i := range count {
		s.taken[first+i] = true
	}
	return first + 1
}

// free gives back what take has given.
func (s *slotNumbers) free(first, count int32) {
	for i := range count {
		s.taken[first-1+i] = false
	}
	s.low = min(s.low, first-1)
}

// nodeID is NodeID without a record in the call log.
func (c *Core) nodeID(name string) NodeID {
	calls := c.cfg.Calls
	c.cfg.Calls = nil
	id := c.NodeID(name)
	c.cfg.Calls = calls
	return id
}

// countSlots adds (1) or takes away (-1) a node's slots and itself from the cluster's.
func (c *Core) countSlots(n *node, sign int) {
	c.cluster++
	if n.live {
		c.live += sign
	}
	if !n.open() {
		return
	}
	for k := range TaskKind(kinds) {
		c.slots[k] += sign * n.slots[k]
		c.room[k] += sign * max(0, n.free(k))
	}
}

// Cordon keeps new tasks from a node (true), or lets them in again; running ones go on, and
// suspended ones resume there as slots become free.
func (c *Core) Cordon(now time.Duration, id NodeID, cordoned bool) error {
	n, err := c.nodeAt(now, id)
	if err != nil {
		return err
	}
	changed := n.barred.has(barCordoned) != cordoned
	c.countSlots(n, -1)
	n.bar(barCordoned, cordoned)
	c.countSlots(n, 1)
	if changed && c.cfg.Events != nil {
		c.emit(Event{Type: EventCordoned, Node: id, State: map[bool]string{true: "cordoned", false: "open"}[cordoned]})
	}
	c.dirty = true
	if n.live && !cordoned {
		c.call(n)
	}
	c.end(Call{Op: OpCordon, At: now, Node: id, Flag: cordoned})
	return nil
}

// Leave takes a node out: its attempts and the map outputs that are still needed run again, without
// counting as failures.
func (c *Core) Leave(now time.Duration, id NodeID) error {
	n, err := c.nodeAt(now, id)
	if err != nil {
		return err
	}
	if n.live {
		c.lose(n)
	}
	c.end(Call{Op: OpLeave, At: now, Node: id})
	return nil
}

// nodeAt moves the clock and finds a node that has joined at some time.
func (c *Core) nodeAt(now time.Duration, id NodeID) (*node, error) {
	if err := c.advance(now); err != nil {
		return nil, err
	}
	if id < 0 || int(id) >= len(c.nodes) || c.nodes[id].groups == nil {
		return nil, fmt.Errorf("%w %d", ErrUnknownNode, id)
	}
	return c.nodes[id], nil
}

// Expire takes out the nodes that have been silent for Config.Expiry and returns them, lowest
// first. It costs nothing before NextExpiry.
func (c *Core) Expire(now time.Duration) ([]NodeID, error) {
	if err := c.advance(now); err != nil {
		return nil, err
	}
	if now < c.View().NextExpiry() {
		return nil, nil
	}
	var lost []NodeID
	c.oldest = now
	for _, n := range c.nodes {
		if !n.live {
			continue
		}
		if now-n.seen >= c.cfg.Expiry {
			lost = append(lost, n.id)
			c.lose(n)
			continue
		}
		c.oldest = min(c.oldest, n.seen)
	}
	c.end(Call{Op: OpExpire, At: now})
	return lost, nil
}

// NextExpiry is the earliest time at which Expire can find a node silent for too long.
func (q View) NextExpiry() time.Duration { return q.c.oldest + q.c.cfg.Expiry }

// lose takes a live node out of the cluster.
func (c *Core) lose(n *node) {
	c.countSlots(n, -1)
	n.live = false
	c.uncall(n)
	n.pending, n.last = n.pending[:0], n.last[:0]
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventLost, Node: n.id})
	}
	for len(n.atts) > 0 {
		c.drop(n.atts[0], Reason{Cause: CauseNodeLost})
	}
	for _, j := range c.active {
		if j.state.Ended() {
			continue
		}
		if j.trouble.avoided() > 0 {
			c.newWork() // of fewer nodes the job may have to use those that it avoids
		}
		if len(j.w[Reduce].tasks) == 0 {
			continue
		}
		for m := range j.w[Map].tasks {
			if t := &j.w[Map].tasks[m]; t.state == taskDone && t.node == n.id {
				c.rerun(j, int32(m))
			}
		}
	}
	c.dirty = true
}
