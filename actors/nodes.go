package actors

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/scheduling"
)

// node finds a node by name.
func (c *Cluster) node(name string) (scheduling.NodeID, error) {
	if p := c.env.placeOf(name); p != nil {
		return p.id, nil
	}
	return scheduling.NoNode, fmt.Errorf("%w: %s", ErrUnknownNode, name)
}

// detach removes a running node from the list, cuts it off and returns its actor.
func (c *Cluster) detach(name string) (scheduling.NodeID, *actor.PID, error) {
	id, err := c.node(name)
	if err != nil {
		return id, nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	pid := c.nodes[id]
	if pid == nil {
		return id, nil, fmt.Errorf("%w: %s does not run", ErrUnknownNode, name)
	}
	c.nodes[id] = nil
	c.env.places[id].down.Store(true)
	c.env.network.cut(id)
	c.env.datasets.lose(name)
	return id, pid, nil
}

// Nodes lists the names of all nodes, also of those that do not run.
func (c *Cluster) Nodes() []string {
	names := make([]string, len(c.env.places))
	for i, p := range c.env.places {
		names[i] = p.name
	}
	return names
}

// NodeUp tells whether a node runs, as far as this process knows: the JobTracker hears of one that
// died when it expires.
func (c *Cluster) NodeUp(name string) (bool, error) {
	id, err := c.node(name)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nodes[id] != nil, nil
}

// KillNode makes a node die as a power cut does: its attempts stop, its map outputs and
// blocks are gone, and the JobTracker hears nothing until the node expires.
func (c *Cluster) KillNode(name string) error {
	_, pid, err := c.detach(name)
	if err != nil {
		return err
	}
	return c.env.sys.kill(pid)
}

// StopNode takes a node out in good order: the JobTracker knows at once that what it ran
// and held must run elsewhere.
func (c *Cluster) StopNode(name string) error {
	id, pid, err := c.detach(name)
	if err != nil {
		return err
	}
	err = c.env.sys.stop(pid)
	c.env.sys.Root.Send(c.jobTracker, &leave{node: id})
	return err
}

// StartNode starts a node again that was killed or stopped, empty.
func (c *Cluster) StartNode(name string) error {
	id, err := c.node(name)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return ErrClosed
	}
	if c.nodes[id] == nil {
		c.nodes[id] = c.spawnNode(id)
	}
	return nil
}

// Cordon keeps new tasks from a node, or lets them in again; what it runs goes on, and what is
// suspended there resumes as slots become free.
func (c *Cluster) Cordon(name string, cordoned bool) error {
	id, err := c.node(name)
	if err != nil {
		return err
	}
	return c.ask(&cordonNode{id, cordoned})
}

// Inspect calls f with the view of the scheduling.Core between two of its calls. f
// must not change it, keep it or block; its panic is the error.
func (c *Cluster) Inspect(f func(scheduling.View)) error {
	return c.ask(&inspect{f})
}
