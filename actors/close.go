package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/scheduling"
)

// Drain takes no more jobs and waits until all that run have ended, or ctx has.
func (c *Cluster) Drain(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	select {
	case <-c.registry.whenIdle():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close kills what runs, waits until it has ended and stops the cluster. A second Close
// does nothing. User code that does not return after its job was killed is left behind
// after some seconds, and named in the error.
func (c *Cluster) Close() error {
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.mu.Unlock()
	c.submits.Wait()
	for _, r := range c.registry.runs() {
		_ = (&JobHandle{cluster: c, run: r}).Kill("the cluster is closed") // it may have ended
	}
	<-c.registry.whenIdle()
	c.mu.Lock()
	c.stopped = true
	nodes := c.nodes
	c.nodes = make([]*actor.PID, len(nodes))
	c.mu.Unlock()
	c.commands.Wait()
	var errs []error
	for _, pid := range nodes {
		if pid != nil {
			errs = append(errs, c.env.sys.stop(pid))
		}
	}
	errs = append(errs, c.env.sys.stop(c.jobTracker), c.env.sys.stop(c.nameNode))
	for _, p := range c.env.places {
		errs = append(errs, c.env.fs.Lose(dfs.NodeID(p.name), true)) // nobody waits for reports any more
	}
	c.env.sys.shutdown()
	errs = append(errs, c.await())
	c.env.buffers.Close()
	return errors.Join(errs...)
}

// await waits for the goroutines of attempts and endings.
func (c *Cluster) await() error {
	done := make(chan struct{})
	go func() {
		c.env.attempts.Wait()
		c.env.endings.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(endGrace):
		return errors.New("actors: user code of a killed job does not return")
	}
}

// node finds a node by name.
func (c *Cluster) node(name string) (scheduling.NodeID, error) {
	for _, p := range c.env.places {
		if p.name == name {
			return p.id, nil
		}
	}
	return scheduling.NoNode, fmt.Errorf("%w: %s", ErrUnknownNode, name)
}

// take removes a running node from the list and returns its actor.
func (c *Cluster) take(name string) (scheduling.NodeID, *actor.PID, error) {
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

// KillNode makes a node die as a power cut does: its attempts stop, its map outputs and
// blocks are gone, and the JobTracker hears nothing until the node expires.
func (c *Cluster) KillNode(name string) error {
	id, pid, err := c.take(name)
	if err != nil {
		return err
	}
	c.env.places[id].down.Store(true)
	return c.env.sys.Root.StopFuture(pid).Wait()
}

// StopNode takes a node out in good order: the JobTracker knows at once that what it ran
// and held must run elsewhere.
func (c *Cluster) StopNode(name string) error {
	id, pid, err := c.take(name)
	if err != nil {
		return err
	}
	c.env.places[id].down.Store(true)
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

// Cordon keeps new tasks from a node, or lets them in again; what it runs goes on.
func (c *Cluster) Cordon(name string, cordoned bool) error {
	id, err := c.node(name)
	if err != nil {
		return err
	}
	return c.command(func(jt *jobTracker) error {
		if !cordoned {
			jt.work++
		}
		return jt.core.Cordon(jt.env.now(), id, cordoned)
	})
}

// Reconfigure puts another policy in force, or leaves the old one on error.
func (c *Cluster) Reconfigure(p scheduling.Policy) error {
	return c.command(func(jt *jobTracker) error {
		jt.work++
		return jt.core.Reconfigure(jt.env.now(), p)
	})
}
