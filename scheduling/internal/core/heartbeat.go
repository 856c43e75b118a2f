package core

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Heartbeat takes a node's report and returns actions: first the pending kills, then what the
// policy starts in the node's free slots. A node that the Core does not know, or has declared lost,
// is asked to register.
func (c *Core) Heartbeat(now time.Duration, h model.Heartbeat) (model.Answer, error) {
	before := c.Now
	n, err := c.nodeAt(now, h.Node)
	if err != nil {
		return model.Answer{Reregister: true}, err
	}
	if !n.Live || n.Incarnation != h.Incarnation {
		c.Now = before // a call without effect does not advance the clock
		return model.Answer{Reregister: true}, nil
	}
	if h.Seq != 0 && h.Seq <= n.Seq {
		c.Now = before
		if h.Seq == n.Seq {
			return model.Answer{Actions: n.Last}, nil
		}
		return model.Answer{}, nil
	}
	n.Seen = now
	c.Actions, c.skips = c.Actions[:0], c.skips[:0]
	for i := range h.Statuses {
		c.apply(n, &h.Statuses[i])
	}
	c.Actions = append(c.Actions, n.Pending...)
	n.Pending = n.Pending[:0]
	if o, ok := c.Order.(ager); ok {
		o.Age()
	}
	c.settle()
	switch {
	case h.NoWork:
	case !n.Open():
		c.ResumeOn(n)
	default:
		c.Beat++
		c.Order.Assign(n)
		c.explainIdle(n)
	}
	c.asked(n)
	c.settle()
	if h.Seq != 0 {
		n.Seq = h.Seq
		n.Last = append(n.Last[:0], c.Actions...)
	}
	out := model.Answer{Actions: c.Actions}
	if c.Config.Calls != nil {
		c.recordHeartbeat(h)
	}
	return out, nil
}

// newWork records that more tasks may be launched than before, so that Due names nodes for them.
func (c *Core) newWork() { c.queue.news++ }

// Call adds n to the nodes that Due returns, because something waits for a heartbeat of n.
func (c *Core) Call(n *NodeState) {
	if !n.called {
		n.called = true
		c.queue.called = append(c.queue.called, n.ID)
	}
}

// uncall removes n from the nodes that Due returns, if Call has added it.
func (c *Core) uncall(n *NodeState) {
	if n.called {
		n.called = false
		at := slices.Index(c.queue.called, n.ID)
		c.queue.called = slices.Delete(c.queue.called, at, at+1)
	}
}

// asked records that n has sent a heartbeat, so that Due returns it again only for newer work, or
// for actions that were queued during the heartbeat.
func (c *Core) asked(n *NodeState) {
	n.Heard = c.queue.news
	if len(n.Pending) == 0 {
		c.uncall(n)
	}
}

// ResumeOn lets a cordoned node finish its attempts: as its slots become free, its suspended
// attempts get them.
func (c *Core) ResumeOn(n *NodeState) {
	if o, ok := c.Order.(resumer); ok {
		o.ResumeOn(n)
	}
}

// recordHeartbeat is a separate function so that a heartbeat escapes to the heap only if calls are
// recorded.
func (c *Core) recordHeartbeat(h model.Heartbeat) {
	c.record(calls.Call{Op: calls.Heartbeat, At: c.Now, Node: h.Node, Heartbeat: &h, Actions: c.Actions})
}

// LiveAttempt returns the index in Core.Attempts of a live attempt, or -1.
func (c *Core) LiveAttempt(id model.AttemptID) int32 {
	t := c.taskOf(id.Task)
	if t == nil {
		return -1
	}
	ai := t.Att
	for ai >= 0 && c.Attempts[ai].ID != id {
		ai = c.Attempts[ai].Next
	}
	return ai
}

// taskOf returns the Core's record of a task, nil if its job is unknown or has ended.
func (c *Core) taskOf(id model.TaskID) *Task {
	j := c.Job(id.Job)
	if j == nil || id.Kind > model.Reduce {
		return nil
	}
	w := &j.Work[id.Kind]
	if id.Index < 0 || int(id.Index) >= len(w.Tasks) {
		return nil
	}
	return &w.Tasks[id.Index]
}

// apply changes the state of an attempt as its node n reports; all such changes begin here. Reports
// on attempts that are not live on n are late or false: those still running are killed, the rest
// ignored.
func (c *Core) apply(n *NodeState, s *model.Status) {
	ai := c.LiveAttempt(s.Attempt)
	if ai < 0 || c.Attempts[ai].Node != n {
		if s.State == model.StateRunning || s.State == model.StateSuspended {
			c.Actions = append(c.Actions, model.Action{Verb: model.Kill, Attempt: s.Attempt, Reason: model.Reason{Cause: model.CauseSuperseded}})
		}
		return
	}
	a := &c.Attempts[ai]
	j, id := a.Job, a.ID.Task
	if s.Progress <= 1 {
		a.Progress = max(a.Progress, s.Progress)
	}
	if s.ReduceProgress <= 1 {
		a.Reduced = max(a.Reduced, s.ReduceProgress)
	}
	if id.Kind == model.Reduce {
		for _, l := range s.Lost {
			c.outputLost(j, id.Index, l)
		}
		if j.State.Ended() {
			return
		}
	}
	switch s.State {
	case model.StateSucceeded:
		c.succeed(ai, s)
	case model.StateFailed:
		c.fail(ai, s)
	case model.StateKilled:
		c.drop(ai, model.Reason{Cause: model.CauseSuperseded})
	case model.StateRunning, model.StateSuspended:
		if quarter := int8(4 * a.Progress); quarter > a.toldQuarters && c.Tells() {
			a.toldQuarters = quarter
			c.Emit(event.Event{Type: event.Progress, Attempt: a.ID, Node: n.ID, Locality: a.Locality, Progress: a.Progress})
		}
		if o, ok := c.Order.(learner); ok {
			o.Progressed(ai)
		}
	}
}

