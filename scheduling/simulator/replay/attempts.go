package replay

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// attempt adds what an event says about an attempt to the recording.
func (r *Reader) attempt(e event.Event) error {
	id := e.Attempt
	j, err := r.job(id.Task.Job)
	if err != nil {
		return err
	}
	list := j.tasks[id.Task.Kind]
	if int(id.Task.Index) >= len(list) || id.Try < 0 || id.Try > maxTries {
		return bad("job %d has no attempt %v", id.Task.Job, id)
	}
	t := &list[id.Task.Index]
	if e.Type == event.OutputLost {
		return nil
	}
	n, err := r.node(e.Node)
	if err != nil {
		return err
	}
	if e.Type != event.Killed { // the loss of a node kills too
		n.lastEvent = max(n.lastEvent, e.At)
	}
	if e.Type == event.Launched {
		for int(id.Try) >= len(t.tries) {
			t.tries = append(t.tries, try{})
		}
		t.tries[id.Try] = try{node: int(e.Node), launched: e.At, near: locality(e)}
		if e.Reason.Cause == event.CauseSlowTask {
			j.result.Copies.Launched++
		}
		return nil
	}
	if int(id.Try) >= len(t.tries) {
		return bad("%v was not launched", id)
	}
	r.changed(j, t, &t.tries[id.Try], e)
	return nil
}

// changed adds to attempt a of task t what an event after its launch says.
func (r *Reader) changed(j *job, t *task, a *try, e event.Event) {
	switch e.Type {
	case event.Succeeded, event.Failed, event.Killed:
		a.ended, a.held, a.end = e.At, e.Held, e.Type
	default:
	}
	switch e.Type {
	case event.Succeeded:
		if e.Attempt.Task.Kind == scheduling.Map {
			j.mapsDone = append(j.mapsDone, e.At)
			t.holder, t.size = a.node, e.Bytes
			if len(e.Output) == j.Reduces && len(e.Output) > 0 {
				t.output, j.hasOutput = e.Output, true
			}
		}
	case event.Killed:
		switch e.Reason.Cause {
		case event.CauseSuperseded:
			a.overtaken = true
		case event.CausePreempted, event.CauseSmallerJob, event.CauseFlowMoved:
			j.result.Preempted.Killed++
		default:
		}
	case event.Suspended:
		j.result.Preempted.Suspended++
		a.gaps = append(a.gaps, outage{from: e.At})
	case event.Resumed:
		if n := len(a.gaps); n > 0 && a.gaps[n-1].to == 0 {
			a.gaps[n-1].to = e.At
		}
	case event.Progress:
		a.part, a.partAt = e.Progress, e.At
	default:
	}
}

// locality returns the locality of a map's attempt by a recorded event; -1 if it names none.
func locality(e event.Event) scheduling.Locality {
	for l := scheduling.NodeLocal; l <= scheduling.OffRack; l++ {
		if e.Near == l.String() {
			return l
		}
	}
	if e.Near == "" || e.Near == "any-place" {
		return -1
	}
	return scheduling.OffRack
}

// span returns how long an attempt held its slot, without the time of suspensions.
func (a *try) span() time.Duration { return a.ended - a.launched - a.held }

// burst is the time after a job's arrival in which a live JobTracker offers it slots of all nodes.
const burst = 50 * time.Millisecond

// asked records the order in which nodes are offered tasks when a job has arrived. In a live
// cluster it is the order of messages, which no other event shows.
func (r *Reader) asked(e event.Event) {
	if len(r.rec.jobs) == 0 || e.Node < 0 || int(e.Node) >= len(r.rec.nodes) {
		return
	}
	j := r.rec.jobs[len(r.rec.jobs)-1]
	if !r.rec.Began.Simulated && e.At-j.Submit < burst && !slices.Contains(j.asked, int(e.Node)) {
		j.asked = append(j.asked, int(e.Node))
	}
}
