package scenario

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// driver plays the nodes of a scenario that ends in a run statement: it tracks the work of each
// live attempt.
type driver struct {
	w    *world
	atts []*attempt // in order of launch
}

// attempt is a live attempt.
type attempt struct {
	id        scheduling.AttemptID
	node      scheduling.NodeID
	length    time.Duration // work that it needs to end
	done      time.Duration // work done; a reduce works while all maps are done
	waited    time.Duration // time in its slot without work
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
}

// update computes the work that each attempt has done by now, and drops those that have ended. It
// must be called before the core changes. A reduce has its input when all maps are done.
func (d *driver) update() {
	q := d.w.core.View()
	d.atts = slices.DeleteFunc(d.atts, func(a *attempt) bool {
		live, ok := q.Attempt(a.id)
		job, err := q.Glance(a.id.Task.Job)
		maps := job.Kinds[scheduling.Map]
		ready := a.id.Task.Kind == scheduling.Map || err == nil && maps.Done == maps.Total
		if !ready {
			a.waited = live.Worked - a.done
		}
		a.done, a.suspended, a.works = live.Worked-a.waited, live.Suspended, ready && !live.Suspended
		return !ok
	})
}

// next returns the time at which the next attempt ends, `latest` at most.
func (d *driver) next(now, latest time.Duration) time.Duration {
	d.update()
	for _, a := range d.atts {
		if a.works {
			latest = min(latest, now+a.length-a.done)
		}
	}
	return latest
}

// endTasks reports to the core the attempts whose work is done; the result is whether it found any.
func (d *driver) endTasks(now time.Duration) (found bool) {
	d.update()
	for _, a := range slices.Clone(d.atts) {
		if a.done < a.length || !a.works {
			continue
		}
		found = true
		if _, live := d.w.core.View().Attempt(a.id); live { // its job may have just ended
			d.w.tell(now, a.node, scheduling.Status{Attempt: a.id, State: scheduling.StateSucceeded, Progress: 1, ReduceProgress: 1})
		}
	}
	return found
}

// beats sends heartbeats of all nodes, in node order, until nothing more is launched.
func (d *driver) beats(now time.Duration) {
	for more := true; more; {
		more = false
		for _, n := range d.w.nodeIDs {
			got := must(d.w.core.Heartbeat(now, scheduling.Heartbeat{Node: n, Statuses: d.progress(n)}))
			d.perform(got.Actions)
			more = more || len(got.Actions) > 0
		}
	}
}

// progress returns reports on the progress of the reduces on a node, and of the maps if the policy
// uses it.
func (d *driver) progress(n scheduling.NodeID) (list []scheduling.Status) {
	d.update()
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

// run simulates the scenario until the given time. At each moment tasks end, then the statements of
// this time take effect, and heartbeats follow if anything has happened.
func (d *driver) run(rest []statement, until time.Duration, perform func(statement)) {
	beats := 0
	for now := time.Duration(0); now <= until; {
		if beats += len(d.w.nodeIDs); beats > maxBeats {
			refuse("more than %d heartbeats, at %v: end earlier, or take fewer nodes", maxBeats, now)
		}
		check(d.w.core.Update(now))
		due := d.endTasks(now)
		for ; len(rest) > 0 && rest[0].at <= now; rest = rest[1:] {
			perform(rest[0])
			switch rest[0].verb {
			case "submit", "preempt", "done", "fail", "unfetched":
				due = true
			}
		}
		for due = due || now%time.Second == 0; due; due = d.endTasks(now) {
			d.beats(now)
		}
		if len(rest) == 0 && len(d.w.core.View().Active()) == 0 {
			return
		}
		next := d.next(now, now-now%time.Second+time.Second)
		if len(rest) > 0 {
			next = min(next, rest[0].at)
		}
		now = next
	}
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
func until(s statement) time.Duration {
	t := time.Duration(-1)
	table{"until": span(&t)}.read(s.args)
	if t < 0 || t > maxTime {
		refuse("want: run until=TIME, at most %v", maxTime)
	}
	return t
}
