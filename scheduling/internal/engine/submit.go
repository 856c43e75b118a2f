package engine

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// Submit takes a job in. A job without any task has succeeded at once. Errors wrap ErrBadJob,
// ErrUnknownPool or ErrUnknownQueue.
func (c *Core) Submit(now time.Duration, s JobSpec) (JobID, error) {
	if err := c.advance(now); err != nil {
		return 0, err
	}
	if err := c.validateJob(&s); err != nil {
		return 0, err
	}
	j := &job{id: JobID(c.jobs.Len() + 1), spec: s, submitted: now}
	if err := c.takeIn(j, nil); err != nil {
		return 0, err
	}
	c.end(Call{Op: OpSubmit, At: now, Submit: &s, Job: j.id})
	return j.id, nil
}

// takeIn makes a job one of the Core's; known, if not nil, changes its tasks first.
func (c *Core) takeIn(j *job, known func()) error {
	s := &j.spec
	j.spec.User = cmp.Or(strings.TrimSpace(s.User), "anonymous")
	j.slots, j.priority = int32(cmp.Or(s.SlotsPerTask, 1)), s.Priority
	j.tries = cmp.Or(s.MaxAttempts, c.cfg.MaxAttempts)
	j.gate = slowStartMaps(cmp.Or(s.SlowStart, c.pol.SlowStart), s.Maps)
	c.acquireIndex(j)
	if err := c.order.add(j); err != nil {
		c.releaseIndex(j)
		return err
	}
	if !j.runnable {
		c.held++
	}
	c.buildTasks(j)
	j.w[Reduce].open = j.gate == 0
	if known != nil {
		known()
	}
	c.newWork()
	if int(j.id) > c.jobs.Len() {
		c.jobs.Add(j)
	} else {
		c.jobs.Set(int(j.id)-1, j)
	}
	c.active = append(c.active, j)
	c.dirty = true
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventSubmitted, JobID: j.id, Node: NoNode, Name: s.Name, User: j.spec.User, Pool: j.group, Tasks: [2]int{s.Maps, s.Reduces}, Priority: s.Priority.String(), Bytes: s.InputBytes, Places: c.inputPlaces(s.Places), Gate: s.SlowStart, Width: j.width()})
	}
	c.changed(j, Map)
	c.changed(j, Reduce)
	c.finishIfDone(j)
	return nil
}

// width is what EventSubmitted tells of the slots that each task takes: 0 is one.
func (j *job) width() int {
	if j.slots > 1 {
		return int(j.slots)
	}
	return 0
}

// validateJob names every fault of a job.
func (c *Core) validateJob(s *JobSpec) error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: %s", ErrBadJob, fmt.Sprintf(format, args...)))
	}
	if s.Maps < 0 || s.Reduces < 0 || s.Maps > 1<<30 || s.Reduces > 1<<30 {
		bad("%d maps and %d reduces", s.Maps, s.Reduces)
	}
	if s.SlotsPerTask < 0 || s.MaxAttempts < 0 || s.MaxAttempts > 255 || s.MapTime < 0 || s.ReduceTime < 0 {
		bad("slots per task, attempts (at most 255) and times must not be negative")
	}
	if s.InputBytes < 0 {
		bad("%d bytes of input", s.InputBytes)
	}
	if s.Priority < VeryHigh || s.Priority > VeryLow {
		bad("%v", s.Priority)
	}
	if !(s.SlowStart <= 1) {
		bad("slow start %v is above 1", s.SlowStart)
	}
	if p := s.Places; len(p.Offsets) > 0 {
		if len(p.Offsets) != s.Maps+1 || p.Offsets[0] != 0 || int(p.Offsets[s.Maps]) != len(p.Nodes) {
			bad("places do not fit %d maps", s.Maps)
			return errors.Join(errs...)
		}
		for m := range s.Maps {
			if p.Offsets[m] > p.Offsets[m+1] {
				bad("places of map %d", m)
				break
			}
		}
		for _, n := range p.Nodes {
			if n < 0 || int(n) >= len(c.nodes) {
				bad("place %d is no node", n)
				break
			}
		}
	} else if len(p.Nodes) > 0 {
		bad("places without offsets")
	}
	return errors.Join(errs...)
}

// jobAt moves the clock and finds a job.
func (c *Core) jobAt(now time.Duration, id JobID) (*job, error) {
	if err := c.advance(now); err != nil {
		return nil, err
	}
	return c.find(id)
}

func (c *Core) find(id JobID) (*job, error) {
	if j := c.job(id); j != nil {
		return j, nil
	}
	return nil, fmt.Errorf("%w %v", ErrUnknownJob, id)
}

// Kill ends a job; its attempts are killed at their nodes' next heartbeats. A job that has ended is
// an error.
func (c *Core) Kill(now time.Duration, id JobID) error {
	j, err := c.liveJob(now, id)
	if err != nil {
		return err
	}
	c.finish(j, JobKilled, "killed")
	c.end(Call{Op: OpKill, At: now, Job: id})
	return nil
}

func (c *Core) liveJob(now time.Duration, id JobID) (*job, error) {
	j, err := c.jobAt(now, id)
	if err == nil && j.state.Ended() {
		err = fmt.Errorf("%w: %v", ErrJobEnded, id)
	}
	return j, err
}

