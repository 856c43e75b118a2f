package core

import (
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Speculation finds the slow tasks. It keeps its own records of jobs.
type Speculation interface {
	// Look finds the slow tasks in the periodic step and passes them to SetSlow.
	Look()
	// Refusal returns why n gets no speculative attempt of a task of j; NoCause if it may.
	Refusal(j *Job, n *NodeState, k model.TaskKind) model.Reason
	// Succeeded is called for an attempt that has succeeded, Overtaken for one whose task was
	// completed by another attempt.
	Succeeded(a Attempt)
	Overtaken(a *Attempt)
	// Remove forgets a job that has ended.
	Remove(j *Job)
}

// SetSlow sets the tasks of a job that should get a speculative attempt.
func (c *Core) SetSlow(j *Job, k model.TaskKind, list []int32) {
	w := &j.Work[k]
	old := w.Slow
	if len(list)+len(old) == 0 {
		return
	}
	for _, i := range list {
		if !slices.Contains(old, i) {
			c.newWork()
			break
		}
	}
	c.Slow[k] += len(list) - len(old)
	w.Slow = list
	c.changed(j, k)
}

// notSlow removes a task from the list of slow tasks and reports whether it was there; the caller
// must notify the order of the change.
func (c *Core) notSlow(j *Job, k model.TaskKind, i int32) bool {
	w := &j.Work[k]
	at := slices.Index(w.Slow, i)
	if at < 0 {
		return false
	}
	w.Slow = slices.Delete(w.Slow, at, at+1)
	c.Slow[k]--
	return true
}

// offerCopy offers a free slot of n to the slow tasks of j, which has no tasks to launch.
func (c *Core) offerCopy(j *Job, n *NodeState, k model.TaskKind) bool {
	w := &j.Work[k]
	if why := c.Speculation.Refusal(j, n, k); why.Cause != model.NoCause {
		return c.Skip(j, n, k, why, 0)
	}
	for _, i := range w.Slow {
		if c.Attempts[w.Tasks[i].Att].Node == n {
			continue
		}
		l := model.AnyPlace
		if k == model.Map {
			l = c.Level(j, i, n)
		}
		c.Placement[k].Launched(j, n, l)
		c.notSlow(j, k, i)
		c.Launch(j, k, i, n, l, model.Reason{Cause: model.CauseSlowTask}, nil)
		return true
	}
	return c.Skip(j, n, k, model.Reason{Cause: model.CauseRunsHere}, 0)
}
