package engine

import "time"

// attempt is a live attempt: running or suspended. It is kept in a slab and known by its index
// there.
type attempt struct {
	id        AttemptID
	job       *job
	node      *node
	pos       int32 // index in node.atts
	next      int32 // slab index of the task's next live attempt, or -1
	locality  Locality
	slot      int32 // its first on the node, from 1; 0 while it has none or nobody listens
	told      int8  // quarters of its progress
	suspended bool
	granted   bool          // it may commit; no other attempt of the task may while it lives
	start     time.Duration // of the launch
	since     time.Duration // of the launch or the last resume
	ran       time.Duration // before since, while not suspended
	progress  float64
	reduced   float64
}

// worked is how long the attempt has held its slot so far.
func (a *attempt) worked(now time.Duration) time.Duration {
	if a.suspended {
		return a.ran
	}
	return a.ran + now - a.since
}

// held is how long the attempt has been suspended so far.
func (a *attempt) held(now time.Duration) time.Duration { return now - a.start - a.worked(now) }

// takeSlot numbers an attempt that runs from now on: the lowest slot of its kind that is free on
// its node, of several the first. Numbers are for events alone.
func (c *Core) takeSlot(ai int32) {
	if c.cfg.Events != nil {
		a := &c.atts[ai]
		a.slot = a.node.numbers[a.id.Task.Kind].take(a.job.slots)
	}
}

// leaveSlot frees the number.
func (c *Core) leaveSlot(ai int32) {
	if a := &c.atts[ai]; a.slot > 0 {
		a.node.numbers[a.id.Task.Kind].free(a.slot, a.job.slots)
		a.slot = 0
	}
}

// launch starts an attempt of a task that is pending, or a copy of one that runs, on n, which must
// have the slots free.
func (c *Core) launch(j *job, k TaskKind, i int32, n *node, l Locality, why Reason, placed *Placed) {
	w := &j.w[k]
	t := &w.tasks[i]
	switch {
	case n.free(k) < int(j.slots):
		panic("scheduling: " + c.pol.Name + " launches on a full node")
	case t.state == taskPending:
		j.take(k, i)
		c.waiting[k]--
	case t.state != taskRunning || why.Cause != CauseSlowTask:
		panic("scheduling: " + c.pol.Name + " launches a task that is not pending")
	}
	id := AttemptID{Task: TaskID{Job: j.id, Kind: k, Index: i}, Try: t.tries}
	t.state = taskRunning
	t.tries++
	ai := c.newAttempt()
	c.atts[ai] = attempt{id: id, job: j, node: n, pos: int32(len(n.atts)), next: -1, locality: l, start: c.now, since: c.now}
	if t.att < 0 {
		t.att = ai
	} else {
		c.atts[t.att].next = ai // a task has one copy at most
		w.copies++
	}
	n.atts = append(n.atts, ai)
	c.hold(ai, 1)
	c.takeSlot(ai)
	w.skipped = NoCause
	c.actions = append(c.actions, Action{Verb: Launch, Attempt: id, Locality: l, Reason: why})
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventLaunched, JobID: j.id, Attempt: id, Kind: k, Node: n.id, Locality: l, Reason: why, Placed: placed, Slot: int(c.atts[ai].slot)})
	}
	c.changed(j, k)
}

// hold counts an attempt that takes (1) or gives back (-1) its slots.
func (c *Core) hold(ai int32, sign int) {
	a := &c.atts[ai]
	j, n, k := a.job, a.node, a.id.Task.Kind
	room := max(0, n.free(k))
	n.used[k] += sign * int(j.slots)
	if n.open() {
		c.room[k] += max(0, n.free(k)) - room
	}
	n.running[k] += sign
	j.w[k].running += sign
	c.running[k] += sign
}

// newAttempt finds room in the slab.
func (c *Core) newAttempt() int32 {
	if k := len(c.free) - 1; k >= 0 {
		i := c.free[k]
		c.free = c.free[:k]
		return i
	}
	c.atts = append(c.atts, attempt{})
	return int32(len(c.atts) - 1)
}

// release takes a live attempt off its node and out of the slab; the task's new state is the
// caller's affair.
func (c *Core) release(ai int32) {
	a := &c.atts[ai]
	n, j, id := a.node, a.job, a.id.Task
	if a.suspended {
		j.w[id.Kind].suspended--
		c.suspend--
	} else {
		c.hold(ai, -1)
		c.leaveSlot(ai)
	}
	last := n.atts[len(n.atts)-1]
	n.atts[a.pos] = last
	c.atts[last].pos = a.pos
	n.atts = n.atts[:len(n.atts)-1]
	w := &j.w[id.Kind]
	if t := &w.tasks[id.Index]; t.att == ai && a.next < 0 {
		t.att = -1
	} else {
		c.unlink(w, t, ai)
	}
	c.notSlow(j, id.Kind, id.Index)
	c.atts[ai].job = nil
	c.free = append(c.free, ai)
}

// unlink takes an attempt out of those of its task, of which another one lives.
func (c *Core) unlink(w *work, t *task, ai int32) {
	at := &t.att
	for *at != ai {
		at = &c.atts[*at].next
	}
	*at = c.atts[ai].next
	w.copies--
	if w.slow != nil {
		c.newWork() // there may be room for another copy
	}
	c.restate(t)
}

