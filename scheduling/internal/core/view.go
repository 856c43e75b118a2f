package core

import (
	"fmt"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// View answers questions about the current state of a Core. Questions change nothing. The caller
// owns what a View returns unless the method says otherwise. A View is not safe for concurrent use.
type View struct{ c *Core }

// View returns the View of c.
func (c *Core) View() View { return View{c} }

// Now returns the time of the last call.
func (q View) Now() time.Duration { return q.c.Now }

// Policy returns the current policy, with defaults filled in.
func (q View) Policy() model.Policy { return q.c.Policy }

// AutoWait returns the wait of each level if the policy has locality.auto.
func (q View) AutoWait() time.Duration { return q.c.AutoWait() }

// Jobs returns the number of jobs submitted so far; their IDs are 1 to Jobs(). Some ended ones may
// be forgotten.
func (q View) Jobs() int { return int(q.c.LastJob) }

// Active returns the jobs that have not ended, in order of submission.
func (q View) Active() []model.JobID {
	var ids []model.JobID
	for _, j := range q.c.Active {
		ids = append(ids, j.ID)
	}
	return ids
}

// Spec returns a job as submitted, with later changes. Its Places are owned by the Core: read-only,
// and empty once the job has ended. The error for an unknown or forgotten job wraps ErrUnknownJob.
func (q View) Spec(id model.JobID) (model.JobSpec, error) {
	j, err := q.c.find(id)
	if err != nil {
		return model.JobSpec{}, err
	}
	return j.Spec, nil
}

// State returns the state of a job, JobWaiting if the Core does not know it; it is cheap.
func (q View) State(id model.JobID) model.JobState {
	if j, err := q.c.find(id); err == nil {
		return j.State
	}
	return model.JobWaiting
}

// Job returns a snapshot of a job. The error for an unknown or forgotten job wraps ErrUnknownJob.
func (q View) Job(id model.JobID) (view.Job, error) {
	v, err := q.Glance(id)
	if err != nil || v.State.Ended() {
		return v, err
	}
	j, err := q.c.find(id)
	for k := range model.TaskKind(model.Kinds) {
		v.Kinds[k].Share, v.Kinds[k].Weight = q.c.Order.Share(j, k)
	}
	return v, err
}

// Glance is like Job but without shares and weights, so that its cost does not depend on the number
// of active jobs.
func (q View) Glance(id model.JobID) (view.Job, error) {
	j, err := q.c.find(id)
	if err != nil {
		return view.Job{}, err
	}
	v := view.Job{
		ID: id, Name: j.Spec.Name, User: j.Spec.User, Pool: j.Group, Priority: j.Spec.Priority, State: j.State, Runnable: j.Runnable,
		Hold: j.Hold, Err: j.err, Submitted: j.Submitted, Started: j.started, Finished: j.finished,
	}
	for k := range model.TaskKind(model.Kinds) {
		w := &j.Work[k]
		v.Kinds[k] = view.Kind{
			Total: [model.Kinds]int{j.Spec.Maps, j.Spec.Reduces}[k], Pending: w.Waiting(), Running: w.Running, Suspended: w.Suspended, Done: w.Done, Failed: j.failed[k],
			Demand: j.Demand(k), Share: math.NaN(), Weight: 1,
		}
	}
	return v, nil
}

// Order returns the jobs with a task of kind k to launch, in the order in which they are offered
// the next free slot.
func (q View) Order(k model.TaskKind) []model.JobID {
	c := q.c
	var ids []model.JobID
	for j := range c.InOrder(k) {
		if j.Launchable(k) {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// Runnable returns the jobs that may launch, in order of submission.
func (q View) Runnable() []model.JobID {
	var ids []model.JobID
	for _, j := range q.c.Active {
		if j.Runnable {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// Skips returns the jobs passed over in the last heartbeat that asked for work, if Config.Explain
// is set. The Core owns the slice until the next call.
func (q View) Skips() []model.Skip { return q.c.skips }

// Nodes returns the nodes that have joined, including lost ones.
func (q View) Nodes() []view.Node {
	var views []view.Node
	for _, n := range q.c.Nodes {
		if n.Joined {
			views = append(views, n.View())
		}
	}
	return views
}

// Node returns a snapshot of a node; ok is false if it has never joined.
func (q View) Node(id model.NodeID) (v view.Node, ok bool) {
	n, err := q.c.joined(id)
	if err != nil {
		return v, false
	}
	return n.View(), true
}

// Between returns the distance of two nodes: NodeLocal for the same node, RackLocal, …; AnyPlace if
// one of them has never joined.
func (q View) Between(a, b model.NodeID) model.Locality {
	m, errA := q.c.joined(a)
	n, errB := q.c.joined(b)
	if errA != nil || errB != nil {
		return model.AnyPlace
	}
	return m.apart(n)
}

// View returns a snapshot of the node.
func (n *NodeState) View() view.Node {
	return view.Node{
		ID: n.ID, Name: n.Name, Rack: n.Rack, Slots: n.Slots, Running: n.Running,
		Free: [2]int{n.Free(model.Map), n.Free(model.Reduce)}, Live: n.Live, Cordoned: n.Cordoned, Avoided: n.Avoided, Seen: n.Seen,
	}
}

// NodeName returns the name of a node, "" for NoNode.
func (q View) NodeName(id model.NodeID) string {
	if id < 0 || int(id) >= len(q.c.Nodes) {
		return ""
	}
	return q.c.Nodes[id].Name
}

// Live returns the oldest live attempt of a task; ok is false if it has none.
func (q View) Live(id model.TaskID) (v view.Attempt, ok bool) {
	t := q.c.taskOf(id)
	if t == nil || t.Att < 0 {
		return v, false
	}
	return q.c.attemptView(t.Att), true
}

// Attempt returns a live attempt.
func (q View) Attempt(id model.AttemptID) (v view.Attempt, ok bool) {
	ai := q.c.LiveAttempt(id)
	if ai < 0 {
		return v, false
	}
	return q.c.attemptView(ai), true
}

// Attempts returns the live attempts of a task, the oldest first.
func (q View) Attempts(id model.TaskID) (list []view.Attempt) {
	if t := q.c.taskOf(id); t != nil {
		for ai := t.Att; ai >= 0; ai = q.c.Attempts[ai].Next {
			list = append(list, q.c.attemptView(ai))
		}
	}
	return list
}

func (c *Core) attemptView(ai int32) view.Attempt {
	a := &c.Attempts[ai]
	return view.Attempt{
		ID: a.ID, Node: a.Node.ID, Suspended: a.Suspended, Started: a.Start, Worked: a.Worked(c.Now),
		Locality: a.Locality, Progress: a.Progress, Granted: a.Granted,
	}
}

// Output returns the node that has a done task's output, and the attempt that wrote it.
func (q View) Output(id model.TaskID) (model.NodeID, int32, bool) {
	t := q.c.taskOf(id)
	if t == nil || t.State != TaskDone {
		return model.NoNode, 0, false
	}
	return t.Node, t.Won, true
}

// Locality returns how long a job has waited for a slot near its data, and what it may do now.
func (q View) Locality(id model.JobID) (view.Locality, error) {
	j, err := q.c.find(id)
	if err != nil {
		return view.Locality{}, err
	}
	if j.State.Ended() {
		return view.Locality{}, nil
	}
	v, _ := q.c.Placement[model.Map].View(j)
	return v, nil
}

// Virtual returns a job's progress in the virtual cluster of hfsp; other orders are an error.
func (q View) Virtual(id model.JobID, k model.TaskKind) (view.Virtual, error) {
	c := q.c
	j, err := c.find(id)
	if err != nil {
		return view.Virtual{}, err
	}
	if o, ok := c.Order.(projector); ok {
		if v, has := o.Projected(j, k); has {
			return v, nil
		}
	}
	return view.Virtual{}, fmt.Errorf("%w: policy %s has no virtual cluster", model.ErrBadConfig, c.Policy.Name)
}

// Pools returns the pools by name; none unless the policy has pools.
func (q View) Pools() []view.Pool {
	if o, ok := q.c.Order.(poolLister); ok {
		return o.PoolViews()
	}
	return nil
}

// Queues returns the queues in the order of the configuration; none unless the policy has queues.
func (q View) Queues() []view.Queue {
	if o, ok := q.c.Order.(queueLister); ok {
		return o.QueueViews()
	}
	return nil
}
