package actors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// Cluster is a live cluster of emulated nodes in this process. Its methods are safe for concurrent
// use. For a node that does not exist, they return an error that wraps [scheduling.ErrUnknownNode];
// KillNode and StopNode also do for one that does not run.
type Cluster struct {
	env    *env
	inputs atomic.Int64 // directories of blocks that chosen has made

	mu      sync.Mutex
	nodes   []*actor.PID // by NodeID; nil while stopped
	closed  bool         // accepts no jobs, also none that is being prepared
	stopped bool         // the actors are stopped

	submits  sync.WaitGroup // Submits in progress; none begins once closed
	commands sync.WaitGroup // commands in progress; none begins once stopped
}

// errWorker is returned by Start in a process that was started as a worker.
var errWorker = errors.New("a worker process cannot start a cluster; call actors.Run")

// Start starts a cluster and waits until all nodes have registered. The error lists every mistake
// in the configuration.
func Start(cfg Config) (*Cluster, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if worker.IsWorker() {
		return nil, errWorker
	}
	cfg = cfg.withDefaults()
	durable, err := cfg.State.Former()
	if err != nil {
		return nil, err
	}
	e := &env{cfg: cfg, start: time.Now(), durable: durable, memory: cluster.NewMemory(cfg.Memory), byName: map[string]*place{}}
	e.start = e.start.Add(-e.durable.Now) // the clock continues from the previous cluster's
	policy, err := cfg.policy()
	if err != nil {
		return nil, err
	}
	e.admission.Store(&admission{policy, cfg.Rules})
	e.buffers = cluster.NewBuffers(e.memory, max(cfg.IdleMemory, 0))
	e.spills = cluster.NewSpills(cfg.SpillDir)
	if cfg.spillFile != nil {
		e.spills = cluster.NewSpillsOn(cfg.spillFile)
	}
	e.chaos = newChaosInjector(cfg.Chaos)
	if n := cfg.computing(); n > 0 {
		e.computeTokens = make(chan struct{}, n)
	}
	var nodes []dfs.Node
	for i := range cfg.Nodes {
		p := &place{id: scheduling.NodeID(i), name: fmt.Sprintf("node-%02d", i), rack: fmt.Sprintf("rack-%d", i%cfg.Racks)}
		e.places, e.byName[p.name] = append(e.places, p), p
		nodes = append(nodes, dfs.Node{ID: dfs.NodeID(p.name), Rack: p.rack})
	}
	e.network = newNetwork(cfg.Network, cfg.Nodes, cfg.Racks)
	e.tellBeginning(&policy)
	c := &Cluster{env: e, nodes: make([]*actor.PID, cfg.Nodes)}
	e.fs, err = dfs.New(dfs.Config{
		Nodes: nodes, Replication: cfg.Replication, BlockSize: cfg.BlockSize, Seed: cfg.Seed,
		Degraded: func() { e.sys.Root.Send(e.nameNode, &heal{}) },
	})
	if err != nil {
		return nil, err
	}
	if err := c.spawn(); err != nil {
		return nil, err
	}
	return c, nil
}

// spawn starts the actors and waits until all nodes have registered.
func (c *Cluster) spawn() error {
	e := c.env
	deliver := e.cfg.deliver
	if e.chaos != nil {
		deliver = e.chaos.deliver
	}
	e.sys = newSystem(e.cfg.Logger, deliver)
	e.nameNode = e.sys.Root.Spawn(e.sys.props(func() actor.Actor {
		return &nameNode{env: e, nodes: map[dfs.NodeID]*member{}, names: map[string]dfs.NodeID{}}
	}))
	e.joining.Add(len(e.places))
	ledger := newLedger(len(e.places)) // shared by the JobTracker and its restarts
	first, err := newJobTracker(e, ledger)
	if err != nil {
		err = errors.Join(err, e.sys.stop(e.nameNode))
		e.sys.Shutdown()
		e.buffers.Close()
		return err
	}
	e.jobTracker = e.sys.Root.Spawn(e.sys.props(func() actor.Actor {
		if jt := first; jt != nil {
			first = nil
			return jt
		}
		jt, err := newJobTracker(e, ledger)
		if err != nil {
			panic(err) // the same configuration worked before
		}
		return jt
	}))
	for i := range e.places {
		c.nodes[i] = c.spawnNode(scheduling.NodeID(i))
	}
	e.joining.Wait()
	if e.chaos != nil {
		go e.chaos.run(c)
	}
	return nil
}

