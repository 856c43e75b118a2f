package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
)

// nameNode is the actor that keeps the block store's view of the nodes: it takes their
// reports, gives up those that are gone and has lost replicas made again. Bytes do not
// pass through it.
type nameNode struct {
	env  *env
	pids map[dfs.NodeID]*actor.PID
}

// Receive implements actor.Actor.
func (n *nameNode) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *announce:
		if pid := n.pids[m.node]; pid != nil {
			c.Send(pid, &reportBlocks{})
		}
	case *blockReport:
		n.report(c, m.report)
	case *nodeUp:
		n.up(c, m)
	case *nodeLost:
		n.lose(c, m.node)
	case *actor.Terminated:
		for id, pid := range n.pids {
			if pid.Equal(m.Who) {
				n.lose(c, id)
			}
		}
	}
}

// up takes a node in, with all that its store holds. What came to the store after that
// report may have been announced before the node was known, so it is asked for.
func (n *nameNode) up(c actor.Context, m *nodeUp) {
	id := m.report.Node
	if old := n.pids[id]; old == nil || !old.Equal(m.pid) {
		n.pids[id] = m.pid
		c.Watch(m.pid)
	}
	n.report(c, m.report)
	c.Send(m.pid, &reportBlocks{})
}

func (n *nameNode) report(c actor.Context, r dfs.Report) {
	if err := n.env.fs.Report(r); err != nil {
		n.env.cfg.Logger.Error("block report refused", "node", r.Node, "err", err)
	}
	n.heal(c)
}

// lose gives up a node and its replicas.
func (n *nameNode) lose(c actor.Context, id dfs.NodeID) {
	delete(n.pids, id)
	if err := n.env.fs.Lose(id, true); err != nil {
		n.env.cfg.Logger.Error("unknown node lost", "node", id, "err", err)
	}
	n.heal(c)
}

// heal orders the copies that the store lacks.
func (n *nameNode) heal(c actor.Context) {
	for _, plan := range n.env.fs.PlanHeal() {
		if pid := n.pids[plan.To]; pid != nil {
			c.Send(pid, &copyBlock{copy: plan})
		}
	}
}
