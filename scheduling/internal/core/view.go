package core

import (
	"fmt"
	"math"
	"time"
)

// View answers questions about the current state of a Core. Questions change nothing. The caller
// owns what a View returns unless the method says otherwise. A View is not safe for concurrent use.
type View struct{ c *Core }

// View returns the View of c.
func (c *Core) View() View { return View{c} }

// KindView holds the numbers of one kind of a job's tasks, or of all tasks of a pool.
type KindView struct {
	Total     int
	Pending   int // waiting to be launched
	Running   int // attempts that hold slots
	Suspended int
	Done      int
	Failed    int     // failed attempts so far
	Demand    int     // unfinished tasks, including running ones; 0 for a job that may not launch
	Share     float64 // fair share in slots; NaN if the policy has none
	Weight    float64 // of the job in the computation of shares
}

// JobView is a snapshot of a job.
type JobView struct {
	ID        JobID
	Name      string
	User      string
	Pool      string // or queue
	Priority  Priority
	State     JobState
	Runnable  bool   // may launch: initialized, within the job limits
	Hold      Reason // why not, unless Runnable
	Err       string // why it failed
	Submitted time.Duration
	Started   time.Duration // when it could first launch
	Finished  time.Duration // 0 while it has not ended
	Kinds     [2]KindView   // by TaskKind
}

// Now returns the time of the last call.
func (q View) Now() time.Duration { return q.c.Now }

// Policy returns the current policy, with defaults filled in.
func (q View) Policy() Policy { return q.c.Policy }

// AutoWait returns the wait of each level if the policy has locality.auto.
func (q View) AutoWait() time.Duration { return q.c.AutoWait() }

// Jobs returns the number of jobs submitted so far; their IDs are 1 to Jobs(). Some ended ones may
// be forgotten.
func (q View) Jobs() int { return int(q.c.LastJob) }

