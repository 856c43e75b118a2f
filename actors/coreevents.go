package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// apply brings the runs up to one event of the Core.
func (jt *jobTracker) apply(c actor.Context, e *Event) {
	r := jt.runs[e.JobID]
	switch e.Type {
	case event.Launched:
		r.launched(e)
	case event.Succeeded:
		jt.succeeded(r, e)
	case event.Failed:
		jt.failed(r, e)
	case event.Killed:
		r.killed(e)
	case event.OutputLost:
		r.outputLost(e.Attempt.Task.Index)
	case event.Lost:
		jt.env.cfg.Logger.Warn("node lost", "node", e.NodeName)
		c.Send(jt.nameNode, &nodeLost{node: dfs.NodeID(e.NodeName), life: jt.nodes[e.Node].life})
	case event.Finished:
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
	r.succeeded(e, rep, jt.env.places[e.Node])
}

func (jt *jobTracker) failed(r *run, e *Event) {
	rep := jt.reportOf(e.Attempt)
	if rep != nil {
		e.Phases = &rep.phases
	}
	jt.env.cfg.Logger.Warn("attempt failed", "attempt", e.Attempt, "node", e.NodeName, "err", e.Err)
	r.failed(e, rep)
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
	delete(jt.keys, r.key)
	state, c := jt.core.View().State(e.JobID), r.total()
	r.judged(e.Err)
	e.Counters = c
	jt.ends = append(jt.ends, func() { r.end(state, c, jt.registry) })
}
