package engine

import (
	"fmt"
	"slices"
	"time"
)

// Heartbeat takes a node's report and answers with actions: first kills that were due, then what
// the policy gives the node's free slots. A node that the Core does not know, or has given up, is
// told to register again.
func (c *Core) Heartbeat(now time.Duration, h Heartbeat) (Answer, error) {
	before := c.now
	n, err := c.nodeAt(now, h.Node)
	if err != nil {
		return Answer{Reregister: true}, err
	}
	if !n.live || n.incarnation != h.Incarnation {
		c.now = before // what changes nothing moves no clock
		return Answer{Reregister: true}, nil
	}
	if h.Seq != 0 && h.Seq <= n.seq {
		c.now = before
		if h.Seq == n.seq {
			return Answer{Actions: n.last}, nil
		}
		return Answer{}, nil
	}
	n.seen = now
	c.actions, c.skips = c.actions[:0], c.skips[:0]
	for i := range h.Statuses {
		c.apply(n, &h.Statuses[i])
	}
	c.actions = append(c.actions, n.pending...)
	n.pending = n.pending[:0]
	if o, ok := c.order.(ager); ok {
		o.age()
	}
	c.settle()
	switch {
	case h.NoWork:
	case !n.open():
		c.resumeOn(n)
	default:
		c.beat++
		c.order.assign(n)
		c.explainIdle(n)
	}
	c.asked(n)
	c.settle()
	if h.Seq != 0 {
		n.seq = h.Seq
		n.last = append(n.last[:0], c.actions...)
	}
	out := Answer{Actions: c.actions}
	if c.cfg.Calls != nil {
		c.recordHeartbeat(h)
	}
	return out, nil
}

// newWork notes that tasks may be launched that could not be before.
func (c *Core) newWork() { c.due.news++ }

// call notes that n is waited for.
func (c *Core) call(n *node) {
	if !n.called {
		n.called = true
		c.due.called = append(c.due.called, n.id)
	}
}

// uncall takes that back.
func (c *Core) uncall(n *node) {
	if n.called {
		n.called = false
		at := slices.Index(c.due.called, n.id)
		c.due.called = slices.Delete(c.due.called, at, at+1)
	}
}

// asked notes that n has sent a heartbeat: it has been told all but what was queued for it
// meanwhile.
func (c *Core) asked(n *node) {
	n.heard = c.due.news
	if len(n.pending) == 0 {
		c.uncall(n)
	}
}

// resumeOn lets a cordoned node finish what it holds: its slots go to nobody else, so that its
// suspended attempts get each as it becomes free.
func (c *Core) resumeOn(n *node) {
	if o, ok := c.order.(resumer); ok {
		o.resumeOn(n)
	}
}

// recordHeartbeat is apart so that a heartbeat escapes to the heap only where calls are recorded.
func (c *Core) recordHeartbeat(h Heartbeat) {
	c.record(Call{Op: OpHeartbeat, At: c.now, Node: h.Node, Heartbeat: &h, Actions: c.actions})
}

// liveAttempt finds the slab index of a live attempt, or -1.
func (c *Core) liveAttempt(id AttemptID) int32 {
	t := c.taskOf(id.Task)
	if t == nil {
		return -1
	}
	ai := t.att
	for ai >= 0 && c.atts[ai].id != id {
		ai = c.atts[ai].next
	}
	return ai
}

// taskOf finds a task, or nil.
func (c *Core) taskOf(id TaskID) *task {
	j := c.job(id.Job)
	if j == nil || id.Kind > Reduce {
		return nil
	}
	w := &j.w[id.Kind]
	if id.Index < 0 || int(id.Index) >= len(w.tasks) {
		return nil
	}
	return &w.tasks[id.Index]
}

// apply is the one transition table of attempts. Reports on attempts that are not live on n are
// late or false: what still runs is killed, the rest ignored.
func (c *Core) apply(n *node, s *Status) {
	ai := c.liveAttempt(s.Attempt)
	if ai < 0 || c.atts[ai].node != n {
		if s.State == StateRunning || s.State == StateSuspended {
			c.actions = append(c.actions, Action{Verb: Kill, Attempt: s.Attempt, Reason: Reason{Cause: CauseSuperseded}})
		}
		return
	}
	a := &c.atts[ai]
	j, id := a.job, a.id.Task
	if s.Progress <= 1 {
		a.progress = max(a.progress, s.Progress)
	}
	if s.ReduceProgress <= 1 {
		a.reduced = max(a.reduced, s.ReduceProgress)
	}
	if id.Kind == Reduce {
		for _, l := range s.Lost {
			c.outputLost(j, id.Index, l)
		}
		if j.state.Ended() {
			return
		}
	}
	switch s.State {
	case StateSucceeded:
		c.succeed(ai, s)
	case StateFailed:
		c.fail(ai, s)
	case StateKilled:
		c.drop(ai, Reason{Cause: CauseSuperseded})
	case StateRunning, StateSuspended:
		if quarter := int8(4 * a.progress); quarter > a.told && c.tells() {
			a.told = quarter
			c.emit(Event{Type: EventProgress, JobID: j.id, Attempt: a.id, Kind: id.Kind, Node: n.id, Locality: a.locality, Progress: a.progress})
		}
		if o, ok := c.order.(learner); ok {
			o.progressed(ai)
		}
	}
}

