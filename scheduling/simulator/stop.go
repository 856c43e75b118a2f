package simulator

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// killed ends an attempt that the Core has killed. If it has succeeded but its node has not
// reported that, the report becomes that of a killed attempt.
func (s *sim) killed(n *simNode, o scheduling.Action) {
	overtaken := o.Reason.Cause == event.CauseSuperseded
	preempted := false
	switch o.Reason.Cause {
	case event.CausePreempted, event.CauseSmallerJob, event.CauseFlowMoved:
		preempted = true
	default:
	}
	j := s.byID[o.Attempt.Task.Job]
	var lost time.Duration
	if a := n.find(o.Attempt); a != nil {
		lost = a.workedBy(s.q.now)
		s.drop(a)
	} else {
		at := slices.IndexFunc(n.endReports, func(r report) bool { return r.id == o.Attempt && r.state == scheduling.StateSucceeded })
		if at < 0 {
			return
		}
		n.endReports[at].state = scheduling.StateKilled
		lost = n.endReports[at].worked
	}
	if overtaken {
		j.spent += lost
	}
	if preempted {
		j.Preempted.Killed++
		j.lost += lost
	}
}

// suspend stops an attempt and frees its slots; nil, an attempt that has ended, has none.
func (s *sim) suspend(a *attempt) {
	if a == nil || a.suspended {
		return
	}
	s.occupy(a, -1)
	a.worked = a.workedBy(s.q.now)
	a.suspended = true
	a.phaseRemaining = max(0, a.ends-s.q.now)
	a.gen++
	if a.flow >= 0 {
		a.leftBytes = s.net.Left(a.flow, s.q.now)
		s.net.Stop(a.flow)
		a.flow = -1
	}
	s.stopFetching(a)
	a.job.Preempted.Suspended++
}

// resume continues a suspended attempt; nil is one that has ended.
func (s *sim) resume(a *attempt) {
	if a == nil || !a.suspended {
		return
	}
	a.suspended = false
	s.occupy(a, 1)
	a.since = s.q.now
	switch a.phase {
	case phaseRead:
		s.readFlow(a, a.leftBytes)
	case phaseShuffle:
		s.pump(a)
	default:
		s.until(a, s.q.now+a.phaseRemaining)
	}
}

// progressOf returns what a node reports of an attempt: the fraction done and, for a reduce, the
// fraction of its input that its function has consumed. A third of a reduce is its shuffle, as on a
// live node.
func (s *sim) progressOf(a *attempt) (part, reduced float64) {
	if a.phase == phaseWork && a.work > 0 {
		reduced = min(max(1-s.leftOf(a).Seconds()/a.work.Seconds(), 0), 1)
	}
	if a.id.Task.Kind == scheduling.Map {
		return reduced, 0
	}
	if a.phase == phaseWork {
		return (1 + 2*reduced) / 3, reduced
	}
	j := a.job
	if j.out == nil {
		return 0, 0 // the job has failed
	}
	return float64(j.out.present) / float64(3*j.spec.Maps), 0
}
