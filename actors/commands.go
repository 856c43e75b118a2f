package actors

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/event"
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

// Reload puts a policy and the rules of admission in force that changed configuration files
// ask for, both or, on error, neither. Rules as in Config; nil lets everybody do everything.
func (c *Cluster) Reload(p scheduling.Policy, rules *allocation.Rules) error {
	return c.ask(&reload{p, rules})
}

// Reconfigure puts another policy in force, or leaves the old one on error.
func (c *Cluster) Reconfigure(p scheduling.Policy) error { return c.ask(&reconfigure{p}) }

// ReloadFailed tells the sink of events that changed configuration files were not put in
// force, and why.
func (c *Cluster) ReloadFailed(why error) error { return c.ask(&reloadFailed{why}) }

// command is what a program asks of the JobTracker. apply does it on the JobTracker's turn; its error
// is the answer.
type command interface{ apply(jt *jobTracker) error }

// asked carries a command to the JobTracker. reply has room for the answer.
type asked struct {
	noDeadLetter
	command command
	reply   chan error
}

// ask has the JobTracker carry out a command and waits for its answer.
func (c *Cluster) ask(m command) error {
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		return ErrClosed
	}
	c.commands.Add(1)
	c.mu.Unlock()
	defer c.commands.Done()
	a := &asked{command: m, reply: make(chan error, 1)}
	c.env.sys.Root.Send(c.jobTracker, a)
	return <-a.reply
}

// The commands.
type (
	// killJob kills a job that has not ended, for a reason that its error wraps.
	killJob struct {
		run *run
		why error
	}

	// setPriority changes the priority of a job.
	setPriority struct {
		run *run
		to  scheduling.Priority
	}

	// setPool moves a job to another pool or queue, if the rules let who asks.
	setPool struct {
		run *run
		by  allocation.Principal
		to  string
	}

	// cordonNode keeps new tasks from a node, or lets them in again.
	cordonNode struct {
		node     scheduling.NodeID
		cordoned bool
	}

	// cordonAll keeps new tasks from all nodes.
	cordonAll struct{}

	// inspect shows the Core to a function of the user's.
	inspect struct{ look func(scheduling.View) }

	// reconfigure puts a policy in force.
	reconfigure struct{ policy scheduling.Policy }

	// reload puts a policy and the rules of admission in force, both or, on error, neither.
	reload struct {
		policy scheduling.Policy
		rules  *allocation.Rules
	}

	// reloadFailed tells the sink of events why changed configuration files are not in force.
	reloadFailed struct{ why error }

	// readAdmission fills in the rules and the policy in force, which a reload changes together.
	readAdmission struct {
		rules  *allocation.Rules
		policy scheduling.Policy
	}
)

func (m *killJob) apply(jt *jobTracker) error {
	if jt.runs[m.run.id] != m.run {
		return nil // it has ended
	}
	m.run.mu.Lock()
	m.run.why = m.why
	m.run.mu.Unlock()
	return jt.core.Kill(jt.env.now(), m.run.id)
}

func (m *setPriority) apply(jt *jobTracker) error {
	if err := jt.notEnded(m.run); err != nil {
		return err
	}
	return jt.core.SetPriority(jt.env.now(), m.run.id, m.to)
}

func (m *setPool) apply(jt *jobTracker) error {
	if err := jt.notEnded(m.run); err != nil {
		return err
	}
	if rules := jt.env.rules.Load(); rules != nil {
		job, err := jt.core.View().Glance(m.run.id)
		if err == nil {
			err = rules.Move(m.by, m.run.who.User, job.Pool, m.to)
		}
		if err != nil {
			return err
		}
	}
	return jt.core.SetPool(jt.env.now(), m.run.id, m.to)
}

// notEnded is an error if a job has ended.
func (jt *jobTracker) notEnded(r *run) error {
	if jt.runs[r.id] != r {
		return fmt.Errorf("%w: %v", scheduling.ErrJobEnded, r.id)
	}
	return nil
}

func (m *cordonNode) apply(jt *jobTracker) error {
	return jt.core.Cordon(jt.env.now(), m.node, m.cordoned)
}

func (cordonAll) apply(jt *jobTracker) error {
	var errs []error
	for _, p := range jt.env.places {
		errs = append(errs, jt.core.Cordon(jt.env.now(), p.id, true))
	}
	return errors.Join(errs...)
}

func (m *inspect) apply(jt *jobTracker) error {
	return isolate(func() error {
		m.look(jt.core.View())
		return nil
	})
}

func (m *reconfigure) apply(jt *jobTracker) error {
	if err := jt.core.Reconfigure(jt.env.now(), m.policy); err != nil {
		return err
	}
	jt.env.policy.Store(&m.policy)
	return nil
}

func (m *reload) apply(jt *jobTracker) error {
	if err := (&reconfigure{m.policy}).apply(jt); err != nil {
		return err
	}
	jt.env.rules.Store(m.rules)
	return nil
}

func (m *reloadFailed) apply(jt *jobTracker) error {
	jt.happened = append(jt.happened, event.Event{
		At: jt.env.now(), Type: event.ReloadFailed, Node: scheduling.NoNode, Err: m.why.Error(),
	})
	return nil
}

func (m *readAdmission) apply(jt *jobTracker) error {
	m.rules, m.policy = jt.env.rules.Load(), jt.core.View().Policy()
	return nil
}

// Rules are the rules of admission in force, not to be changed; nil lets everybody do everything.
func (c *Cluster) Rules() *allocation.Rules { return c.env.rules.Load() }

// SetPoolBy is SetPool by somebody else than the submitter, if Config.Rules let them administer the
// job where it is and submit where it goes.
func (h *JobHandle) SetPoolBy(who allocation.Principal, name string) error {
	return h.cluster.ask(&setPool{h.run, who, name})
}
