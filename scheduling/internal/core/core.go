// Package core implements package scheduling without the policies: the state of the JobTracker, the
// calls that change it, the offers of slots to jobs, the questions of a View, and the interfaces of
// orders, placements and speculation.
//
// Reading order: package model, core.go, order.go, heartbeat.go, offer.go, placement.go, then a
// policy, such as package flat, and the rest.
package core

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// The errors of Core's methods; match them with errors.Is.
var (
	ErrTimeBackwards = errors.New("scheduling: time goes backwards")
	ErrUnknownNode   = errors.New("scheduling: unknown node")
	ErrUnknownJob    = errors.New("scheduling: unknown job")
	ErrUnknownTask   = errors.New("scheduling: unknown task")
	ErrUnknownPool   = errors.New("scheduling: unknown pool")
	ErrUnknownQueue  = errors.New("scheduling: unknown queue")
	ErrQueueFull     = errors.New("scheduling: queue is full")
	ErrJobEnded      = errors.New("scheduling: the job has ended")
	ErrUnknownPolicy = errors.New("scheduling: unknown policy") // no preset or order has the requested name
	ErrBadJob        = errors.New("scheduling: bad job")
	ErrBadNode       = errors.New("scheduling: bad node")
)

// Config holds the settings that are not part of a policy. The zero value is usable.
type Config struct {
	// HeartbeatInterval is the nodes' heartbeat interval, used to compute automatic waits; 0 means
	// HeartbeatInterval(number of nodes).
	HeartbeatInterval time.Duration
	Expiry            time.Duration // a node silent for this long is lost; 0 means 10 min
	MaxAttempts       int           // failures of one task that fail its job; 0 means 4
	History           int           // number of ended jobs to remember; 0 means 1000, negative all
	// Parts are custom orders and placements. The call log does not contain their answers: a run
	// replays only with the same parts.
	Parts Parts `json:"-"`
	// Fork, if not nil, makes a job launch a task at one offer that it would have refused. A call
	// log of such a run replays only with the same Fork.
	Fork *Fork `json:"-"`
	// Explain records for View.Skips why jobs got no slot, and emits events for it: for each job
	// that refused an offer, and for up to 8 of those without an offer, which take turns.
	Explain bool
	// Events, if not nil, is called for each event, within the call that causes it. It must not
	// call the Core.
	Events func(event.Event) `json:"-"`
	// Calls, if not nil, is called for each call that changes the Core, with its answer; see
	// Replay. The Call and everything it points to are valid only during the call.
	Calls func(*calls.Call) `json:"-"`
}

// HeartbeatInterval returns Hadoop's heartbeat interval: 1 s per 100 nodes, at least 300 ms.
func HeartbeatInterval(nodes int) time.Duration {
	return max(300*time.Millisecond, time.Duration(nodes)*10*time.Millisecond)
}

