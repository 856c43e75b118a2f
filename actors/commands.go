package actors

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// node returns the ID of the node called name.
func (c *Cluster) node(name string) (scheduling.NodeID, error) {
	if p := c.env.placeOf(name); p != nil {
		return p.id, nil
	}
	return scheduling.NoNode, fmt.Errorf("%w: %s", scheduling.ErrUnknownNode, name)
}

// detach removes a running node from the list, cuts its network links and returns its actor.
func (c *Cluster) detach(name string) (scheduling.NodeID, *actor.PID, error) {
	id, err := c.node(name)
	if err != nil {
		return id, nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	pid := c.nodes[id]
	if pid == nil {
		return id, nil, fmt.Errorf("%w: %s does not run", scheduling.ErrUnknownNode, name)
	}
	c.nodes[id] = nil
	c.env.places[id].down.Store(true)
	c.env.network.cut(id)
	c.env.datasets.lose(name)
	return id, pid, nil
}

// Nodes lists the names of the nodes that run. The JobTracker learns of a dead node only when the
// node expires.
func (c *Cluster) Nodes() (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, pid := range c.nodes {
		if pid != nil {
			names = append(names, c.env.places[id].name)
		}
	}
	return names
}

// KillNode makes a node die as in a power cut: its attempts stop, its map outputs and blocks are
// lost, and the JobTracker learns of it only when the node expires.
func (c *Cluster) KillNode(name string) error {
	_, pid, err := c.detach(name)
	if err != nil {
		return err
	}
	return c.env.sys.kill(pid)
}

// StopNode shuts a node down in good order: the JobTracker learns at once that the node's attempts
// and outputs are lost.
func (c *Cluster) StopNode(name string) error {
	id, pid, err := c.detach(name)
	if err != nil {
		return err
	}
	err = c.env.sys.stop(pid)
	return errors.Join(err, c.ask(fmt.Sprint("leave of node ", id), func(jt *jobTracker) error {
		jt.log("leave", jt.core.Leave(jt.env.now(), id))
		return nil
	}))
}

// StartNode restarts a killed or stopped node. It begins without blocks and map outputs.
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

// Cordon keeps new tasks from a node or, with cordoned false, admits them. Attempts that run there
// continue, and suspended ones resume as slots become free.
func (c *Cluster) Cordon(name string, cordoned bool) error {
	id, err := c.node(name)
	if err != nil {
		return err
	}
	return c.ask("cordon", func(jt *jobTracker) error { return jt.core.Cordon(jt.env.now(), id, cordoned) })
}

// cordonAll keeps new tasks from all nodes.
func (c *Cluster) cordonAll() error {
	return c.ask("cordon all", func(jt *jobTracker) error {
		var errs []error
		for _, p := range jt.env.places {
			errs = append(errs, jt.core.Cordon(jt.env.now(), p.id, true))
		}
		return errors.Join(errs...)
	})
}

// Inspect calls f with the view of the scheduling.Core between two of its calls. f must not change
// the view, keep it or block. Inspect returns a panic of f as its error.
func (c *Cluster) Inspect(f func(scheduling.View)) error {
	return c.ask("inspect", func(jt *jobTracker) error {
		return isolate(func() error {
			f(jt.core.View())
			return nil
		})
	})
}

// Reload replaces the policy and the admission rules, for example by those of changed configuration
// files. On error it changes neither. Nil rules let everybody do everything, as in Config.
func (c *Cluster) Reload(p scheduling.Policy, rules *access.Rules) error {
	return c.ask("reload", func(jt *jobTracker) error {
		if err := jt.core.Reconfigure(jt.env.now(), p); err != nil {
			return err
		}
		jt.env.admission.Store(&admission{p, rules})
		return nil
	})
}

// ReloadFailed emits an event that says that changed configuration files were not applied, and why.
func (c *Cluster) ReloadFailed(why error) error {
	return c.ask("reload failed", func(jt *jobTracker) error {
		jt.happened = append(jt.happened, event.Event{
			At: jt.env.now(), Type: event.ReloadFailed, Node: scheduling.NoNode, Err: why.Error(),
		})
		return nil
	})
}

// Rules returns the current admission rules, which the caller must not change; nil lets everybody
// do everything.
func (c *Cluster) Rules() *access.Rules { return c.env.admission.Load().rules }

// command is a program's request to the JobTracker. apply runs in the JobTracker's goroutine; its
// error is the answer. reply must be buffered.
type command struct {
	noDeadLetter
	name  string // for the count of its panics
	apply func(*jobTracker) error
	reply chan error
}

// ask makes the JobTracker execute a command and waits for its answer.
func (c *Cluster) ask(name string, apply func(*jobTracker) error) error {
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		return ErrClosed
	}
	c.commands.Add(1)
	c.mu.Unlock()
	defer c.commands.Done()
	m := &command{name: name, apply: apply, reply: make(chan error, 1)}
	c.env.sys.Root.Send(c.env.jobTracker, m)
	return <-m.reply
}
