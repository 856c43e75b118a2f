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
	return errors.Join(err, c.ask(&leave{id}))
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
	return c.ask(&cordonNodes{[]scheduling.NodeID{id}, cordoned})
}

// Inspect calls f with the view of the scheduling.Core between two of its calls. f must not change
// the view, keep it or block. Inspect returns a panic of f as its error.
func (c *Cluster) Inspect(f func(scheduling.View)) error {
	return c.ask(&inspect{f})
}

// Reload replaces the policy and the admission rules, for example by those of changed configuration
// files. On error it changes neither. Nil rules let everybody do everything, as in Config.
func (c *Cluster) Reload(p scheduling.Policy, rules *access.Rules) error {
	return c.ask(&reload{p, rules})
}

// ReloadFailed emits an event that says that changed configuration files were not applied, and why.
func (c *Cluster) ReloadFailed(why error) error { return c.ask(&reloadFailed{why}) }

// Rules returns the current admission rules, which the caller must not change; nil lets everybody
// do everything.
func (c *Cluster) Rules() *access.Rules { return c.env.admission.Load().rules }

// command is a program's request to the JobTracker. apply runs in the JobTracker's goroutine; its
// error is the answer.
type command interface{ apply(jt *jobTracker) error }

// asked carries a command to the JobTracker. reply must be buffered.
type asked struct {
	command command
	reply   chan error
}

// ask makes the JobTracker execute a command and waits for its answer.
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
	c.env.sys.Root.Send(c.env.jobTracker, a)
	return <-a.reply
}

// The commands that programs give to the JobTracker.
type (
	// killJob kills a job that has not ended; the job's error wraps why.
	killJob struct {
		run *run
		why error
	}

	// setPriority changes the priority of a job.
	setPriority struct {
		run *run
		to  scheduling.Priority
	}

	// setPool moves a job to another pool or queue, if the rules let `by` do so.
	setPool struct {
		run *run
		by  access.Principal
		to  string
	}

	// cordonNodes keeps new tasks from nodes or admits them.
	cordonNodes struct {
		nodes    []scheduling.NodeID
		cordoned bool
	}

	// inspect passes the Core's view to a function of the user.
	inspect struct{ look func(scheduling.View) }

	// reload replaces the policy and the admission rules: both or, on error, neither.
	reload struct {
		policy scheduling.Policy
		rules  *access.Rules
	}

	// submit passes a prepared job to the Core, as a new one or one that continues. kept lists the
	// tasks whose output exists already.
	submit struct {
		run  *run
		spec scheduling.JobSpec
		kept []int32
	}

	// leave says that a node shuts down in good order.
	leave struct{ node scheduling.NodeID }

	// reloadFailed emits an event that says why changed configuration files were not applied.
	reloadFailed struct{ why error }
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
	if rules := jt.env.admission.Load().rules; rules != nil {
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

// notEnded returns an error if the job has ended.
func (jt *jobTracker) notEnded(r *run) error {
	if jt.runs[r.id] != r {
		return fmt.Errorf("%w: %v", scheduling.ErrJobEnded, r.id)
	}
	return nil
}

func (m *leave) apply(jt *jobTracker) error {
	jt.log("leave", jt.core.Leave(jt.env.now(), m.node))
	return nil
}

func (m *cordonNodes) apply(jt *jobTracker) error {
	var errs []error
	for _, id := range m.nodes {
		errs = append(errs, jt.core.Cordon(jt.env.now(), id, m.cordoned))
	}
	return errors.Join(errs...)
}

func (m *inspect) apply(jt *jobTracker) error {
	return isolate(func() error {
		m.look(jt.core.View())
		return nil
	})
}

// apply changes the policy and, if the Core accepts it, the admission rules: both or neither.
func (m *reload) apply(jt *jobTracker) error {
	if err := jt.core.Reconfigure(jt.env.now(), m.policy); err != nil {
		return err
	}
	jt.env.admission.Store(&admission{m.policy, m.rules})
	return nil
}

func (m *reloadFailed) apply(jt *jobTracker) error {
	jt.happened = append(jt.happened, event.Event{
		At: jt.env.now(), Type: event.ReloadFailed, Node: scheduling.NoNode, Err: m.why.Error(),
	})
	return nil
}
