package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
)

// nameNode is the actor that tracks the nodes for the block store: it drops lost nodes and orders
// replicas to be re-created. Blocks themselves do not pass through it.
type nameNode struct {
	env   *env
	nodes map[dfs.NodeID]*member
	names map[string]dfs.NodeID // keyed by the actor's ID
}

// member is a node whose actor runs, as the NameNode sees it.
type member struct {
	pid  *actor.PID
	life uint64
	lost bool // the JobTracker has declared it lost; it keeps its blocks and may come back
}

// Messages to the NameNode.
type (
	// nodeUp announces a node's incarnation; the node repeats it from time to time.
	nodeUp struct {
		node dfs.NodeID
		pid  *actor.PID
		life uint64
	}

	// nodeLost is the JobTracker's message that an incarnation of a node is lost.
	nodeLost struct {
		node dfs.NodeID
		life uint64
	}

	// heal asks for orders that create missing replicas.
	heal struct{}
)

// Receive implements actor.Actor.
func (n *nameNode) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *nodeUp:
		n.up(c, m)
	case *nodeLost:
		if at := n.nodes[m.node]; at != nil && at.life <= m.life {
			at.lost = true
			n.lose(c, m.node, false)
		}
	case *heal:
		n.heal(c)
	case *actor.Terminated:
		id, known := n.names[m.Who.Id]
		delete(n.names, m.Who.Id)
		if at := n.nodes[id]; known && at != nil && at.pid.Equal(m.Who) { // no later actor has replaced it
			delete(n.nodes, id)
			n.lose(c, id, true)
		}
	}
}

// up adds a node with the replicas that it still has.
func (n *nameNode) up(c actor.Context, m *nodeUp) {
	id := m.node
	old := n.nodes[id]
	if old != nil && (m.life < old.life || m.life == old.life && old.lost) {
		return // a later incarnation, or the loss of this one, came first
	}
	if old == nil || !old.pid.Equal(m.pid) {
		c.Watch(m.pid)
		n.names[m.pid.Id] = id
	}
	n.nodes[id] = &member{pid: m.pid, life: m.life}
	if err := n.env.fs.Up(id); err != nil {
		n.env.cfg.Logger.Error("unknown node is up", "node", id, "err", err)
	}
	n.heal(c)
}

// lose drops a node and its replicas. A node that died loses its store; a node that was only silent
// may come back with it.
func (n *nameNode) lose(c actor.Context, id dfs.NodeID, died bool) {
	if err := n.env.fs.Lose(id, died); err != nil {
		n.env.cfg.Logger.Error("unknown node lost", "node", id, "err", err)
	}
	n.heal(c)
}

// heal orders nodes to create missing replicas.
func (n *nameNode) heal(c actor.Context) {
	for _, plan := range n.env.fs.PlanHeal() {
		if at := n.nodes[plan.To]; at != nil {
			c.Send(at.pid, &copyBlock{copy: plan})
		}
	}
}

// makeCopies creates the replicas that are due, in the order of the NameNode, which puts the blocks
// with the fewest replicas first. The rate is limited, so that jobs keep the network: a replica
// takes its length divided by Config.HealRate, and the next one is due that much later, or at once
// if its time comes before the next heartbeat. Replicas in one process share their bytes, so only
// the checksum takes time.
func (n *node) makeCopies() {
	cfg := &n.env.cfg
	for len(n.copies) > 0 && n.copyDue < n.env.now()+cfg.HeartbeatInterval {
		c := n.copies[0]
		n.copies = n.copies[1:]
		if cfg.HealRate > 0 {
			n.copyDue += time.Duration(float64(c.Length) / float64(cfg.HealRate) * float64(time.Second))
		}
		if err := n.env.fs.Copy(c); err != nil { // it calls no user code
			cfg.Logger.Warn("cannot copy a block", "block", c.Block, "to", c.To, "err", err)
		}
	}
}
