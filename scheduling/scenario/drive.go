package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// driver plays the nodes of a scenario that ends in a run statement: it tracks the work of each live
// attempt.
type driver struct {
	w    *world
	atts []*attempt // in order of launch
}

// attempt is a live attempt.
type attempt struct {
	id        scheduling.AttemptID
	node      scheduling.NodeID
	length    time.Duration // work that it needs to end
	done      time.Duration // work done; a reduce's starts when the job's last map is done
	inSlot    time.Duration // time in a slot, as of done
	suspended bool
	works     bool // it has its input and is not suspended
}

// perform carries out the JobTracker's actions: it adds the launched attempts.
func (d *driver) perform(actions []scheduling.Action) {
	q := d.w.core.View()
	for _, action := range actions {
		if action.Verb != scheduling.Launch {
			continue
		}
		live, _ := q.Attempt(action.Attempt)
		spec, _ := q.Spec(action.Attempt.Task.Job)
		length := [...]time.Duration{spec.MapTime, spec.ReduceTime}[action.Attempt.Task.Kind]
		if slow, ok := d.w.slow[q.NodeName(live.Node)]; ok {
			length = time.Duration(float64(length) * slow)
		}
		d.atts = append(d.atts, &attempt{id: action.Attempt, node: live.Node, length: length})
	}
	d.update()
}

// update adds to each attempt the work since the last call, and drops those that have ended. It
// must be called before the core changes. A reduce has its input when all maps are done.
func (d *driver) update() {
	d.atts = slices.DeleteFunc(d.atts, func(a *attempt) bool {
		live, ok := d.w.core.View().Attempt(a.id)
		job, err := d.w.core.View().Glance(a.id.Task.Job)
		maps := job.Kinds[scheduling.Map]
		ready := a.id.Task.Kind == scheduling.Map || err == nil && maps.Done == maps.Total
		if ok && ready {
			a.done += live.Worked - a.inSlot
		}
		a.inSlot, a.suspended, a.works = live.Worked, live.Suspended, ready && !live.Suspended
		return !ok
	})
}

// next returns the time at which the next attempt ends.
func (d *driver) next(now time.Duration) (at time.Duration, ok bool) {
	d.update()
	for _, a := range d.atts {
		if end := now + a.length - a.done; a.works && (!ok || end < at) {
			at, ok = end, true
		}
	}
	return at, ok
}

// endTasks reports to the core the attempts whose work is done; the result is whether it found any.
func (d *driver) endTasks(now time.Duration) (found bool, err error) {
	d.update()
	for _, a := range slices.Clone(d.atts) {
		if a.done < a.length || !a.works {
			continue
		}
		found = true
		if _, live := d.w.core.View().Attempt(a.id); !live {
			continue // its job has just ended
		}
		status := scheduling.Status{Attempt: a.id, State: scheduling.StateSucceeded, Progress: 1, ReduceProgress: 1}
		if err := d.w.tell(now, a.node, status); err != nil {
			return false, err
		}
	}
	d.update()
	return found, nil
}

// beats sends heartbeats of all nodes, in node order, until nothing more is launched.
func (d *driver) beats(now time.Duration) error {
	for more := true; more; {
		more = false
		for _, n := range d.w.nodeIDs {
			got, err := d.w.core.Heartbeat(now, scheduling.Heartbeat{Node: n, Statuses: d.progress(n)})
			if err != nil {
				return err
			}
			d.perform(got.Actions)
			more = more || len(got.Actions) > 0
		}
	}
	return nil
}

// progress returns reports on the progress of the reduces on a node, and of the maps if the policy
// uses it.
func (d *driver) progress(n scheduling.NodeID) (list []scheduling.Status) {
	for _, a := range d.atts {
		if a.node != n || a.id.Task.Kind == scheduling.Map && d.w.policy.Speculation.Rule == scheduling.NoSpeculation || a.suspended {
			continue
		}
		if a.length > 0 {
			done := float64(min(a.done, a.length)) / float64(a.length)
			list = append(list, scheduling.Status{Attempt: a.id, Progress: done, ReduceProgress: done})
		}
	}
	return list
}

// moment simulates one time: tasks end, the statements of this time take effect, and heartbeats
// follow if anything happened.
func (d *driver) moment(now time.Duration, statements []statement, perform func(statement) error) error {
	if err := d.w.core.Update(now); err != nil {
		return err
	}
	due, err := d.endTasks(now)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if err := perform(s); err != nil {
			return err
		}
		switch s.words[0] {
		case "done", "fail", "unfetched":
			d.update()
			fallthrough
		case "submit", "preempt":
			due = true
		}
	}
	for due = due || now%time.Second == 0; due; {
		if err := d.beats(now); err != nil {
			return err
		}
		if due, err = d.endTasks(now); err != nil {
			return err
		}
	}
	return nil
}

// run simulates the whole scenario until the given time.
func (d *driver) run(rest []statement, until time.Duration, perform func(statement) error) error {
	beats := 0
	for now := time.Duration(0); now <= until; {
		if beats += len(d.w.nodeIDs); beats > maxBeats {
			return fmt.Errorf("more than %d heartbeats, at %v: end earlier, or take fewer nodes", maxBeats, now)
		}
		n := 0
		for n < len(rest) && rest[n].at <= now {
			n++
		}
		if err := d.moment(now, rest[:n], perform); err != nil {
			return err
		}
		rest = rest[n:]
		if len(rest) == 0 && len(d.w.core.View().Active()) == 0 {
			return nil
		}
		next := now - now%time.Second + time.Second
		if at, ok := d.next(now); ok {
			next = min(next, at)
		}
		if len(rest) > 0 {
			next = min(next, rest[0].at)
		}
		now = next
	}
	return nil
}

// answer returns JOB=TIME for each job, the time at which it succeeded, or JOB=- if it has not.
func (d *driver) answer() answer {
	a := answer{pairs: true}
	for i, name := range d.w.names {
		at := "-"
		if v, err := d.w.core.View().Glance(scheduling.JobID(i + 1)); err == nil && v.State == scheduling.JobSucceeded {
			at = v.Finished.String()
		}
		a.words = append(a.words, name+"="+at)
	}
	return a
}

// until parses the argument of a run statement.
func until(s statement) (time.Duration, error) {
	t := time.Duration(-1)
	err := table{"until": span(&t)}.read(s.words[1:])
	if err == nil && (t < 0 || t > maxTime) {
		err = fmt.Errorf("want: run until=TIME, at most %v", maxTime)
	}
	return t, err
}
