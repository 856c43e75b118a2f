package core

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Attempt is a live attempt, running or suspended. Attempts are stored in the slab Core.Attempts
// and identified by their index there.
type Attempt struct {
	ID           model.AttemptID
	Job          *Job
	Node         *NodeState
	Pos          int32 // index in Node.Atts
	Next         int32 // slab index of the task's next live attempt, or -1
	Locality     model.Locality
	slot         int32 // its first slot on the node, from 1; 0 while it has none or events are off
	toldQuarters int8  // quarters of its progress reported in events
	Suspended    bool
	Granted      bool          // it may commit; no other attempt of the task may during its life
	Start        time.Duration // of the launch
	Since        time.Duration // of the launch or the last resume
	ran          time.Duration // time in a slot before Since
	Progress     float64
	Reduced      float64
}

// Worked returns how long the attempt has held its slot so far.
func (a *Attempt) Worked(now time.Duration) time.Duration {
	if a.Suspended {
		return a.ran
	}
	return a.ran + now - a.Since
}

// held returns how long the attempt has been suspended so far.
func (a *Attempt) held(now time.Duration) time.Duration { return now - a.Start - a.Worked(now) }

// takeSlot assigns slot numbers to an attempt that begins to run: the lowest free slots of its kind
// on its node. It stores the first of them. Only events use these numbers.
func (c *Core) takeSlot(ai int32) {
	if c.Config.Events != nil {
		a := &c.Attempts[ai]
		a.slot = a.Node.numbers[a.ID.Task.Kind].take(a.Job.Slots)
	}
}

// leaveSlot frees the slot numbers of an attempt.
func (c *Core) leaveSlot(ai int32) {
	if a := &c.Attempts[ai]; a.slot > 0 {
		a.Node.numbers[a.ID.Task.Kind].free(a.slot, a.Job.Slots)
		a.slot = 0
	}
}

// Launch starts an attempt of a pending task, or a speculative attempt of a running task, on n,
// which must have enough free slots.
func (c *Core) Launch(j *Job, k model.TaskKind, i int32, n *NodeState, l model.Locality, why model.Reason, placed *event.Placed) {
	w := &j.Work[k]
	t := &w.Tasks[i]
	switch {
	case n.Free(k) < int(j.Slots):
		panic("scheduling: " + c.Policy.Name + " launches on a full node")
	case t.State == TaskPending:
		j.take(k, i)
		c.Waiting[k]--
	case t.State != TaskRunning || why.Cause != model.CauseSlowTask:
		panic("scheduling: " + c.Policy.Name + " launches a task that is not pending")
	}
	id := model.AttemptID{Task: model.TaskID{Job: j.ID, Kind: k, Index: i}, Try: t.Tries}
	t.State = TaskRunning
	t.Tries++
	ai := c.newAttempt()
	c.Attempts[ai] = Attempt{ID: id, Job: j, Node: n, Pos: int32(len(n.Atts)), Next: -1, Locality: l, Start: c.Now, Since: c.Now}
	if t.Att < 0 {
		t.Att = ai
	} else {
		c.Attempts[t.Att].Next = ai // a task has at most one speculative attempt
		w.Copies++
	}
	n.Atts = append(n.Atts, ai)
	c.hold(ai, 1)
	c.takeSlot(ai)
	c.resetSkip(j, k)
	c.Actions = append(c.Actions, model.Action{Verb: model.Launch, Attempt: id, Locality: l, Reason: why})
	if c.Config.Events != nil { // Emit checks this too; checking here is faster
		c.Emit(event.Event{Type: event.Launched, Attempt: id, Node: n.ID, Locality: l, Reason: why, Placed: placed, Slot: int(c.Attempts[ai].slot)})
	}
	c.changed(j, k)
}

// hold updates the counts of slots and attempts when one takes (sign 1) or returns (-1) its slots.
func (c *Core) hold(ai int32, sign int) {
	a := &c.Attempts[ai]
	j, n, k := a.Job, a.Node, a.ID.Task.Kind
	room := max(0, n.Free(k))
	n.Used[k] += sign * int(j.Slots)
	if n.Open() {
		c.Room[k] += max(0, n.Free(k)) - room
	}
	n.Running[k] += sign
	j.Work[k].Running += sign
	c.Running[k] += sign
}

// newAttempt returns a free index of Core.Attempts, which it extends if necessary.
func (c *Core) newAttempt() int32 {
	if k := len(c.free) - 1; k >= 0 {
		i := c.free[k]
		c.free = c.free[:k]
		return i
	}
	c.Attempts = append(c.Attempts, Attempt{})
	return int32(len(c.Attempts) - 1)
}

// release removes a live attempt from its node and the slab; the caller sets the task's new state.
func (c *Core) release(ai int32) {
	a := &c.Attempts[ai]
	n, j, id := a.Node, a.Job, a.ID.Task
	if a.Suspended {
		j.Work[id.Kind].Suspended--
		c.Suspend--
	} else {
		c.hold(ai, -1)
		c.leaveSlot(ai)
	}
	last := n.Atts[len(n.Atts)-1]
	n.Atts[a.Pos] = last
	c.Attempts[last].Pos = a.Pos
	n.Atts = n.Atts[:len(n.Atts)-1]
	w := &j.Work[id.Kind]
	if t := &w.Tasks[id.Index]; t.Att == ai && a.Next < 0 {
		t.Att = -1
	} else {
		c.unlink(w, t, ai)
	}
	c.notSlow(j, id.Kind, id.Index)
	c.Attempts[ai].Job = nil
	c.free = append(c.free, ai)
}