// restate makes a task with live attempts running, or suspended if all of them are.
func (c *Core) restate(t *task) {
	if t.state == taskDone {
		return
	}
	t.state = taskSuspended
	for ai := t.att; ai >= 0; ai = c.atts[ai].next {
		if !c.atts[ai].suspended {
			t.state = taskRunning
		}
	}
}

// abandoned makes a task pending that has lost its last live attempt and is not done.
func (c *Core) abandoned(j *job, k TaskKind, i int32) {
	t := &j.w[k].tasks[i]
	if t.att >= 0 || t.state == taskDone {
		return
	}
	t.state = taskPending
	c.putBack(j, k, i)
}

// drop ends a live attempt without blame: its task is pending again, unless another attempt of it
// lives or it is done.
func (c *Core) drop(ai int32, why Reason) {
	a := c.atts[ai]
	k, i := a.id.Task.Kind, a.id.Task.Index
	held := a.held(c.now)
	c.release(ai)
	c.abandoned(a.job, k, i)
	if k == Reduce {
		a.job.reduceLost()
	}
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventKilled, JobID: a.job.id, Attempt: a.id, Kind: k, Node: a.node.id, Locality: a.locality, Reason: why, Held: held})
	}
	c.changed(a.job, k)
}

// kill drops a live attempt and has its node told at the next heartbeat, or in this answer if now
// is set.
func (c *Core) kill(ai int32, why Reason, now bool) {
	a := &c.atts[ai]
	o := Action{Verb: Kill, Attempt: a.id, Locality: a.locality, Reason: why}
	if now {
		c.actions = append(c.actions, o)
	} else {
		a.node.pending = append(a.node.pending, o)
		c.call(a.node)
	}
	c.drop(ai, why)
}

// suspendAttempt gives an attempt's slot to others; it stays on its node.
func (c *Core) suspendAttempt(ai int32, why Reason) {
	a := &c.atts[ai]
	k := a.id.Task.Kind
	a.ran, a.suspended = a.worked(c.now), true
	c.hold(ai, -1)
	c.leaveSlot(ai)
	a.job.w[k].suspended++
	c.suspend++
	c.notSlow(a.job, k, a.id.Task.Index)
	c.restate(&a.job.w[k].tasks[a.id.Task.Index])
	c.actions = append(c.actions, Action{Verb: Suspend, Attempt: a.id, Locality: a.locality, Reason: why})
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventSuspended, JobID: a.job.id, Attempt: a.id, Kind: k, Node: a.node.id, Locality: a.locality, Reason: why})
	}
	c.changed(a.job, k)
}

// resumeAttempt gives a suspended attempt a free slot of its node.
func (c *Core) resumeAttempt(ai int32) {
	a := &c.atts[ai]
	k := a.id.Task.Kind
	a.since, a.suspended = c.now, false
	a.job.w[k].suspended--
	c.suspend--
	c.hold(ai, 1)
	c.takeSlot(ai)
	c.restate(&a.job.w[k].tasks[a.id.Task.Index])
	c.actions = append(c.actions, Action{Verb: Resume, Attempt: a.id, Locality: a.locality, Reason: Reason{Cause: CauseResumed}})
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventResumed, JobID: a.job.id, Attempt: a.id, Kind: k, Node: a.node.id, Locality: a.locality, Slot: int(a.slot), Held: a.held(c.now)})
	}
	c.changed(a.job, k)
}

// rerun makes a done map pending again: its output is gone.
func (c *Core) rerun(j *job, m int32) {
	t := &j.w[Map].tasks[m]
	if c.cfg.Events != nil {
		id := AttemptID{Task: TaskID{Job: j.id, Kind: Map, Index: m}, Try: t.won}
		c.emit(Event{Type: EventOutputLost, JobID: j.id, Attempt: id, Node: t.node, Reason: Reason{Cause: CauseOutputLost}})
	}
	t.state, t.node = taskPending, NoNode
	j.w[Map].done--
	c.putBack(j, Map, m)
	c.mapGone(j, m)
	c.changed(j, Map)
}

// take removes a pending task from the sets.
func (j *job) take(k TaskKind, i int32) {
	w := &j.w[k]
	if w.tasks[i].tries > 0 {
		w.again--
	}
	if w.placed.Has(i) {
		w.placed.Remove(i)
		return
	}
	w.pending.Remove(i)
}

// putBack makes a task pending again.
func (c *Core) putBack(j *job, k TaskKind, i int32) {
	w := &j.w[k]
	w.again++
	c.waiting[k]++
	if !j.state.Ended() {
		c.newWork()
	}
	if k == Reduce || !j.hasPlace(i) {
		w.pending.Add(i)
		return
	}
	w.placed.Add(i)
	p := j.spec.Places
	for _, n := range p.Nodes[p.Offsets[i]:p.Offsets[i+1]] {
		for l := range j.byPlace.levels {
			if l == 0 {
				j.byPlace.levels[0].Again(int32(n), i)
			} else if g := c.nodes[n].groups; g != nil {
				j.byPlace.levels[l].Again(g[l], i)
			}
		}
	}
}
