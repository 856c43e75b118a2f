package actors

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// endGrace is how long the end of a job waits for its nodes to stop its attempts, before it does
// so itself, and Close for what goes on in the background.
const endGrace = 5 * time.Second

// total is the sum of all counters, Hadoop's job counters included.
func (r *run) total() *counter.Set {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := new(counter.Set)
	c.Merge(r.sums)
	for i := range r.shuffle.outputs { // only the JobTracker, which calls this, writes them
		c.Merge(r.shuffle.outputs[i].counters)
	}
	t := &r.tally
	for _, n := range []struct {
		group, name string
		value       int64
	}{
		{counter.GroupJob, "Launched map tasks", int64(t.launched[0])},
		{counter.GroupJob, "Launched reduce tasks", int64(t.launched[1])},
		{counter.GroupJob, "Data-local map tasks", int64(t.locality[0])},
		{counter.GroupJob, "Rack-local map tasks", int64(t.locality[1])},
		{counter.GroupJob, "Other local map tasks", int64(t.locality[2] + t.locality[3])},
		{counter.GroupJob, "Failed map tasks", int64(t.failed[0])},
		{counter.GroupJob, "Failed reduce tasks", int64(t.failed[1])},
		{counter.GroupJob, "Killed map tasks", int64(t.killed[0])},
		{counter.GroupJob, "Killed reduce tasks", int64(t.killed[1])},
		{counter.GroupJob, "Total time spent by all map tasks (ms)", t.time[0].Milliseconds()},
		{counter.GroupJob, "Total time spent by all reduce tasks (ms)", t.time[1].Milliseconds()},
		{"CoGRS", "Node-local shuffle bytes", t.shuffled[0]},
		{"CoGRS", "Rack-local shuffle bytes", t.shuffled[1]},
		{"CoGRS", "Off-rack shuffle bytes", t.shuffled[2]},
	} {
		if n.value != 0 {
			c.AddNamed(n.group, n.name, n.value)
		}
	}
	return c
}

// end commits or removes the job's output, frees what it held and tells who waits. It
// runs in a goroutine of its own. It waits for the attempts of the job, which their nodes stop, or
// of lost nodes, which nobody but this can stop; those that do not heed it are abandoned. What
// these use is freed when they end.
func (r *run) end(state scheduling.JobState, c *counter.Set, g *registry) {
	gone := r.close(state == scheduling.JobSucceeded)
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case <-gone:
	case <-grace.C:
		<-r.close(true)
	}
	skipped, err := r.skips()
	if err != nil && state == scheduling.JobSucceeded {
		state = scheduling.JobFailed
	}
	if state == scheduling.JobSucceeded {
		err = isolate(func() error {
			if _, err := r.plan.Quarantine(skipped); err != nil {
				return err
			}
			return r.commit()
		})
		if err != nil {
			state = scheduling.JobFailed
			err = fmt.Errorf("commit: %w", err)
		}
	}
	if state != scheduling.JobSucceeded {
		err = errors.Join(r.failure(state, err), isolate(r.drop))
	}
	late := true
	select {
	case <-r.drained:
		late = false
		r.free()
	default:
	}
	r.result = Result{
		ID: r.id, Name: r.name, State: state, Counters: c,
		Submitted: r.submitted, Elapsed: r.env.now() - r.submitted, Err: err,
	}
	if err == nil {
		r.result.Skipped = skipped
	}
	g.retire(r)
	if late {
		go r.awaitAbandoned(state)
	}
}

// awaitAbandoned waits for the attempts that were abandoned.
func (r *run) awaitAbandoned(state scheduling.JobState) {
	<-r.drained
	r.free()
	if state != scheduling.JobSucceeded {
		_ = isolate(r.drop) // again: what a late attempt may have written
	}
}

// free gives back the memory and blocks of a run whose attempts have all left.
func (r *run) free() {
	for _, out := range r.outputs {
		out.Release()
	}
	r.outputs, r.shuffle = nil, nil
	r.env.memory.Fix(-r.fixed)
	r.fixed = 0
	if err := r.env.fs.Remove(r.input); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.env.cfg.Logger.Error("cannot remove the blocks of a job", "job", r.id, "err", err)
	}
}

// close lets no more attempts in and, if stop is set, stops those that are. The channel is
// closed when the last one has left, or been abandoned.
func (r *run) close(stop bool) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.ended = true
		r.depart(len(r.live) == 0)
	}
	for a := range r.live {
		if stop {
			a.stop(errStopped)
		}
	}
	return r.empty
}

// failure is the error of a job that did not succeed. Of a task that failed several times
// it is the first failure: the others may only follow from it.
func (r *run) failure(state scheduling.JobState, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if state == scheduling.JobKilled {
		if r.why == nil {
			return fmt.Errorf("%w: %v %q", ErrJobKilled, r.id, r.name)
		}
		return fmt.Errorf("%w: %v %q: %w", ErrJobKilled, r.id, r.name, r.why)
	}
	f := r.faults[r.failing]
	switch err = cmp.Or(err, r.cause); {
	case err != nil:
	case f == nil:
		return fmt.Errorf("%w: %v %q", ErrJobFailed, r.id, r.name)
	case f.times > 1:
		err = fmt.Errorf("%v failed %d times, first so: %w", r.failing, f.times, f.first)
	default:
		err = fmt.Errorf("%v: %w", r.failing, f.first)
	}
	return fmt.Errorf("%w: %v %q: %w", ErrJobFailed, r.id, r.name, err)
}
