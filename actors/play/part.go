package play

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/scheduling/event"
)

// Divergence is the first decision in which two runs on the same workload differ.
type Divergence struct {
	At    time.Duration `json:"at"`    // time of the earlier of the two decisions
	Words string        `json:"words"` // the divergence in one or two sentences
	Sides [2]Side       `json:"sides"`
}

// Side explains the decision of one of the two runs.
type Side struct {
	Policy   string `json:"policy"`
	Did      string `json:"did"`                // the decision in words
	Why      string `json:"why,omitempty"`      // its reason
	Instead  string `json:"instead,omitempty"`  // why the run did not decide as the other one
	Decision int    `json:"decision,omitempty"` // the decision's number in the run, from 1
}

// passedOver returns why a run did not make theirs, the other run's launch, before mine: the last
// skip before it of the same job and kind, on the same node or, if none is there, on any. nil means
// no skip.
func passedOver(before []event.Event, mine, theirs *event.Event) *event.Event {
	var found *event.Event
	for i := len(before) - 1; i >= 0; i-- {
		e := &before[i]
		switch {
		case e.JobID != theirs.Attempt.Task.Job || e.Kind != theirs.Attempt.Task.Kind:
		case e.Type == event.Launched:
			return found // reasons of skips before a launch no longer apply
		case e.Type != event.Skipped || e.Reason.Cause == event.NoCause || e.Reason.Cause == event.CauseNoSlot:
		case e.Reason.Cause == event.CauseSlowStart && e.At < mine.At: // slow start may have ended since
		case e.Node == theirs.Node:
			return e
		case found == nil:
			found = e
		}
	}
	return found
}

// decides reports whether an event is a decision of the policy.
func decides(e *event.Event) bool {
	switch e.Type {
	case event.Launched, event.Suspended, event.Resumed:
		return true
	case event.Killed:
		return e.Reason.Cause == event.CausePreempted || e.Reason.Cause == event.CauseSmallerJob || e.Reason.Cause == event.CauseFlowMoved
	default:
		return false
	}
}

// same reports whether two decisions have the same time, type, attempt and node.
func same(a, b *event.Event) bool {
	return a.At == b.At && a.Type == b.Type && a.Attempt == b.Attempt && a.Node == b.Node
}

// part answers a request "part": it simulates the set-up under its own policy and under that of
// Other. It sets the reports, quantities and divergence of a.
func part(r *Request, a *Answer, sink Sink) error {
	other := r.Setup
	other.Policy, other.Set, other.Weights = r.Other.Policy, r.Other.Set, r.Other.Weights
	var events [2][]event.Event
	var names [2]string
	for side, s := range []*Setup{&r.Setup, &other} {
		pass := tell(sink, side)
		res, err := s.run(nil, func(e event.Event) {
			if pass != nil {
				pass(e)
			}
			if decides(&e) || e.Type == event.Skipped {
				events[side] = append(events[side], e)
			}
			if e.Type == event.Began {
				names[side] = e.Name
			}
		})
		if err != nil {
			return err
		}
		if side == 0 {
			a.Report, a.Stats = &res.Report, &res.Stats
		} else {
			a.Against = &res.Report
		}
	}
	if names[0] == names[1] {
		names[0], names[1] = names[0]+" (first)", names[1]+" (second)"
	}
	a.Divergence, a.Quantities = divergence(events, names), Quantities(a.Report, a.Against)
	return nil
}

// divergence returns the first decision in which two runs differ, or nil, from their events.
func divergence(events [2][]event.Event, names [2]string) *Divergence {
	var at [2]int // places of the next decisions
	for n := 1; ; n++ {
		var next [2]*event.Event
		for side, list := range events {
			for at[side] < len(list) && list[at[side]].Type == event.Skipped {
				at[side]++
			}
			if at[side] < len(list) {
				next[side] = &list[at[side]]
			}
		}
		switch {
		case next[0] == nil && next[1] == nil:
			return nil
		case next[0] == nil || next[1] == nil || !same(next[0], next[1]):
			return explain(next, at, events, names, n)
		}
		at[0]++
		at[1]++
	}
}

// explain describes, for both sides, their decisions number n, which differ and are at these places
// of events. A run without one has ended.
func explain(next [2]*event.Event, at [2]int, events [2][]event.Event, names [2]string, n int) *Divergence {
	p := &Divergence{At: -1}
	for side, mine := range next {
		s := &p.Sides[side]
		s.Policy, s.Decision = names[side], n
		if mine == nil {
			s.Did = "is done: nothing is left to decide"
			continue
		}
		if p.At < 0 || mine.At < p.At {
			p.At = mine.At
		}
		s.Did, s.Why = describe(mine), mine.Why()
		if theirs := next[1-side]; theirs != nil {
			s.Instead = instead(events[side], at[side], theirs)
		}
	}
	alike := "They differ from the first decision on:"
	if n == 2 {
		alike = "Decision 1 is the same. Then"
	} else if n > 2 {
		alike = fmt.Sprintf("Decisions 1 to %d are the same. Then", n-1)
	}
	p.Words = fmt.Sprintf("%s %s %s; %s %s.", alike, names[0], p.Sides[0].Did, names[1], p.Sides[1].Did)
	return p
}

// instead explains why the run of events decided events[at] and not theirs, the other run's
// decision.
func instead(events []event.Event, at int, theirs *event.Event) string {
	mine, job := &events[at], theirs.Attempt.Task.Job
	skip := passedOver(events[:at], mine, theirs)
	switch {
	case skip != nil && (skip.Node == theirs.Node || mine.Attempt.Task.Job != job || mine.At > theirs.At):
		return fmt.Sprintf("%v was passed over for %s: %s", job, on(skip), skip.Why())
	case mine.Attempt.Task.Job != job:
		return fmt.Sprintf("%v comes before %v in its order", mine.Attempt.Task.Job, job)
	case mine.At < theirs.At:
		return "it does not wait so long"
	case mine.Attempt == theirs.Attempt:
		return fmt.Sprintf("it started the same task on %s: %s", mine.NodeName, mine.Why())
	}
	for _, e := range events[at+1:] {
		if e.Type == theirs.Type && e.Attempt == theirs.Attempt {
			return "that comes later: it " + describe(&e)
		}
	}
	return "that never comes"
}

// on returns the slot of a skip in words, with its node if that is known.
func on(e *event.Event) string {
	if e.NodeName == "" {
		return "a slot"
	}
	return "a slot on " + e.NodeName
}

// describe returns a decision in words.
func describe(e *event.Event) string {
	verb := map[event.Type]string{
		event.Launched: "launches", event.Suspended: "suspends", event.Resumed: "resumes", event.Killed: "kills",
	}[e.Type]
	near := ""
	if e.Type == event.Launched && e.Near != "" {
		near = ", " + e.Near
	}
	return fmt.Sprintf("%s %v on %s at %v%s", verb, e.Attempt, e.NodeName, e.At, near)
}
