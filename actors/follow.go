package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/scheduling"
)

// take follows one event.
func (jt *jobTracker) take(c actor.Context, e *Event) {
	r := jt.runs[e.JobID]
	k := e.Attempt.Task.Kind
	switch e.Type {
	case scheduling.EventLaunched:
		jt.nodes[e.Node].used[k]++
		r.launched(e)
	case scheduling.EventResumed:
		jt.nodes[e.Node].used[k]++
		delete(jt.suspended, e.Attempt)
	case scheduling.EventSuspended:
		jt.nodes[e.Node].used[k]--
		jt.suspended[e.Attempt] = true
	case scheduling.EventSucceeded:
		jt.gaveBack(e)
		jt.succeeded(r, e)
	case scheduling.EventFailed:
		jt.gaveBack(e)
		jt.work++
		jt.failed(r, e)
	case scheduling.EventKilled:
		jt.killed(r, e)
	case scheduling.EventOutputLost:
		jt.work++
		r.outputLost(e.Attempt.Task.Index)
	case scheduling.EventLost:
		jt.env.cfg.Logger.Warn("node lost", "node", e.NodeName)
		n := jt.nodes[e.Node]
		n.used, n.poke = [2]int{}, false
		jt.work++
		c.Send(jt.nameNode, &nodeLost{node: dfs.NodeID(e.NodeName), life: n.life})
	case scheduling.EventFinished:
		jt.finished(r, e)
	default: // of interest to the sink only
	}
}

func (jt *jobTracker) succeeded(r *run, e *Event) {
	rep := jt.reportOf(e.Attempt)
	if rep == nil {
		panic("actors: " + e.Attempt.String() + " succeeded without a report")
	}
	e.Phases, e.Counters = &rep.phases, rep.counters
	if r.succeeded(e, rep, jt.env.places[e.Node]) {
		jt.work++
	}
}

func (jt *jobTracker) failed(r *run, e *Event) {
	rep := jt.reportOf(e.Attempt)
	if rep != nil {
		e.Phases = &rep.phases
	}
	jt.env.cfg.Logger.Warn("attempt failed", "attempt", e.Attempt, "node", e.NodeName, "err", e.Err)
	r.failed(e, rep)
}

func (jt *jobTracker) killed(r *run, e *Event) {
	if e.Reason.Cause == scheduling.CauseNodeLost {
		delete(jt.suspended, e.Attempt)
	} else {
		jt.gaveBack(e)
		jt.nodes[e.Node].poke = true
	}
	jt.work++
	r.killed(e)
}

// gaveBack counts the slot of an attempt that ended, unless it was suspended.
func (jt *jobTracker) gaveBack(e *Event) {
	if jt.suspended[e.Attempt] {
		delete(jt.suspended, e.Attempt)
		return
	}
	jt.nodes[e.Node].used[e.Attempt.Task.Kind]--
}

// reportOf finds what an attempt left, among the reports of the heartbeat at hand.
func (jt *jobTracker) reportOf(id scheduling.AttemptID) *report {
	for _, r := range jt.reports {
		if r.status.Attempt == id {
			return r
		}
	}
	return nil
}

// finished ends a run: the rest, which may block, is done by a goroutine of its own, once
// the sink has heard of the end.
func (jt *jobTracker) finished(r *run, e *Event) {
	if r == nil {
		return
	}
	delete(jt.runs, e.JobID)
	if len(jt.runs) > 0 {
		jt.work++ // a limit on jobs may have been lifted
	}
	state, c := jt.core.State(e.JobID), r.total()
	e.Counters = c
	jt.over = append(jt.over, func() { r.end(state, c, jt.registry) })
}