// Active returns the jobs that have not ended, in order of submission.
func (q View) Active() []JobID {
	var ids []JobID
	for _, j := range q.c.Active {
		if !j.State.Ended() {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// Spec returns a job as submitted, with later changes. Its Places are owned by the Core: read-only,
// and empty once the job has ended. The error for an unknown or forgotten job wraps ErrUnknownJob.
func (q View) Spec(id JobID) (JobSpec, error) {
	j, err := q.c.find(id)
	if err != nil {
		return JobSpec{}, err
	}
	return j.Spec, nil
}

// State returns the state of a job, JobWaiting if the Core does not know it; it is cheap.
func (q View) State(id JobID) JobState {
	if j, err := q.c.find(id); err == nil {
		return j.State
	}
	return JobWaiting
}

// Job returns a snapshot of a job. The error for an unknown or forgotten job wraps ErrUnknownJob.
func (q View) Job(id JobID) (JobView, error) {
	v, err := q.Glance(id)
	if err != nil || v.State.Ended() {
		return v, err
	}
	j, err := q.c.find(id)
	for k := range TaskKind(Kinds) {
		v.Kinds[k].Share, v.Kinds[k].Weight = q.c.Order.Share(j, k)
	}
	return v, err
}

// Glance is like Job but without shares and weights, so that its cost does not depend on the number
// of active jobs.
func (q View) Glance(id JobID) (JobView, error) {
	j, err := q.c.find(id)
	if err != nil {
		return JobView{}, err
	}
	v := JobView{
		ID: id, Name: j.Spec.Name, User: j.Spec.User, Pool: j.Group, Priority: j.Spec.Priority, State: j.State, Runnable: j.Runnable,
		Hold: j.Hold, Err: j.err, Submitted: j.Submitted, Started: j.started, Finished: j.finished,
	}
	for k := range TaskKind(Kinds) {
		w := &j.Work[k]
		v.Kinds[k] = KindView{
			Total: [Kinds]int{j.Spec.Maps, j.Spec.Reduces}[k], Pending: w.Waiting(), Running: w.Running, Suspended: w.Suspended, Done: w.Done, Failed: j.failed[k],
			Demand: j.Demand(k), Share: math.NaN(), Weight: 1,
		}
	}
	return v, nil
}

// Order returns the jobs with a task of kind k to launch, in the order in which they are offered
// the next free slot.
func (q View) Order(k TaskKind) []JobID {
	c := q.c
	var ids []JobID
	for j := range c.InOrder(k) {
		if j.Launchable(k) {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// Runnable returns the jobs that may launch, in order of submission.
func (q View) Runnable() []JobID {
	var ids []JobID
	for _, j := range q.c.Active {
		if j.Runnable {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// Skips returns the jobs passed over in the last heartbeat that asked for work, if Config.Explain
// is set. The Core owns the slice until the next call.
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
	Avoided  bool          // by all jobs, because of its faults
	Seen     time.Duration // last heartbeat
}

// Nodes returns the nodes that have joined, including lost ones.
func (q View) Nodes() []NodeView {
	var views []NodeView
	for _, n := range q.c.Nodes {
		if n.Groups != nil {
			views = append(views, n.View())
		}
	}
	return views
}

// Node returns a snapshot of a node; ok is false if it has never joined.
func (q View) Node(id NodeID) (v NodeView, ok bool) {
	if id < 0 || int(id) >= len(q.c.Nodes) || q.c.Nodes[id].Groups == nil {
		return v, false
	}
	return q.c.Nodes[id].View(), true
}

// Between returns the distance of two nodes: NodeLocal for the same node, RackLocal, …; AnyPlace if
// one of them has never joined.
func (q View) Between(a, b NodeID) Locality {
	c := q.c
	for _, id := range [2]NodeID{a, b} {
		if id < 0 || int(id) >= len(c.Nodes) || c.Nodes[id].Groups == nil {
			return AnyPlace
		}
	}
	for l, group := range c.Nodes[a].Groups {
		if group == c.Nodes[b].Groups[l] {
			return Locality(l)
		}
	}
	return c.Far
}

// View returns a snapshot of the node.
func (n *NodeState) View() NodeView {
	return NodeView{
		ID: n.ID, Name: n.Name, Rack: n.Rack, Slots: n.Slots, Running: n.Running,
		Free: [2]int{n.Free(Map), n.Free(Reduce)}, Live: n.Live, Cordoned: n.Cordoned, Avoided: n.Avoided, Seen: n.Seen,
	}
}

// NodeName returns the name of a node, "" for NoNode.
func (q View) NodeName(id NodeID) string {
	if id < 0 || int(id) >= len(q.c.Nodes) {
		return ""
	}
	return q.c.Nodes[id].Name
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

// Live returns the oldest live attempt of a task; ok is false if it has none.
func (q View) Live(id TaskID) (v AttemptView, ok bool) {
	t := q.c.taskOf(id)
	if t == nil || t.Att < 0 {
		return v, false
	}
	return q.c.attemptView(t.Att), true
}

// Attempt returns a live attempt.
func (q View) Attempt(id AttemptID) (v AttemptView, ok bool) {
	ai := q.c.LiveAttempt(id)
	if ai < 0 {
		return v, false
	}
	return q.c.attemptView(ai), true
}

// Attempts returns the live attempts of a task, the oldest first.
func (q View) Attempts(id TaskID) (list []AttemptView) {
	if t := q.c.taskOf(id); t != nil {
		for ai := t.Att; ai >= 0; ai = q.c.Attempts[ai].Next {
			list = append(list, q.c.attemptView(ai))
		}
	}
	return list
}

func (c *Core) attemptView(ai int32) AttemptView {
	a := &c.Attempts[ai]
	return AttemptView{
		ID: a.ID, Node: a.Node.ID, Suspended: a.Suspended, Started: a.Start, Worked: a.Worked(c.Now),
		Locality: a.Locality, Progress: a.Progress, Granted: a.Granted,
	}
}

// Output returns the node that has a done task's output, and the attempt that wrote it.
func (q View) Output(id TaskID) (NodeID, int32, bool) {
	t := q.c.taskOf(id)
	if t == nil || t.State != TaskDone {
		return NoNode, 0, false
	}
	return t.Node, t.Won, true
}

// LocalityView is how long a job has waited for a slot near its data, and what it may do now.
type LocalityView struct {
	Level   Locality      // of its last map; NodeLocal at first
	Wait    time.Duration // waited since that launch
	Skipped bool          // passed over at the last offer of a map slot
	Skips   int           // under SkipCount: offers refused
}

// Locality returns how long a job has waited for a slot near its data, and what it may do now.
func (q View) Locality(id JobID) (LocalityView, error) {
	j, err := q.c.find(id)
	if err != nil {
		return LocalityView{}, err
	}
	if j.State.Ended() {
		return LocalityView{}, nil
	}
	v, _ := q.c.Placement[Map].View(j)
	return v, nil
}

// VirtualView is a job's progress in the virtual cluster of hfsp, for one kind of its tasks.
type VirtualView struct {
	Left   time.Duration // sum of the remaining run times of its tasks
	Slots  float64       // slots that it has there
	Finish time.Duration // when it will finish, or has finished, there; 0 if it has no tasks of the kind
}

// Virtual returns a job's progress in the virtual cluster of hfsp; other orders are an error.
func (q View) Virtual(id JobID, k TaskKind) (VirtualView, error) {
	c := q.c
	j, err := c.find(id)
	if err != nil {
		return VirtualView{}, err
	}
	if o, ok := c.Order.(projector); ok {
		if v, has := o.Projected(j, k); has {
			return v, nil
		}
	}
	return VirtualView{}, fmt.Errorf("%w: policy %s has no virtual cluster", ErrBadConfig, c.Policy.Name)
}

// PoolView is a snapshot of a pool.
type PoolView struct {
	Name   string
	Config PoolConfig // with the defaults filled in
	Jobs   int
	Kinds  [2]KindView // Running, Demand (cut to the maximum), Share
	Need   [2]int      // slots that it may now claim by preemption
}

// Pools returns the pools by name; none unless the policy has pools.
func (q View) Pools() []PoolView {
	if o, ok := q.c.Order.(poolLister); ok {
		return o.PoolViews()
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
	Jobs     int         // jobs that have not ended, including waiting ones
	Users    int
}

// Queues returns the queues in the order of the configuration; none unless the policy has queues.
func (q View) Queues() []QueueView {
	if o, ok := q.c.Order.(queueLister); ok {
		return o.QueueViews()
	}
	return nil
}