// succeed ends an attempt whose task is done, and kills the other attempts of the task.
func (c *Core) succeed(ai int32, s *model.Status) {
	a := c.Attempts[ai]
	j, k, i := a.Job, a.ID.Task.Kind, a.ID.Task.Index
	c.release(ai)
	w := &j.Work[k]
	t := &w.Tasks[i]
	t.State, t.Node, t.Won = TaskDone, a.Node.ID, a.ID.Try
	w.Done++
	c.Speculation.Succeeded(a)
	if k == model.Map && w.Done == len(w.Tasks) {
		j.MapsDone = c.Now
	}
	if o, ok := c.Order.(learner); ok {
		o.Succeeded(ai, a)
	}
	if c.Config.Events != nil {
		e := event.Event{Type: event.Succeeded, Attempt: a.ID, Node: a.Node.ID, Locality: a.Locality, Held: a.held(c.Now)}
		if k == model.Map {
			e.Bytes, e.Output = c.outputTold(j, s.OutputBytes)
		}
		c.Emit(e)
	}
	for t.Att >= 0 {
		c.Speculation.Overtaken(&c.Attempts[t.Att])
		c.KillAttempt(t.Att, model.Reason{Cause: model.CauseSuperseded}, false)
	}
	if k == model.Map {
		j.mapDone(i, a.Node, s.OutputBytes)
		r := &j.Work[model.Reduce]
		if !r.Open && w.Done >= j.Gate {
			r.Open = true
			c.changed(j, model.Reduce)
		}
		if len(r.Tasks) > 0 && (w.Done == j.Gate || w.Done == len(w.Tasks)) && (c.Room[model.Reduce] > 0 || c.MayReclaim()) {
			c.newWork() // once all maps are done, reduces may launch farther from their centers
		}
	}
	c.changed(j, k)
	c.finishIfDone(j)
}

// fail ends a failed attempt; too many failures of the task itself fail the job.
func (c *Core) fail(ai int32, s *model.Status) {
	a := c.Attempts[ai]
	j, k, i := a.Job, a.ID.Task.Kind, a.ID.Task.Index
	c.release(ai)
	w := &j.Work[k]
	t := &w.Tasks[i]
	if !s.Blameless {
		t.Fails++
		j.failed[k]++
	}
	c.abandoned(j, k, i)
	if k == model.Reduce {
		j.reduceLost()
	}
	c.Emit(event.Event{Type: event.Failed, Attempt: a.ID, Node: a.Node.ID, Locality: a.Locality, Err: s.Err, Held: a.held(c.Now)})
	c.CountFailure(j, a.Node)
	c.changed(j, k)
	switch {
	case s.Final && !s.Blameless:
		c.finish(j, model.JobFailed, fmt.Sprintf("task %v failed for good: %s", a.ID.Task, s.Err))
	case int(t.Fails) >= j.tries:
		c.finish(j, model.JobFailed, fmt.Sprintf("task %v failed %d times: %s", a.ID.Task, t.Fails, s.Err))
	}
}

// MapOutput sets the sizes of a done map's output, one per reduce, if its status did not contain
// them. Missing numbers are 0. Sizes for a job that has ended are ignored.
func (c *Core) MapOutput(now time.Duration, id model.TaskID, bytes []int64) error {
	if err := c.advance(now); err != nil {
		return err
	}
	j := c.Job(id.Job)
	if id.Job >= 1 && id.Job <= c.LastJob && (j == nil || j.State.Ended()) {
		return nil // too late
	}
	t := c.taskOf(id)
	if t == nil || id.Kind != model.Map || t.State != TaskDone || t.Node == model.NoNode {
		return fmt.Errorf("%w: %v is not a done map", ErrUnknownTask, id)
	}
	j.mapDone(id.Index, c.Nodes[t.Node], bytes)
	c.end(calls.Call{Op: calls.Output, At: now, Attempt: model.AttemptID{Task: id}, Bytes: bytes})
	return nil
}

// MayCommit reports whether an attempt may commit its output. The first live attempt of a task to
// ask may, and gets the same answer every time; the others may only if that attempt ends without
// success. The answer is valid until the next call that changes the Core.
func (c *Core) MayCommit(id model.AttemptID) bool {
	may := c.grant(id)
	c.end(calls.Call{Op: calls.Commit, At: c.Now, Attempt: id, Flag: may})
	return may
}

// grant lets an attempt commit if it is live and no other attempt of its task has been granted.
func (c *Core) grant(id model.AttemptID) bool {
	ai := c.LiveAttempt(id)
	if ai < 0 {
		return false
	}
	j, k, i := c.Attempts[ai].Job, id.Task.Kind, id.Task.Index
	for other := j.Work[k].Tasks[i].Att; other >= 0; other = c.Attempts[other].Next {
		if other != ai && c.Attempts[other].Granted {
			return false
		}
	}
	c.Attempts[ai].Granted = true
	if c.notSlow(j, k, i) {
		c.changed(j, k)
	}
	return true
}