// succeed ends an attempt whose task is done; other attempts of the task are killed.
func (c *Core) succeed(ai int32, s *Status) {
	a := c.atts[ai]
	j, k, i := a.job, a.id.Task.Kind, a.id.Task.Index
	c.release(ai)
	w := &j.w[k]
	t := &w.tasks[i]
	t.state, t.node, t.won = taskDone, a.node.id, a.id.Try
	w.done++
	if c.pol.Speculation.Rule != NoSpeculation {
		c.paced(&a)
	}
	if k == Map && w.done == len(w.tasks) {
		j.mapsDone = c.now
	}
	if o, ok := c.order.(learner); ok {
		o.succeeded(ai, a)
	}
	if c.cfg.Events != nil {
		e := Event{Type: EventSucceeded, JobID: j.id, Attempt: a.id, Kind: k, Node: a.node.id, Locality: a.locality, Held: a.held(c.now)}
		if k == Map {
			e.Bytes, e.Output = c.outputTold(j, s.OutputBytes)
		}
		c.emit(e)
	}
	for t.att >= 0 {
		c.overtaken(t.att)
		c.kill(t.att, Reason{Cause: CauseSuperseded}, false)
	}
	if k == Map {
		c.mapDone(j, i, a.node, s.OutputBytes)
		r := &j.w[Reduce]
		if !r.open && w.done >= j.gate {
			r.open = true
			c.changed(j, Reduce)
		}
		if len(r.tasks) > 0 && (w.done == j.gate || w.done == len(w.tasks)) && (c.room[Reduce] > 0 || c.mayReclaim()) {
			c.newWork() // once all maps are done reduces may go farther from their centers
		}
	}
	c.changed(j, k)
	c.finishIfDone(j)
}

// fail ends an attempt that failed; too many failures to blame on the task fail the job.
func (c *Core) fail(ai int32, s *Status) {
	a := c.atts[ai]
	j, k, i := a.job, a.id.Task.Kind, a.id.Task.Index
	c.release(ai)
	w := &j.w[k]
	t := &w.tasks[i]
	if !s.Blameless {
		t.fails++
		j.failed[k]++
	}
	c.abandoned(j, k, i)
	if k == Reduce {
		j.reduceLost()
	}
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventFailed, JobID: j.id, Attempt: a.id, Kind: k, Node: a.node.id, Locality: a.locality, Err: s.Err, Held: a.held(c.now)})
	}
	c.troubled(j, a.node)
	c.changed(j, k)
	switch {
	case s.Final && !s.Blameless:
		c.finish(j, JobFailed, fmt.Sprintf("task %v failed for good: %s", a.id.Task, s.Err))
	case int(t.fails) >= j.tries:
		c.finish(j, JobFailed, fmt.Sprintf("task %v failed %d times: %s", a.id.Task, t.fails, s.Err))
	}
}

// MapOutput tells, or corrects, the sizes of a done map's output, one per reduce, where they did
// not come with its status. Fewer numbers than reduces leave the others at 0. Of a job that has
// ended nothing is kept.
func (c *Core) MapOutput(now time.Duration, id TaskID, bytes []int64) error {
	if err := c.advance(now); err != nil {
		return err
	}
	j := c.job(id.Job)
	if id.Job >= 1 && int(id.Job) <= c.jobs.Len() && (j == nil || j.state.Ended()) {
		return nil // too late
	}
	t := c.taskOf(id)
	if t == nil || id.Kind != Map || t.state != taskDone || t.node == NoNode {
		return fmt.Errorf("%w: %v is no map that is done", ErrUnknownTask, id)
	}
	c.mapDone(j, id.Index, c.nodes[t.node], bytes)
	c.end(Call{Op: OpOutput, At: now, Attempt: AttemptID{Task: id}, Bytes: bytes})
	return nil
}

// MayCommit tells whether an attempt may make its output the task's. Of the live attempts of a task
// the first to ask may, and again if it asks again; the others may not unless it ends without
// having succeeded. The answer stands until the next call that changes the Core.
func (c *Core) MayCommit(id AttemptID) bool {
	may := c.grant(id)
	c.end(Call{Op: OpCommit, At: c.now, Attempt: id, Flag: may})
	return may
}

// grant lets an attempt commit, unless it is not live or another one of its task may.
func (c *Core) grant(id AttemptID) bool {
	ai := c.liveAttempt(id)
	if ai < 0 {
		return false
	}
	j, k, i := c.atts[ai].job, id.Task.Kind, id.Task.Index
	for other := j.w[k].tasks[i].att; other >= 0; other = c.atts[other].next {
		if other != ai && c.atts[other].granted {
			return false
		}
	}
	c.atts[ai].granted = true
	if c.notSlow(j, k, i) {
		c.changed(j, k)
	}
	return true
}
