package core

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Submit adds a job. A job without tasks succeeds at once. Errors wrap ErrBadJob, ErrUnknownPool or
// ErrUnknownQueue.
func (c *Core) Submit(now time.Duration, s model.JobSpec) (model.JobID, error) {
	if err := c.advance(now); err != nil {
		return 0, err
	}
	if err := c.ValidateJob(&s); err != nil {
		return 0, err
	}
	j := &Job{ID: c.LastJob + 1, Spec: s, Submitted: now}
	if err := c.takeIn(j, nil); err != nil {
		return 0, err
	}
	c.end(calls.Call{Op: calls.Submit, At: now, Submit: &s, Job: j.ID})
	return j.ID, nil
}

// takeIn adds a job to the Core. known, if not nil, is called to restore the states of its tasks.
func (c *Core) takeIn(j *Job, known func()) error {
	s := &j.Spec
	j.Spec.User = cmp.Or(strings.TrimSpace(s.User), "anonymous")
	j.Slots, j.Priority = int32(cmp.Or(s.SlotsPerTask, 1)), s.Priority
	j.tries = cmp.Or(s.MaxAttempts, c.Config.MaxAttempts)
	j.Gate = slowStartMaps(cmp.Or(s.SlowStart, c.Policy.SlowStart), s.Maps)
	c.acquireIndex(j)
	if err := c.Order.Add(j); err != nil {
		c.releaseIndex(j)
		return err
	}
	if !j.Runnable {
		c.Held++
	}
	c.buildTasks(j)
	j.Work[model.Reduce].Open = j.Gate == 0
	if known != nil {
		known()
	}
	c.newWork()
	c.Jobs[j.ID], c.LastJob = j, max(c.LastJob, j.ID)
	c.Active = append(c.Active, j)
	c.Dirty = true
	c.Emit(event.Event{Type: event.Submitted, JobID: j.ID, Node: model.NoNode, Name: s.Name, User: j.Spec.User, Pool: j.Group, Tasks: [2]int{s.Maps, s.Reduces}, Priority: s.Priority.String(), Bytes: s.InputBytes, Places: c.inputPlaces(s.Places), Gate: s.SlowStart, Width: j.width()})
	c.changed(j, model.Map)
	c.changed(j, model.Reduce)
	c.finishIfDone(j)
	return nil
}

// width returns the Width of event.Submitted: 0 means one slot per task.
func (j *Job) width() int {
	if j.Slots > 1 {
		return int(j.Slots)
	}
	return 0
}

// ValidateJob returns every mistake in a job.
func (c *Core) ValidateJob(s *model.JobSpec) error {
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
	if s.Priority < model.VeryHigh || s.Priority > model.VeryLow {
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
			if n < 0 || int(n) >= len(c.Nodes) {
				bad("place %d is not a node", n)
				break
			}
		}
	} else if len(p.Nodes) > 0 {
		bad("places without offsets")
	}
	return errors.Join(errs...)
}

// find returns the job with that ID; the error wraps ErrUnknownJob.
func (c *Core) find(id model.JobID) (*Job, error) {
	if j := c.Job(id); j != nil {
		return j, nil
	}
	return nil, fmt.Errorf("%w %v", ErrUnknownJob, id)
}

// Kill ends a job; its attempts are killed with their nodes' next heartbeats. Killing a job that
// has ended is an error.
func (c *Core) Kill(now time.Duration, id model.JobID) error {
	j, err := c.liveJob(now, id)
	if err != nil {
		return err
	}
	c.finish(j, model.JobKilled, "killed")
	c.end(calls.Call{Op: calls.Kill, At: now, Job: id})
	return nil
}

// liveJob advances the clock and returns the job with that ID, which must not have ended.
func (c *Core) liveJob(now time.Duration, id model.JobID) (*Job, error) {
	if err := c.advance(now); err != nil {
		return nil, err
	}
	j, err := c.find(id)
	if err == nil && j.State.Ended() {
		err = fmt.Errorf("%w: %v", ErrJobEnded, id)
	}
	return j, err
}

// SetPriority changes a job's priority and its place in the order at once.
func (c *Core) SetPriority(now time.Duration, id model.JobID, p model.Priority) error {
	j, err := c.liveJob(now, id)
	if err != nil {
		return err
	}
	if p < model.VeryHigh || p > model.VeryLow {
		return fmt.Errorf("%w: %v", ErrBadJob, p)
	}
	j.Spec.Priority, j.Priority = p, p
	c.Dirty = true
	c.newWork()
	c.changed(j, model.Map)
	c.changed(j, model.Reduce)
	c.Emit(event.Event{Type: event.Priority, JobID: id, Node: model.NoNode, Name: p.String()})
	c.end(calls.Call{Op: calls.Priority, At: now, Job: id, Number: int(p)})
	return nil
}