// unlink removes an attempt from the list of its task's live attempts, which has another one.
func (c *Core) unlink(w *Work, t *Task, ai int32) {
	at := &t.Att
	for *at != ai {
		at = &c.Attempts[*at].Next
	}
	*at = c.Attempts[ai].Next
	w.Copies--
	if len(w.Slow) > 0 {
		c.newWork() // another speculative attempt may be possible
	}
	c.restate(t)
}

// restate sets the state of a task with live attempts: running, or suspended if all of them are.
func (c *Core) restate(t *Task) {
	if t.State == TaskDone {
		return
	}
	t.State = TaskSuspended
	for ai := t.Att; ai >= 0; ai = c.Attempts[ai].Next {
		if !c.Attempts[ai].Suspended {
			t.State = TaskRunning
		}
	}
}

// abandoned makes a task pending if it has lost its last live attempt and is not done.
func (c *Core) abandoned(j *Job, k model.TaskKind, i int32) {
	t := &j.Work[k].Tasks[i]
	if t.Att >= 0 || t.State == TaskDone {
		return
	}
	t.State = TaskPending
	c.putBack(j, k, i)
}

// drop ends a live attempt without counting a failure. Its task becomes pending unless it is done
// or has another live attempt.
func (c *Core) drop(ai int32, why model.Reason) {
	a := c.Attempts[ai]
	k, i := a.ID.Task.Kind, a.ID.Task.Index
	held := a.held(c.Now)
	c.release(ai)
	c.abandoned(a.Job, k, i)
	if k == model.Reduce {
		a.Job.reduceLost()
	}
	c.Emit(event.Event{Type: event.Killed, Attempt: a.ID, Node: a.Node.ID, Locality: a.Locality, Reason: why, Held: held})
	c.changed(a.Job, k)
}

// KillAttempt ends a live attempt. Its node gets the kill with the next heartbeat or, if now is
// set, in the current answer.
func (c *Core) KillAttempt(ai int32, why model.Reason, now bool) {
	a := &c.Attempts[ai]
	o := model.Action{Verb: model.Kill, Attempt: a.ID, Locality: a.Locality, Reason: why}
	if now {
		c.Actions = append(c.Actions, o)
	} else {
		a.Node.Pending = append(a.Node.Pending, o)
		c.Call(a.Node)
	}
	c.drop(ai, why)
}

// SuspendAttempt frees an attempt's slot; the attempt stays on its node.
func (c *Core) SuspendAttempt(ai int32, why model.Reason) {
	a := &c.Attempts[ai]
	k := a.ID.Task.Kind
	a.ran, a.Suspended = a.Worked(c.Now), true
	c.hold(ai, -1)
	c.leaveSlot(ai)
	a.Job.Work[k].Suspended++
	c.Suspend++
	c.notSlow(a.Job, k, a.ID.Task.Index)
	c.restate(&a.Job.Work[k].Tasks[a.ID.Task.Index])
	c.Actions = append(c.Actions, model.Action{Verb: model.Suspend, Attempt: a.ID, Locality: a.Locality, Reason: why})
	c.Emit(event.Event{Type: event.Suspended, Attempt: a.ID, Node: a.Node.ID, Locality: a.Locality, Reason: why})
	c.changed(a.Job, k)
}

// ResumeAttempt gives a suspended attempt a free slot of its node.
func (c *Core) ResumeAttempt(ai int32) {
	a := &c.Attempts[ai]
	k := a.ID.Task.Kind
	a.Since, a.Suspended = c.Now, false
	a.Job.Work[k].Suspended--
	c.Suspend--
	c.hold(ai, 1)
	c.takeSlot(ai)
	c.restate(&a.Job.Work[k].Tasks[a.ID.Task.Index])
	c.Actions = append(c.Actions, model.Action{Verb: model.Resume, Attempt: a.ID, Locality: a.Locality, Reason: model.Reason{Cause: model.CauseResumed}})
	c.Emit(event.Event{Type: event.Resumed, Attempt: a.ID, Node: a.Node.ID, Locality: a.Locality, Slot: int(a.slot), Held: a.held(c.Now)})
	c.changed(a.Job, k)
}

// Rerun makes a done map pending because its output is lost.
func (c *Core) Rerun(j *Job, m int32) {
	t := &j.Work[model.Map].Tasks[m]
	id := model.AttemptID{Task: model.TaskID{Job: j.ID, Kind: model.Map, Index: m}, Try: t.Won}
	c.Emit(event.Event{Type: event.OutputLost, Attempt: id, Node: t.Node, Reason: model.Reason{Cause: model.CauseOutputLost}})
	t.State, t.Node = TaskPending, model.NoNode
	j.Work[model.Map].Done--
	c.putBack(j, model.Map, m)
	j.mapGone(m)
	c.changed(j, model.Map)
}

// take removes task i of kind k from the job's sets of pending tasks.
func (j *Job) take(k model.TaskKind, i int32) {
	w := &j.Work[k]
	if w.Tasks[i].Tries > 0 {
		w.Again--
	}
	if w.Placed.Has(i) {
		w.Placed.Remove(i)
		return
	}
	w.Pending.Remove(i)
}

// putBack adds task i of kind k, which was launched before, to the job's pending tasks.
func (c *Core) putBack(j *Job, k model.TaskKind, i int32) {
	w := &j.Work[k]
	w.Again++
	c.Waiting[k]++
	if !j.State.Ended() {
		c.newWork()
	}
	if k == model.Reduce || !j.HasPlace(i) {
		w.Pending.Add(i)
		return
	}
	w.Placed.Add(i)
	p := j.Spec.Places
	for _, n := range p.Nodes[p.Offsets[i]:p.Offsets[i+1]] {
		j.ByPlace.Levels[0].Reopen(int32(n), i)
		if n := c.Nodes[n]; n.Joined {
			j.ByPlace.Levels[1].Reopen(n.Site[1], i)
		}
	}
}