// Core is the JobTracker's state machine. Its methods take the time since the cluster's start,
// which must never decrease. It is not safe for concurrent use.
type Core struct {
	built  *Policies
	Config Config
	Policy model.Policy
	Now    time.Duration
	Dirty  bool // the set of jobs that may launch must be recomputed

	Nodes  []*NodeState
	Names  map[string]model.NodeID
	Racks  map[string]int32   // number by name
	Topo   int                // increases when a known node gets its rack; jobs are then indexed again
	near   [2]index.BitMatrix // for nodes and for racks: which jobs may have a pending map in which
	oldest time.Duration      // no live node has sent its last heartbeat earlier

	Jobs    map[model.JobID]*Job       // active and remembered ones
	LastJob model.JobID                // the last ID assigned
	awaited map[model.JobID]DurableJob // restored, not yet resumed
	past    []model.JobID              // remembered ended jobs, oldest end first; unused if all are remembered
	Active  []*Job                     // not ended, in submission order
	Held    int                        // jobs in Active that may not launch
	Indexes int32                      // number of dense job indexes (Job.Index), in use or free
	vacant  []int32                    // dense job indexes that are free

	Attempts []Attempt // slab of live attempts; it also has free places
	free     []int32   // the free indexes of Attempts

	Slots   [model.Kinds]int // slots of live nodes that are not cordoned
	Room    [model.Kinds]int // free slots among these
	Waiting [model.Kinds]int // tasks of jobs that have not ended, waiting for their launch
	Slow    [model.Kinds]int // running tasks that should get a speculative attempt
	Running [model.Kinds]int // attempts that are not suspended
	Load    [model.Kinds]int // sum of Job.Load
	Live    int              // live nodes
	Cluster uint64           // changes when nodes or slots come or go
	Suspend int              // suspended attempts

	Order       Order
	Placement   [model.Kinds]Placement
	Speculation Speculation

	Beat     uint64                       // number of heartbeats so far that asked for work
	forked   bool                         // Config.Fork has had its effect
	refusals Records[[model.Kinds]uint64] // by job: Beat at its last refusal that holds for its whole heartbeat
	Actions  []model.Action               // the answer to the current heartbeat
	skips    []model.Skip                 // why jobs got no slot in the last heartbeat that asked for work
	told     Records[jobTold]             // what events last reported of each job
	idleTurn [model.Kinds]int             // indexes in Active of the next jobs for explainIdle
	Killed   []model.AttemptID
	queue    heartbeatQueue
}

// New returns a Core with policy p; built has the built-in orders, placements and speculation.
// Errors wrap ErrBadConfig or ErrUnknownPolicy and name every mistake found.
func New(built *Policies, cfg Config, p model.Policy) (*Core, error) {
	cfg.Expiry = cmp.Or(cfg.Expiry, 10*time.Minute)
	cfg.MaxAttempts = cmp.Or(cfg.MaxAttempts, 4)
	cfg.History = cmp.Or(cfg.History, 1000)
	if err := errors.Join(cfg.validate(built), p.Validate()); err != nil {
		return nil, err
	}
	c := &Core{built: built, Config: cfg, Names: map[string]model.NodeID{}, Racks: map[string]int32{}, Jobs: map[model.JobID]*Job{}}
	return c, c.install(p)
}

func (cfg Config) validate(built *Policies) error {
	if cfg.HeartbeatInterval < 0 || cfg.Expiry < 0 || cfg.MaxAttempts < 0 || cfg.MaxAttempts > 255 {
		return fmt.Errorf("%w: intervals must not be negative, MaxAttempts 0 to 255", model.ErrBadConfig)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Parts.Orders)) {
		if built.Orders[name] != nil {
			return fmt.Errorf("%w: an order %q is there already", model.ErrBadConfig, name)
		}
	}
	return nil
}

// install makes p the policy and builds its order, placements, speculation; errors change nothing.
func (c *Core) install(p model.Policy) error {
	if p.SlowStart < 0 {
		p.SlowStart = model.DefaultSlowStart
	}
	p.Avoid = p.Avoid.WithDefaults()
	o, errOrder := c.newOrder(&p)
	maps, errMaps := c.newMapPlacement(p.Locality, c.Placement[model.Map])
	reduces, errReduces := c.newReducePlacement(p.Reduce, c.Placement[model.Reduce])
	if err := errors.Join(errOrder, errMaps, errReduces); err != nil {
		return err
	}
	c.Policy, c.Order, c.Placement = p, o, [model.Kinds]Placement{maps, reduces}
	c.Speculation = c.built.Speculate(c, p.Speculation, c.Speculation)
	return nil
}

// advance sets the clock to now; the error for an earlier time wraps ErrTimeBackwards.
func (c *Core) advance(now time.Duration) error {
	if now < c.Now {
		return fmt.Errorf("%w: %v after %v", ErrTimeBackwards, now, c.Now)
	}
	c.Now = now
	return nil
}

