package simulator

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// killed ends an attempt that the Core has killed. If it has succeeded but its node has not
// reported that, the report becomes that of a killed attempt.
func (s *sim) killed(i int32, o scheduling.Action) {
	overtaken := o.Reason.Cause == event.CauseSuperseded
	preempted := false
	switch o.Reason.Cause {
	case event.CausePreempted, event.CauseSmallerJob, event.CauseFlowMoved:
		preempted = true
	default:
	}
	job := s.byID[o.Attempt.Task.Job]
	j := &s.jobs[job]
	var lost time.Duration
	if ai := s.find(i, o.Attempt); ai >= 0 {
		lost = s.atts[ai].workedBy(s.q.now)
		s.drop(ai)
	} else {
		n := &s.nodes[i]
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

// suspend stops an attempt and frees its slots.
func (s *sim) suspend(i int32, id scheduling.AttemptID) {
	ai := s.find(i, id)
	if ai < 0 || s.atts[ai].suspended {
		return
	}
	a := &s.atts[ai]
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
	s.jobs[a.job].Preempted.Suspended++
}

// resume continues a suspended attempt.
func (s *sim) resume(i int32, id scheduling.AttemptID) {
	ai := s.find(i, id)
	if ai < 0 || !s.atts[ai].suspended {
		return
	}
	a := &s.atts[ai]
	a.suspended = false
	s.occupy(a, 1)
	a.since = s.q.now
	switch a.phase {
	case phaseRead:
		s.readFlow(ai, a.leftBytes)
	case phaseShuffle:
		s.pump(ai)
	default:
		s.until(ai, s.q.now+a.phaseRemaining)
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
	j := &s.jobs[a.job]
	if j.out == nil {
		return 0, 0 // the job has failed
	}
	return float64(j.out.present) / float64(3*j.spec.Maps), 0
}
