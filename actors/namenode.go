package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
)

// nameNode is the actor that keeps the block store's view of the nodes: it takes their
// reports, gives up those that are gone and has lost replicas made again. Bytes do not
// pass through it.
type nameNode struct {
	env   *env
	nodes map[dfs.NodeID]*member
	names map[string]dfs.NodeID // by the actor's ID
}

// member is a node whose actor runs.
type member struct {
	pid  *actor.PID
	life uint64
	// lost: the JobTracker has given it up. It keeps its store, to report it when it is heard again.
	lost bool
}

// Messages to the NameNode.
type (
	// announce says that a node's store has changed.
	announce struct {
		noDeadLetter
		node dfs.NodeID
	}

	// blockReport is a node's report of its store.
	blockReport struct {
		noDeadLetter
		report dfs.Report
		life   uint64
	}

	// nodeUp is the first word of a node's life, with a full report, said again now and then.
	nodeUp struct {
		noDeadLetter
		report dfs.Report
		pid    *actor.PID
		life   uint64
	}

	// nodeLost is the JobTracker's word that a life of a node is over.
	nodeLost struct {
		noDeadLetter
		node dfs.NodeID
		life uint64
	}
)

// Receive implements actor.Actor.
func (n *nameNode) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *announce:
		if at := n.nodes[m.node]; at != nil && !at.lost {
			c.Send(at.pid, &reportBlocks{})
		}
	case *blockReport:
		at := n.nodes[m.report.Node]
		if at != nil && at.life == m.life && !at.lost { // a former life's word is void
			n.report(c, m.report)
		}
	case *nodeUp:
		n.up(c, m)
	case *nodeLost:
		if at := n.nodes[m.node]; at != nil && at.life <= m.life {
			at.lost = true
			n.lose(c, m.node, false)
		}
	case *actor.Terminated:
		id, known := n.names[m.Who.Id]
		delete(n.names, m.Who.Id)
		if at := n.nodes[id]; known && at != nil && at.pid.Equal(m.Who) { // nobody took its place
			delete(n.nodes, id)
			n.lose(c, id, true)
		}
	}
}

// up takes a node in, with all that its store holds. What came to the store after that
// report may have been announced before the node was known, so it is asked for.
func (n *nameNode) up(c actor.Context, m *nodeUp) {
	id := m.report.Node
	old := n.nodes[id]
	if old != nil && (m.life < old.life || m.life == old.life && old.lost) {
		return // overtaken by a later life, or by the loss of this one
	}
	if old == nil || !old.pid.Equal(m.pid) {
		c.Watch(m.pid)
		n.names[m.pid.Id] = id
	}
	n.nodes[id] = &member{pid: m.pid, life: m.life}
	n.report(c, m.report)
	c.Send(m.pid, &reportBlocks{})
}

func (n *nameNode) report(c actor.Context, r dfs.Report) {
	if err := n.env.fs.Report(r); err != nil {
		n.env.cfg.Logger.Error("block report refused", "node", r.Node, "err", err)
	}
	n.heal(c)
}

// lose gives up a node and its replicas. One that died loses its store, too; one that was silent
// may come back with it.
func (n *nameNode) lose(c actor.Context, id dfs.NodeID, died bool) {
	if err := n.env.fs.Lose(id, died); err != nil {
		n.env.cfg.Logger.Error("unknown node lost", "node", id, "err", err)
	}
	n.heal(c)
}

// heal orders the copies that the store lacks.
func (n *nameNode) heal(c actor.Context) {
	for _, plan := range n.env.fs.PlanHeal() {
		if at := n.nodes[plan.To]; at != nil {
			c.Send(at.pid, &copyBlock{copy: plan})
		}
	}
}

// copies are the replicas that a node is to make, those in need first, as the NameNode ordered
// them. They go at a limited rate, so that healing leaves the network to the jobs.
type copies struct {
	queue []dfs.Copy
	free  time.Duration // from when on the next may begin
}

// add takes an order; one for a replica that waits to be made changes nothing.
func (q *copies) add(c dfs.Copy, e *env) {
	for _, waiting := range q.queue {
		if waiting.Block == c.Block {
			return
		}
	}
	q.queue = append(q.queue, c)
	q.free = max(q.free, e.now())
}

// next is the replica that may be made now, if there is one. A copy takes the time that its bytes
// take at the rate, in bytes a second; the next one waits so long, unless its turn comes before the
// next heartbeat.
func (q *copies) next(now, beat time.Duration, rate int64) (c dfs.Copy, ok bool) {
	if len(q.queue) == 0 || q.free >= now+beat {
		return c, false
	}
	c, q.queue = q.queue[0], q.queue[1:]
	if rate > 0 {
		q.free += time.Duration(float64(c.Length) / float64(rate) * float64(time.Second))
	}
	return c, true
}

// makeCopies makes the replicas that are due. Replicas of one process share their bytes; only the
// check of their sums takes time.
func (n *node) makeCopies() {
	for {
		c, ok := n.copies.next(n.env.now(), n.env.cfg.HeartbeatInterval, n.env.cfg.HealRate)
		if !ok {
			return
		}
		err := isolate(func() error { return n.env.fs.Copy(c) }) // of a source of the user's, maybe
		if err != nil {
			n.env.cfg.Logger.Warn("cannot copy a block", "block", c.Block, "to", c.To, "err", err)
		}
	}
}
