// Package core is the Core of package scheduling without a policy: its state, the calls that change
// it, the offer of slots, the questions about it, and what orders and placements are asked.
//
// Reading order: ids.go, types.go, policy.go, core.go, order.go, heartbeat.go, offer.go,
// placement.go, then a policy, such as package flat, and the rest.
package core

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
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
	ErrUnknownPolicy = errors.New("scheduling: unknown policy") // no preset or order has the name asked for
	ErrBadConfig     = errors.New("scheduling: bad configuration")
	ErrBadJob        = errors.New("scheduling: bad job")
	ErrBadNode       = errors.New("scheduling: bad node")
)

// Config holds the settings that are not part of a policy. The zero value is usable.
type Config struct {
	// HeartbeatInterval of the nodes, as far as automatic waits need it; 0 means
	// HeartbeatInterval(number of nodes).
	HeartbeatInterval time.Duration
	Expiry            time.Duration // a node silent for so long is lost; 0 means 10 min
	MaxAttempts       int           // failures of one task that fail its job; 0 means 4
	History           int           // ended jobs whose records are kept, the last to end; 0 means 1000, negative all
	RackDepth         int           // parts of a node's Rack path; 0 means 1: plain racks. Each adds a level of locality
	// LoadManager, if not nil, replaces that of the order "pools", which heeds Policy.Spread.
	// TaskSelector, if not nil, has the last word on which task of a job is launched, under any
	// order. Both are called within calls of the Core, which they must not call. The call log does
	// not hold their answers: a run replays only with the same functions, and only if these depend
	// on nothing but their arguments.
	LoadManager  LoadManager  `json:"-"`
	TaskSelector TaskSelector `json:"-"`
	// Parts are parts of policies from outside; what is said of the functions above goes for them,
	// too.
	Parts Parts `json:"-"`
	// Explain keeps the Skips of the last heartbeat for Core.Skips, and makes events of them.
	Explain bool
	// Events, if not nil, is called for each event, within the call that causes it. It must not
	// call the Core.
	Events func(Event) `json:"-"`
	// Calls, if not nil, is called for each call that changes the Core, with its answer; see
	// Replay. The Call and what it points to are valid only during the call.
	Calls func(*Call) `json:"-"`
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
	Policy Policy
	Now    time.Duration
	Dirty  bool // what may launch must be worked out anew

	Nodes  []*NodeState
	Names  map[string]NodeID
	Groups []groupNames      // by level; 0 unused
	Topo   int               // changes when a node that jobs may refer to gets its rack
	near   []index.BitMatrix // by level from 0: which jobs may have a pending map in which group
	oldest time.Duration

	Jobs    index.Pages[Job]   // by id-1
	awaited map[JobID]JobFacts // restored, and not yet resumed
	past    []JobID            // ended jobs whose records are kept, in order of their ends; unless all are
	Active  []*Job             // not ended, in submission order; may hold ended ones until the next settle
	Ended   int                // ended jobs still in active
	Held    int                // jobs that have not ended and may not launch
	ByIndex []*Job             // by their dense index; nil where it is free
	vacant  []int32            // indexes free again
	Outputs []*gravity.Outputs // by index of the job: where its map outputs lie; nil while none is known

	Attempts []Attempt
	free     []int32

	Slots   [Kinds]int // of live nodes that are not cordoned
	Room    [Kinds]int // of these, free
	Waiting [Kinds]int // tasks of jobs that have not ended, to be launched now or later
	Slow    [Kinds]int // tasks of these to be copied
	Running [Kinds]int // attempts that are not suspended
	Load    [Kinds]int // sum of the jobs' loads
	Live    int        // nodes
	Cluster uint64     // changes when nodes or slots come or go
	Suspend int        // suspended attempts

	Order       Order
	Placement   [Kinds]Placement
	Speculation Speculation
	Far         Locality // the farthest level

	Beat     uint64          // heartbeats that asked for work
	refusals [Kinds][]uint64 // by index of the job: the heartbeat of its last refusal that stands while that lasts
	Actions  []Action
	skips    []Skip
	told     Records[jobTold]
	Killed   []AttemptID
	due      due
	Faulty   int // nodes with faults
}

// New makes a Core with policy p, of the parts built. The error, if any, wraps ErrBadConfig or
// ErrUnknownPolicy and names every fault.
func New(built *Policies, cfg Config, p Policy) (*Core, error) {
	cfg.Expiry = cmp.Or(cfg.Expiry, 10*time.Minute)
	cfg.MaxAttempts = cmp.Or(cfg.MaxAttempts, 4)
	cfg.RackDepth = cmp.Or(cfg.RackDepth, 1)
	cfg.History = cmp.Or(cfg.History, 1000)
	if err := errors.Join(cfg.validate(built), p.Validate()); err != nil {
		return nil, err
	}
	c := &Core{built: built, Config: cfg, Names: map[string]NodeID{}, Far: Locality(cfg.RackDepth + 1)}
	c.Groups, c.near = make([]groupNames, 1+cfg.RackDepth), make([]index.BitMatrix, 1+cfg.RackDepth)
	for i := range c.Groups {
		c.Groups[i] = groupNames{ids: map[string]int32{}}
	}
	return c, c.install(p)
}

