package core

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// DurableState is the state of a Core that survives the loss of all nodes. Restoring it in a fresh
// Core and resuming the jobs continues the former run. Running attempts, the waits of jobs and the
// sizes that a policy had learned are lost. It is plain data to store as JSON.
type DurableState struct {
	Now   time.Duration // of the last call
	Jobs  model.JobID   // number of job IDs assigned so far
	Nodes []DurableNode // by NodeID
	// Active are the jobs that have not ended, by ID.
	Active []DurableJob
}

// DurableNode is the durable state of a joined node.
type DurableNode struct {
	Name     string
	Cordoned bool `json:",omitempty"`
}

// DurableJob is the durable state of a job that has not ended.
type DurableJob struct {
	ID        model.JobID
	Spec      model.JobSpec // with the current priority and pool or queue, without Places
	Submitted time.Duration
	// Maps and Reduces list the tasks that have been launched.
	Maps, Reduces []DurableTask `json:",omitempty"`
}

// DurableTask is the durable state of a launched task.
type DurableTask struct {
	Index int32
	Tries int32 // attempts launched
	Fails uint8 `json:",omitempty"` // failures of the task itself
}

// DurableState returns what a fresh Core needs to continue the run; see Restore and Resume.
func (q View) DurableState() DurableState {
	c := q.c
	f := DurableState{Now: c.Now, Jobs: c.LastJob}
	for _, n := range c.Nodes {
		f.Nodes = append(f.Nodes, DurableNode{Name: n.Name, Cordoned: n.Cordoned})
	}
	active := make(map[model.JobID]DurableJob, len(c.awaited)+len(c.Active))
	maps.Copy(active, c.awaited)
	for _, j := range c.Active {
		active[j.ID] = c.durable(j)
	}
	for _, id := range slices.Sorted(maps.Keys(active)) {
		f.Active = append(f.Active, active[id])
	}
	return f
}

func (c *Core) durable(j *Job) DurableJob {
	f := DurableJob{ID: j.ID, Spec: j.Spec, Submitted: j.Submitted}
	f.Spec.Places = model.Places{}
	switch c.Policy.Order {
	case "pools":
		f.Spec.Pool = j.Group
	case "capacity":
		f.Spec.Queue = j.Group
	}
	for k, list := range [model.Kinds]*[]DurableTask{&f.Maps, &f.Reduces} {
		for i := range j.Work[k].Tasks {
			if t := &j.Work[k].Tasks[i]; t.Tries > 0 {
				*list = append(*list, DurableTask{Index: int32(i), Tries: t.Tries, Fails: t.Fails})
			}
		}
	}
	return f
}

// maxRestored limits the number of restored job IDs, so that IDs remain for new jobs.
const maxRestored = 1 << 28

// Restore loads a durable state into a fresh Core. No node is live until it joins, and no job runs
// until Resume. Errors wrap ErrBadConfig.
func (c *Core) Restore(f DurableState) error {
	if c.Now != 0 || len(c.Nodes) > 0 || c.LastJob > 0 {
		return fmt.Errorf("%w: durable state for a Core that was used", model.ErrBadConfig)
	}
	if f.Now < 0 || f.Jobs < 0 || f.Jobs > maxRestored {
		return fmt.Errorf("%w: durable state of time %v and %d jobs", model.ErrBadConfig, f.Now, f.Jobs)
	}
	awaited := map[model.JobID]DurableJob{}
	for _, j := range f.Active {
		if _, twice := awaited[j.ID]; twice || j.ID < 1 || j.ID > f.Jobs {
			return fmt.Errorf("%w: durable state of job %d, of %d", model.ErrBadConfig, j.ID, f.Jobs)
		}
		awaited[j.ID] = j
	}
	c.Now, c.LastJob, c.awaited = f.Now, f.Jobs, awaited
	for i, n := range f.Nodes {
		if id := c.nodeID(n.Name); int(id) != i {
			return fmt.Errorf("%w: durable state of node %q twice", model.ErrBadConfig, n.Name)
		}
		c.Nodes[i].Cordoned = n.Cordoned
	}
	return nil
}

// Resume adds a job of a former Core. id is its ID in the restored state; 0 adds a job that the
// state does not have. s is as for Submit, but priority and pool or queue are those of the state if
// they are still valid. kept lists the tasks whose output still exists, ascending: reduces, or maps
// of a job without reduces. They count as done. The others keep their counts of tries and failures.
// If all tasks are done, the job succeeds at once. Errors are those of Submit, or wrap
// ErrUnknownJob.
func (c *Core) Resume(now time.Duration, id model.JobID, s model.JobSpec, kept []int32) (model.JobID, error) {
	if err := c.advance(now); err != nil {
		return 0, err
	}
	f, known := c.awaited[id]
	if id != 0 && !known {
		return 0, fmt.Errorf("%w %v: nothing is known of it to resume", ErrUnknownJob, id)
	}
	if err := cmp.Or(c.ValidateJob(&s), validateKept(&s, kept)); err != nil {
		return 0, err
	}
	j := &Job{ID: cmp.Or(id, c.LastJob+1), Spec: s, Submitted: now}
	if known {
		j.Submitted = f.Submitted
		j.Spec.Priority, j.Spec.Pool, j.Spec.Queue = f.Spec.Priority, f.Spec.Pool, f.Spec.Queue
	}
	j.Work[j.lasting()].Done = len(kept) // Order.Add reads it
	keep := func() { c.keep(j, f, kept) }
	err := c.takeIn(j, keep)
	if known && (errors.Is(err, ErrUnknownPool) || errors.Is(err, ErrUnknownQueue)) {
		j.Spec = s
		err = c.takeIn(j, keep)
	}
	if err != nil {
		return 0, err
	}
	delete(c.awaited, id)
	c.end(calls.Call{Op: calls.Resume, At: now, Submit: &s, Number: int(id), Kept: kept, Job: j.ID})
	return j.ID, nil
}

func validateKept(s *model.JobSpec, kept []int32) error {
	tasks := cmp.Or(s.Reduces, s.Maps)
	last := int32(-1)
	for _, i := range kept {
		if i <= last || int(i) >= tasks {
			return fmt.Errorf("%w: kept task %d, of %d, after %d", ErrBadJob, i, tasks, last)
		}
		last = i
	}
	return nil
}

// lasting returns the kind of task whose output survives a lost node: maps only without reduces.
func (j *Job) lasting() model.TaskKind {
	if j.Spec.Reduces > 0 {
		return model.Reduce
	}
	return model.Map
}

// keep restores the tasks of a resumed job: those in kept are done, the others get their counts
// from f.
func (c *Core) keep(j *Job, f DurableJob, kept []int32) {
	done := j.lasting()
	w := &j.Work[done]
	for _, i := range kept {
		j.take(done, i)
		c.Waiting[done]--
		w.Tasks[i].State = TaskDone
	}
	if done == model.Reduce && len(kept) > 0 {
		w.Open = true // slow start was over
	}
	for k, list := range [model.Kinds][]DurableTask{f.Maps, f.Reduces} {
		w := &j.Work[k]
		for _, known := range list {
			if known.Index < 0 || int(known.Index) >= len(w.Tasks) {
				continue // the job now has fewer tasks
			}
			t := &w.Tasks[known.Index]
			if known.Tries > 0 && t.Tries == 0 && t.State == TaskPending {
				w.Again++
			}
			t.Tries, t.Fails = max(t.Tries, known.Tries), known.Fails
		}
	}
}