// SetPool moves a job to another pool (order "pools") or queue (order "capacity"). Other orders
// have neither and return an error.
func (c *Core) SetPool(now time.Duration, id model.JobID, name string) error {
	j, err := c.liveJob(now, id)
	if err != nil {
		return err
	}
	o, ok := c.Order.(mover)
	if !ok {
		return fmt.Errorf("%w: policy %s has no pools", ErrUnknownPool, c.Policy.Name)
	}
	if err := o.Move(j, strings.TrimSpace(name)); err != nil {
		return err
	}
	c.Dirty = true
	c.newWork()
	c.Emit(event.Event{Type: event.Pool, JobID: id, Node: model.NoNode, Pool: j.Group})
	c.end(calls.Call{Op: calls.Pool, At: now, Job: id, Text: name})
	return nil
}

// Reconfigure replaces the policy; on error the former policy stays. Running attempts, waits and
// jobs are kept; a job whose pool or queue no longer exists is an error.
func (c *Core) Reconfigure(now time.Duration, p model.Policy) error {
	if err := c.advance(now); err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	old := *c
	var saved []Job
	for _, j := range c.Active {
		saved = append(saved, *j)
	}
	err := c.install(p)
	for _, j := range c.Active {
		if err == nil {
			err = c.Order.Add(j)
		}
	}
	if err != nil {
		for i, j := range c.Active {
			*j = saved[i]
		}
		c.Policy, c.Order, c.Placement, c.Speculation = old.Policy, old.Order, old.Placement, old.Speculation
		return err
	}
	c.Order.Adopt(old.Order)
	c.Held = 0
	for _, j := range c.Active {
		for k := range model.TaskKind(model.Kinds) {
			c.SetSlow(j, k, nil) // the new rule may find others
		}
		if !j.Runnable {
			c.Held++
		}
	}
	for _, j := range c.Active {
		c.changed(j, model.Map)
		c.changed(j, model.Reduce)
	}
	c.resetNodes()
	c.Dirty = true
	c.newWork()
	c.Emit(event.Event{Type: event.Reconfigured, Node: model.NoNode, Name: p.Name, Policy: &p})
	c.end(calls.Call{Op: calls.Reconfigure, At: now, Policy: &p})
	return nil
}

// resetNodes kills suspended attempts if the new policy cannot resume them; their tasks restart.
func (c *Core) resetNodes() {
	_, resumes := c.Order.(resumer)
	for _, n := range c.Nodes {
		for i := len(n.Atts) - 1; i >= 0 && !resumes; i-- {
			if c.Attempts[n.Atts[i]].Suspended {
				c.KillAttempt(n.Atts[i], model.Reason{Cause: model.CauseSuperseded}, false)
			}
		}
	}
}

// finishIfDone ends a job whose last task is done.
func (c *Core) finishIfDone(j *Job) {
	m, r := &j.Work[model.Map], &j.Work[model.Reduce]
	if len(r.Tasks) > 0 && r.Done == len(r.Tasks) || len(r.Tasks) == 0 && m.Done == len(m.Tasks) {
		c.finish(j, model.JobSucceeded, "")
	}
}

// finish ends a job: it kills its live attempts and frees its tables.
func (c *Core) finish(j *Job, s model.JobState, why string) {
	if !j.Runnable {
		c.Held--
	}
	i := slices.Index(c.Active, j)
	c.Active = slices.Delete(c.Active, i, i+1)
	j.State, j.err, j.finished, j.Runnable = s, why, c.Now, false
	for k := range j.Work {
		for i := range j.Work[k].Tasks {
			for j.Work[k].Tasks[i].Att >= 0 {
				c.KillAttempt(j.Work[k].Tasks[i].Att, model.Reason{Cause: model.CauseJobEnded}, false)
			}
		}
	}
	for k := range model.TaskKind(model.Kinds) {
		c.changed(j, k)
	}
	c.Order.Remove(j)
	c.Speculation.Remove(j)
	for k := range c.Placement {
		c.Placement[k].Remove(j)
	}
	for k := range j.Work {
		c.Waiting[k] -= j.Work[k].Waiting()
		j.Work[k].Pending, j.Work[k].Placed, j.Work[k].Tasks = index.TaskSet{}, index.TaskSet{}, nil
	}
	c.releaseIndex(j)
	if s == model.JobSucceeded {
		c.blameNodes(j)
	}
	j.ByPlace, j.Spec.Places, j.Unfetched = placeIndex{}, model.Places{}, nil
	c.retire(j)
	c.Dirty = true
	if c.Held > 0 { // a held job may launch now
		c.newWork()
	}
	c.Emit(event.Event{Type: event.Finished, JobID: j.ID, Node: model.NoNode, State: s.String(), Err: why})
}