func (cfg Config) validate(built *Policies) error {
	if cfg.HeartbeatInterval < 0 || cfg.Expiry < 0 || cfg.MaxAttempts < 0 || cfg.MaxAttempts > 255 || cfg.RackDepth < 0 || cfg.RackDepth > 8 {
		return fmt.Errorf("%w: intervals must not be negative, MaxAttempts 0 to 255, RackDepth 0 to 8", ErrBadConfig)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Parts.Orders)) {
		if built.Orders[name] != nil {
			return fmt.Errorf("%w: an order %q is there already", ErrBadConfig, name)
		}
	}
	return nil
}

// install puts the parts of p in place; on error the Core is as before.
func (c *Core) install(p Policy) error {
	if p.SlowStart < 0 {
		p.SlowStart = DefaultSlowStart
	}
	p.Avoid = p.Avoid.withDefaults()
	o, errOrder := c.newOrder(&p)
	maps, errMaps := c.newMapPlacement(p.Locality, c.Placement[Map])
	reduces, errReduces := c.newReducePlacement(p.Reduce, c.Placement[Reduce])
	if err := errors.Join(errOrder, errMaps, errReduces); err != nil {
		return err
	}
	former := c.Speculation
	c.Policy, c.Order, c.Placement = p, o, [Kinds]Placement{maps, reduces}
	c.Speculation = Speculation(noCopies{})
	if c.built.Speculate != nil {
		c.Speculation = c.built.Speculate(c, p.Speculation, former)
	}
	return nil
}

// advance moves the clock.
func (c *Core) advance(now time.Duration) error {
	if now < c.Now {
		return fmt.Errorf("%w: %v after %v", ErrTimeBackwards, now, c.Now)
	}
	c.Now = now
	return nil
}

// settle works out what may launch if that may have changed. Every call that changes the Core ends
// with it, so that questions find all settled.
func (c *Core) settle() {
	if !c.Dirty {
		return
	}
	c.Dirty = false
	if c.Ended > len(c.Active)/2 {
		c.Active = slices.DeleteFunc(c.Active, func(j *Job) bool { return j.State.Ended() })
		c.Ended = 0
	}
	c.Order.Settle()
}

// Update performs the periodic work: it updates shares and preemption clocks, runs a preemption
// round when one is due, and looks for slow tasks. Call it about every 500 ms. How often does not
// change which task a heartbeat gets, except through preemption and speculation.
func (c *Core) Update(now time.Duration) error {
	if err := c.advance(now); err != nil {
		return err
	}
	c.Order.Update()
	c.forgive()
	c.Speculation.Look()
	c.tellStanding()
	c.end(Call{Op: OpUpdate, At: now})
	return nil
}

// Preempt runs one preemption round now and returns the killed attempts: maps, then reduces, newest
// first. Their tasks are pending at once; their nodes get the kills with their next heartbeats.
// Policies that do not kill return none. The Core owns the slice until the next call.
func (c *Core) Preempt(now time.Duration) ([]AttemptID, error) {
	if err := c.advance(now); err != nil {
		return nil, err
	}
	c.Killed = c.Killed[:0]
	if o, ok := c.Order.(preempter); ok {
		o.PreemptNow()
	}
	c.end(Call{Op: OpPreempt, At: now})
	return c.Killed, nil
}

// changed tells the order of a change and keeps the cluster's load.
func (c *Core) changed(j *Job, k TaskKind) {
	w := &j.Work[k]
	if load := int32(j.Load(k)); load != w.Load {
		c.Load[k] += int(load - w.Load)
		w.Load = load
	}
	c.Order.Changed(j, k)
}

// Admit lets a job launch as soon as it is added, also one that a former policy held back.
func (c *Core) Admit(j *Job) {
	j.Runnable, j.State, j.Hold = true, JobRunning, Reason{}
	j.started = cmp.Or(j.started, c.Now)
}

// SetRunnable says whether a job may launch, and if not, why.
func (c *Core) SetRunnable(j *Job, runnable bool, why Reason) {
	if !runnable && why.Cause != j.Hold.Cause && c.Config.Explain {
		c.Emit(Event{Type: EventSkipped, JobID: j.ID, Node: NoNode, Reason: why})
	}
	j.Hold = why
	if j.Runnable == runnable {
		return
	}
	j.Runnable = runnable
	if !j.State.Ended() {
		j.State = JobWaiting
		c.Held++
		if runnable {
			c.Held -= 2
			j.State = JobRunning
			j.started = cmp.Or(j.started, c.Now)
		}
	}
	c.changed(j, Map)
	c.changed(j, Reduce)
}

// HeartbeatInterval is the configured interval, or that of the rule.
func (c *Core) HeartbeatInterval() time.Duration {
	if c.Config.HeartbeatInterval > 0 {
		return c.Config.HeartbeatInterval
	}
	return HeartbeatInterval(c.Live)
}

// AutoWait is Hadoop's automatic locality wait.
func (c *Core) AutoWait() time.Duration {
	return min(15*time.Second, c.HeartbeatInterval()*3/2)
}

// Emit passes an event on, if anybody wants events.
func (c *Core) Emit(e Event) {
	if c.Config.Events == nil {
		return
	}
	e.At = c.Now
	if e.Node != NoNode {
		e.NodeName = c.Nodes[e.Node].Name
	}
	if e.Kind == Map && e.Attempt != (AttemptID{}) && e.Type != EventOutputLost { // of an output it is not known
		e.Near = e.Locality.String()
	}
	c.Config.Events(e)
}