func (c *Cluster) spawnNode(id scheduling.NodeID) *actor.PID {
	e := c.env
	return e.sys.Root.Spawn(e.sys.props(func() actor.Actor {
		return &node{env: e, at: e.places[id]}
	}))
}

// FS returns the cluster's block store.
func (c *Cluster) FS() *dfs.FS { return c.env.fs }

// haltPoll is the interval at which Halt checks whether attempts are still computing.
const haltPoll = 10 * time.Millisecond

// Halt ends all jobs gently. It accepts no more jobs and launches no more tasks. Attempts that
// compute may finish until ctx ends; then Halt kills the jobs and removes their output. It does not
// wait for reduces whose maps will not run.
func (c *Cluster) Halt(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.env.chaos.end()
	c.submits.Wait()
	c.env.cfg.State.Stop()
	all := &cordonNodes{cordoned: true}
	for _, p := range c.env.places {
		all.nodes = append(all.nodes, p.id)
	}
	err := c.ask(all)
	for c.computing() && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(haltPoll):
		}
	}
	c.killAll("halted")
	for _, r := range c.env.registry.runs() {
		<-r.done
	}
	return err
}

// computing reports whether any attempt that the JobTracker counts as active does more than wait
// for maps.
func (c *Cluster) computing() bool {
	for _, r := range c.env.registry.runs() {
		r.mu.Lock()
		n := r.tally.tasks[scheduling.Map].Running + r.tally.tasks[scheduling.Reduce].Running
		for a := range r.live {
			if a.idling.Load() {
				n--
			}
		}
		r.mu.Unlock()
		if n > 0 {
			return true
		}
	}
	return false
}

func (c *Cluster) killAll(why string) {
	for _, r := range c.env.registry.runs() {
		_ = (&JobHandle{cluster: c, run: r}).Kill(why) // a job that has ended meanwhile is not an error
	}
}

// Close kills all jobs, waits until they have ended, releases all datasets and stops the cluster. A
// concurrent Submit returns [ErrClosed]. A second Close does nothing.
//
// Close abandons attempts whose user code does not return within some seconds: it logs each one,
// and their goroutines run on until the code returns. If a job does not complete or remove its
// output within Config.TaskTimeout plus some seconds, Close returns an error that wraps
// ErrTaskTimeout and names the job; its output may then be incomplete.
func (c *Cluster) Close() error {
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.mu.Unlock()
	c.env.chaos.end()
	c.submits.Wait()
	c.env.cfg.State.Stop()
	c.killAll("the cluster is closed")
	left := c.idle()
	c.mu.Lock()
	c.stopped = true
	nodes := c.nodes
	c.nodes = make([]*actor.PID, len(nodes))
	c.mu.Unlock()
	c.commands.Wait()
	errs := []error{c.env.sys.stop(nodes...), c.env.sys.stop(c.env.jobTracker), c.env.sys.stop(c.env.nameNode)}
	c.env.sys.Shutdown()
	if errs = append(errs, left); left == nil {
		c.env.endings.Wait()
	}
	for _, l := range c.env.datasets.close() {
		l.release()
	}
	c.env.buffers.Close()
	return errors.Join(errs...)
}

// idle waits until all jobs have ended. It waits at most Config.TaskTimeout, for user code that
// completes or removes an output, plus the time in which attempts stop.
func (c *Cluster) idle() error {
	var late <-chan time.Time // never without a limit
	if limit := c.env.cfg.TaskTimeout; limit >= 0 {
		timer := time.NewTimer(limit + endGrace + abandonAfter)
		defer timer.Stop()
		late = timer.C
	}
	for _, r := range c.env.registry.runs() {
		select {
		case <-r.done:
			continue
		case <-late:
		}
		var errs []error
		for _, r := range c.env.registry.runs() {
			errs = append(errs, fmt.Errorf("%w: the end of %v %q does not return, its output may be incomplete",
				ErrTaskTimeout, r.id, r.name))
		}
		return errors.Join(errs...)
	}
	return nil
}