// settle recomputes which jobs may launch, if that may have changed. Every call that changes the
// Core ends with it, so that the answers of a View are up to date.
func (c *Core) settle() {
	if !c.Dirty {
		return
	}
	c.Dirty = false
	c.Order.Settle()
}

// Update performs the periodic work: it updates shares and preemption clocks, runs a preemption
// round when one is due, and looks for slow tasks. Call it about every 500 ms. The interval affects
// only preemption and speculation, not which other tasks a heartbeat gets.
func (c *Core) Update(now time.Duration) error {
	if err := c.advance(now); err != nil {
		return err
	}
	c.Order.Update()
	c.forgive()
	c.Speculation.Look()
	c.emitShares()
	c.end(calls.Call{Op: calls.Update, At: now})
	return nil
}

// Preempt runs one preemption round now and returns the killed attempts: maps, then reduces, newest
// first. Their tasks are pending at once; their nodes get the kills with their next heartbeats.
// Policies that do not kill return none. The Core owns the slice until the next call.
func (c *Core) Preempt(now time.Duration) ([]model.AttemptID, error) {
	if err := c.advance(now); err != nil {
		return nil, err
	}
	c.Killed = c.Killed[:0]
	if o, ok := c.Order.(preempter); ok {
		o.PreemptNow()
	}
	c.end(calls.Call{Op: calls.Preempt, At: now})
	return c.Killed, nil
}

// changed updates Core.Load and the order after a change of j's tasks of kind k or of its rank.
func (c *Core) changed(j *Job, k model.TaskKind) {
	w := &j.Work[k]
	if load := int32(j.Load(k)); load != w.Load {
		c.Load[k] += int(load - w.Load)
		w.Load = load
	}
	c.Order.Changed(j, k)
}

// Admit makes j runnable: it may launch tasks at once, even if a former policy held it back.
func (c *Core) Admit(j *Job) {
	j.Runnable, j.State, j.Hold = true, model.JobRunning, model.Reason{}
	j.started = cmp.Or(j.started, c.Now)
}

// SetRunnable sets whether a job may launch, and the reason if it may not.
func (c *Core) SetRunnable(j *Job, runnable bool, why model.Reason) {
	if !runnable && why.Cause != j.Hold.Cause && c.Config.Explain {
		c.Emit(event.Event{Type: event.Skipped, JobID: j.ID, Node: model.NoNode, Reason: why})
	}
	j.Hold = why
	if j.Runnable == runnable {
		return
	}
	j.Runnable = runnable
	j.State = model.JobWaiting
	c.Held++
	if runnable {
		c.Held -= 2
		j.State = model.JobRunning
		j.started = cmp.Or(j.started, c.Now)
	}
	c.changed(j, model.Map)
	c.changed(j, model.Reduce)
}

// HeartbeatInterval returns the configured interval or, by default, Hadoop's.
func (c *Core) HeartbeatInterval() time.Duration {
	if c.Config.HeartbeatInterval > 0 {
		return c.Config.HeartbeatInterval
	}
	return HeartbeatInterval(c.Live)
}

// AutoWait returns Hadoop's automatic locality wait: 1.5 heartbeat intervals, at most 15 s.
func (c *Core) AutoWait() time.Duration {
	return min(15*time.Second, c.HeartbeatInterval()*3/2)
}

// Emit passes an event to Config.Events, if set. It fills in the time, the node's name and, for an
// attempt, the job and the kind.
func (c *Core) Emit(e event.Event) {
	if c.Config.Events == nil {
		return
	}
	e.At = c.Now
	if e.Node != model.NoNode {
		e.NodeName = c.Nodes[e.Node].Name
	}
	if e.Attempt != (model.AttemptID{}) {
		e.JobID, e.Kind = e.Attempt.Task.Job, e.Attempt.Task.Kind
		if e.Kind == model.Map && e.Type != event.OutputLost { // the locality of a lost output is unknown
			e.Near = e.Locality.String()
		}
	}
	c.Config.Events(e)
}
