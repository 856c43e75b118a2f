package engine

import (
	"fmt"
	"math"
	"time"
)

// View answers questions about a Core as it stands at the time of the question. No question changes
// what a later call answers. What it returns belongs to the caller unless it says otherwise. Like
// the Core it is not safe for concurrent use.
type View struct{ c *Core }

// View gives access to the questions.
func (c *Core) View() View { return View{c} }

// KindView is one kind of a job's tasks, or of all tasks of a pool.
type KindView struct {
	Total     int
	Pending   int // waiting to be launched
	Running   int // attempts that hold slots
	Suspended int
	Done      int
	Failed    int     // failed attempts so far
	Demand    int     // unfinished tasks, running ones included; 0 for a job that may not launch
	Share     float64 // fair share in slots; NaN where the policy gives none
	Weight    float64 // with which a job enters the computation of shares
}

// JobView is a snapshot of a job.
type JobView struct {
	ID        JobID
	Name      string
	User      string
	Pool      string // or queue
	Priority  Priority
	State     JobState
	Runnable  bool   // may launch: initialized, within the limits on jobs
	Hold      Reason // why not, unless Runnable
	Err       string // why it failed
	Submitted time.Duration
	Started   time.Duration // when it could first launch
	Finished  time.Duration // 0 while it has not ended
	Kinds     [2]KindView   // by TaskKind
}

// Now is the time of the last call.
func (q View) Now() time.Duration { return q.c.now }

// Policy is the policy in force, with defaults filled in.
func (q View) Policy() Policy { return q.c.pol }

// Jobs is the number of jobs submitted so far; their ids are 1 to Jobs(). The records of some that
// ended may be forgotten.
func (q View) Jobs() int { return q.c.jobs.Len() }

// Active lists the jobs that have not ended, in order of submission.
func (q View) Active() []JobID {
	var ids []JobID
	for _, j := range q.c.active {
		if !j.state.Ended() {
			ids = append(ids, j.id)
		}
	}
	return ids
}

// Spec is a job as it was submitted, or has been changed since. Its Places are the Core's: not to be
// changed, and gone once the job has ended. A job unknown or forgotten is an error that wraps
// ErrUnknownJob.
func (q View) Spec(id JobID) (JobSpec, error) {
	j, err := q.c.find(id)
	if err != nil {
		return JobSpec{}, err
	}
	return j.spec, nil
}

// State is the state of a job, JobWaiting if the Core does not know it; cheap.
func (q View) State(id JobID) JobState {
	if j, err := q.c.find(id); err == nil {
		return j.state
	}
	return JobWaiting
}

// Job takes a snapshot of a job. A job unknown or forgotten is an error that wraps ErrUnknownJob.
func (q View) Job(id JobID) (JobView, error) {
	v, err := q.Glance(id)
	if err != nil || v.State.Ended() {
		return v, err
	}
	j, err := q.c.find(id)
	for k := range TaskKind(kinds) {
		v.Kinds[k].Share, v.Kinds[k].Weight = q.c.order.share(j, k)
	}
	return v, err
}

// Glance is Job without the shares and weights, which may depend on all jobs that have not ended: its
// cost does not.
func (q View) Glance(id JobID) (JobView, error) {
	j, err := q.c.find(id)
	if err != nil {
		return JobView{}, err
	}
	v := JobView{
		ID: id, Name: j.spec.Name, User: j.spec.User, Pool: j.group, Priority: j.spec.Priority, State: j.state, Runnable: j.runnable,
		Hold: j.hold, Err: j.err, Submitted: j.submitted, Started: j.started, Finished: j.finished,
	}
	for k := range TaskKind(kinds) {
		w := &j.w[k]
		v.Kinds[k] = KindView{
			Total: [kinds]int{j.spec.Maps, j.spec.Reduces}[k], Pending: w.waiting(), Running: w.running, Suspended: w.suspended, Done: w.done, Failed: j.failed[k],
			Demand: j.demand(k), Share: math.NaN(), Weight: 1,
		}
	}
	return v, nil
}

// Order lists the jobs with a task of kind k to launch, in the order in which the next free slot is
// offered.
func (q View) Order(k TaskKind) []JobID {
	c := q.c
	var ids []JobID
	for j := range c.inOrder(k) {
		if j.launchable(k) {
			ids = append(ids, j.id)
		}
	}
	return ids
}

// Runnable lists the jobs that may launch, in order of submission.
func (q View) Runnable() []JobID {
	var ids []JobID
	for _, j := range q.c.active {
		if j.runnable {
			ids = append(ids, j.id)
		}
	}
	return ids
}

// Skips lists the jobs passed over in the last heartbeat that asked for work, if Config.Explain is
// set. The Core owns the slice until the next call.
func (q View) Skips() []Skip { return q.c.skips }

// NodeView is a snapshot of a node.
type NodeView struct {
	ID       NodeID
	Name     string
	Rack     string
	Slots    [2]int
	Running  [2]int
	Free     [2]int
	Live     bool
	Cordoned bool
	Avoided  bool          // for its faults, by all jobs
	Seen     time.Duration // last heartbeat
}

// Nodes lists the nodes that have joined at some time, lost ones included.
func (q View) Nodes() []NodeView {
	var views []NodeView
	for _, n := range q.c.nodes {
		if n.groups != nil {
			views = append(views, n.view())
		}
	}
	return views
}

// Node takes a snapshot of a node; ok is false if it has never joined.
func (q View) Node(id NodeID) (v NodeView, ok bool) {
	if id < 0 || int(id) >= len(q.c.nodes) || q.c.nodes[id].groups == nil {
		return v, false
	}
	return q.c.nodes[id].view(), true
}