// SetPriority changes a job's priority; the order follows at once.
func (c *Core) SetPriority(now time.Duration, id JobID, p Priority) error {
	j, err := c.liveJob(now, id)
	if err != nil {
		return err
	}
	if p < VeryHigh || p > VeryLow {
		return fmt.Errorf("%w: %v", ErrBadJob, p)
	}
	j.spec.Priority, j.priority = p, p
	c.dirty = true
	c.newWork()
	c.changed(j, Map)
	c.changed(j, Reduce)
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventPriority, JobID: id, Node: NoNode, Name: p.String()})
	}
	c.end(Call{Op: OpPriority, At: now, Job: id, Number: int(p)})
	return nil
}

// SetPool moves a job to another pool (order "pools") or queue (order "capacity"). Other orders
// have neither and refuse.
func (c *Core) SetPool(now time.Duration, id JobID, name string) error {
	j, err := c.liveJob(now, id)
	if err != nil {
		return err
	}
	o, ok := c.order.(mover)
	if !ok {
		return fmt.Errorf("%w: policy %s has no pools", ErrUnknownPool, c.pol.Name)
	}
	if err := o.move(j, strings.TrimSpace(name)); err != nil {
		return err
	}
	c.dirty = true
	c.newWork()
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventPool, JobID: id, Node: NoNode, Pool: j.group})
	}
	c.end(Call{Op: OpPool, At: now, Job: id, Text: name})
	return nil
}

// Reconfigure replaces the policy, all or nothing: on error the former one stays. Running attempts,
// waits and jobs are kept; a job whose pool or queue no longer exists is an error.
func (c *Core) Reconfigure(now time.Duration, p Policy) error {
	if err := c.advance(now); err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	old := *c
	var saved []job
	for _, j := range c.active {
		saved = append(saved, *j)
	}
	err := c.install(p)
	for _, j := range c.active {
		if err == nil && !j.state.Ended() {
			err = c.order.add(j)
		}
	}
	if err != nil {
		for i, j := range c.active {
			*j = saved[i]
		}
		c.pol, c.order, c.placement = old.pol, old.order, old.placement
		return err
	}
	c.order.took(old.order)
	c.enlist()
	c.resetNodes()
	c.dirty = true
	c.newWork()
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventReconfigured, Node: NoNode, Name: p.Name, Policy: &p})
	}
	c.end(Call{Op: OpReconfigure, At: now, Policy: &p})
	return nil
}

// enlist makes the jobs known to a new policy.
func (c *Core) enlist() {
	c.held = 0
	for _, j := range c.active {
		if j.state.Ended() {
			continue
		}
		for k := range TaskKind(kinds) {
			c.setSlow(j, k, nil) // another rule may find others
		}
		j.trouble.recount(c.pol.Avoid.JobFailures)
		if !j.runnable {
			c.held++
		}
	}
	for _, j := range c.active {
		if !j.state.Ended() {
			c.changed(j, Map)
			c.changed(j, Reduce)
		}
	}
}

// resetNodes kills the suspended attempts that nobody would resume under a new policy; their tasks
// start again.
func (c *Core) resetNodes() {
	_, resumes := c.order.(resumer)
	for _, n := range c.nodes {
		for i := len(n.atts) - 1; i >= 0 && !resumes; i-- {
			if c.atts[n.atts[i]].suspended {
				c.kill(n.atts[i], Reason{Cause: CauseSuperseded}, false)
			}
		}
	}
}

// finishIfDone ends a job whose last task is done.
func (c *Core) finishIfDone(j *job) {
	m, r := &j.w[Map], &j.w[Reduce]
	if len(r.tasks) > 0 && r.done == len(r.tasks) || len(r.tasks) == 0 && m.done == len(m.tasks) {
		c.finish(j, JobSucceeded, "")
	}
}

// finish ends a job: its live attempts are killed, its tables freed.
func (c *Core) finish(j *job, s JobState, why string) {
	if !j.runnable {
		c.held--
	}
	j.state, j.err, j.finished, j.runnable = s, why, c.now, false
	for k := range j.w {
		for i := range j.w[k].tasks {
			for j.w[k].tasks[i].att >= 0 {
				c.kill(j.w[k].tasks[i].att, Reason{Cause: CauseJobEnded}, false)
			}
		}
	}
	for k := range TaskKind(kinds) {
		c.changed(j, k)
	}
	c.order.remove(j)
	for k := range c.placement {
		c.placement[k].remove(j)
	}
	for k := range j.w {
		c.waiting[k] -= j.w[k].waiting()
		j.w[k].pending, j.w[k].placed, j.w[k].tasks = index.TaskSet{}, index.TaskSet{}, nil
	}
	c.releaseIndex(j)
	if s == JobSucceeded {
		c.blameNodes(j)
	}
	j.byPlace, j.spec.Places, j.unfetched = placeIndex{}, Places{}, nil
	c.ended++
	c.retire(j)
	c.dirty = true
	if c.held > 0 { // one of these may launch now
		c.newWork()
	}
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventFinished, JobID: j.id, Node: NoNode, State: s.String(), Err: why})
	}
}
