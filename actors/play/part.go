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

// decision is an event that is a decision of the policy, as decides reports.
type decision struct {
	event event.Event
	at    int // index in the list of its run's events
}

// passedOver returns why this run did not make theirs, the other run's launch: the last skip before
// d of the same job and kind, on the same node or, if none is there, on any. nil means no skip.
func (d *decision) passedOver(events []event.Event, theirs *event.Event) *event.Event {
	var found *event.Event
	for i := d.at - 1; i >= 0; i-- {
		e := &events[i]
		switch {
		case e.JobID != theirs.Attempt.Task.Job || e.Kind != theirs.Attempt.Task.Kind:
		case e.Type == event.Launched:
			return found // reasons of skips before a launch no longer apply
		case e.Type != event.Skipped || e.Reason.Cause == event.NoCause || e.Reason.Cause == event.CauseNoSlot:
		case e.Reason.Cause == event.CauseSlowStart && e.At < d.event.At: // slow start may have ended since
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
		res, err := s.run(func(e event.Event) {
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
	var lists [2][]decision
	for side := range lists {
		for i, e := range events[side] {
			if e.Type != event.Skipped {
				lists[side] = append(lists[side], decision{e, i})
			}
		}
	}
	for i := 0; i < len(lists[0]) || i < len(lists[1]); i++ {
		var at [2]*decision
		for side := range at {
			if i < len(lists[side]) {
				at[side] = &lists[side][i]
			}
		}
		if at[0] != nil && at[1] != nil && same(&at[0].event, &at[1].event) {
			continue
		}
		return explain(at, events, names, i+1)
	}
	return nil
}

// explain describes, for both sides, their decisions number n, which differ. One of at may be nil.
func explain(at [2]*decision, events [2][]event.Event, names [2]string, n int) *Divergence {
	p := &Divergence{At: -1}
	for side, d := range at {
		s := &p.Sides[side]
		s.Policy, s.Decision = names[side], n
		if d == nil {
			s.Did = "is done: nothing is left to decide"
			continue
		}
		if p.At < 0 || d.event.At < p.At {
			p.At = d.event.At
		}
		s.Did, s.Why = describe(&d.event), d.event.Why()
	}
	for side, d := range at {
		if d == nil || at[1-side] == nil {
			continue
		}
		p.Sides[side].Instead = instead(d, &at[1-side].event, events[side])
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

// instead explains why the run of events decided d and not theirs, the other run's decision.
func instead(d *decision, theirs *event.Event, events []event.Event) string {
	mine, job := &d.event, theirs.Attempt.Task.Job
	skip := d.passedOver(events, theirs)
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
	for i := range events[d.at+1:] {
		if e := &events[d.at+1+i]; e.Type == theirs.Type && e.Attempt == theirs.Attempt {
			return "that comes later: it " + describe(e)
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