// Between is how far two nodes are from each other: NodeLocal for one and the same, RackLocal, …;
// AnyPlace if one of them has never joined.
func (q View) Between(a, b NodeID) Locality {
	c := q.c
	for _, id := range [2]NodeID{a, b} {
		if id < 0 || int(id) >= len(c.nodes) || c.nodes[id].groups == nil {
			return AnyPlace
		}
	}
	for l, group := range c.nodes[a].groups {
		if group == c.nodes[b].groups[l] {
			return Locality(l)
		}
	}
	return c.far
}

func (n *node) view() NodeView {
	return NodeView{
		ID: n.id, Name: n.name, Rack: n.rack, Slots: n.slots, Running: n.running,
		Free: [2]int{n.free(Map), n.free(Reduce)}, Live: n.live, Cordoned: n.barred.has(barCordoned), Avoided: n.barred.has(barFaults), Seen: n.seen,
	}
}

// NodeName is the name of a node, "" for NoNode.
func (q View) NodeName(id NodeID) string {
	if id < 0 || int(id) >= len(q.c.nodes) {
		return ""
	}
	return q.c.nodes[id].name
}

// AttemptView is a snapshot of a live attempt.
type AttemptView struct {
	ID        AttemptID
	Node      NodeID
	Suspended bool
	Started   time.Duration
	Worked    time.Duration // time in a slot so far
	Locality  Locality
	Progress  float64
	Granted   bool // it may commit
}

// Live finds the live attempt of a task, of several the oldest; ok is false if it has none.
func (q View) Live(id TaskID) (v AttemptView, ok bool) {
	t := q.c.taskOf(id)
	if t == nil || t.att < 0 {
		return v, false
	}
	return q.c.attemptView(t.att), true
}

// Attempt finds a live attempt.
func (q View) Attempt(id AttemptID) (v AttemptView, ok bool) {
	ai := q.c.liveAttempt(id)
	if ai < 0 {
		return v, false
	}
	return q.c.attemptView(ai), true
}

// Attempts lists the live attempts of a task, the oldest first.
func (q View) Attempts(id TaskID) (list []AttemptView) {
	if t := q.c.taskOf(id); t != nil {
		for ai := t.att; ai >= 0; ai = q.c.atts[ai].next {
			list = append(list, q.c.attemptView(ai))
		}
	}
	return list
}

func (c *Core) attemptView(ai int32) AttemptView {
	a := &c.atts[ai]
	return AttemptView{
		ID: a.id, Node: a.node.id, Suspended: a.suspended, Started: a.start, Worked: a.worked(c.now),
		Locality: a.locality, Progress: a.progress, Granted: a.granted,
	}
}

// Output finds the node on which a done task's output lies and the try that made it.
func (q View) Output(id TaskID) (NodeID, int32, bool) {
	t := q.c.taskOf(id)
	if t == nil || t.state != taskDone {
		return NoNode, 0, false
	}
	return t.node, t.won, true
}

// LocalityView is how a job stands with the locality rule.
type LocalityView struct {
	Level   Locality      // of its last map; starts at NodeLocal
	Wait    time.Duration // credited since
	Skipped bool          // passed over at the last offer of a map slot
	Skips   int           // under SkipCount: offers refused
}

// Locality tells how a job stands with the locality rule.
func (q View) Locality(id JobID) (LocalityView, error) {
	j, err := q.c.find(id)
	if err != nil {
		return LocalityView{}, err
	}
	if j.state.Ended() {
		return LocalityView{}, nil
	}
	v, _ := q.c.placement[Map].view(j)
	return v, nil
}

// VirtualView is a job's place in the virtual cluster of hfsp, for one kind of its tasks.
type VirtualView struct {
	Left   time.Duration // serialized work left
	Slots  float64       // held
	Finish time.Duration // projected, or when it finished there; 0 if it has no tasks of the kind
}

// Virtual asks for a job's place in the virtual cluster.
func (q View) Virtual(id JobID, k TaskKind) (VirtualView, error) {
	c := q.c
	j, err := c.find(id)
	if err != nil {
		return VirtualView{}, err
	}
	if o, ok := c.order.(projector); ok {
		if v, has := o.projected(j, k); has {
			return v, nil
		}
	}
	return VirtualView{}, fmt.Errorf("%w: policy %s has no virtual cluster", ErrBadConfig, c.pol.Name)
}

// PoolView is a snapshot of a pool.
type PoolView struct {
	Name   string
	Config PoolConfig // with the defaults filled in
	Jobs   int
	Kinds  [2]KindView // Running, Demand (cut to the maximum), Share
	Need   [2]int      // slots that it may now claim by preemption
}

// Pools lists the pools by name; none unless the policy has pools.
func (q View) Pools() []PoolView {
	if o, ok := q.c.order.(poolLister); ok {
		return o.poolViews()
	}
	return nil
}

// QueueView is a snapshot of a queue of the capacity scheduler.
type QueueView struct {
	Name     string
	Parent   string // empty for top queues
	Leaf     bool
	Config   QueueConfig
	Capacity [2]int      // guaranteed slots
	Max      [2]int      // NoLimit if none
	Occupied [2]int      // slots held, not tasks
	Kinds    [2]KindView // Running and Demand, of leaves
	Jobs     int         // not ended, waiting ones too
	Users    int
}

// Queues lists the queues in the order of the configuration; none unless the policy has queues.
func (q View) Queues() []QueueView {
	if o, ok := q.c.order.(queueLister); ok {
		return o.queueViews()
	}
	return nil
}
