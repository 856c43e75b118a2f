package play

import (
	"fmt"
	"maps"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// Parting is the first decision at which two runs on the same workload part ways.
type Parting struct {
	At    time.Duration `json:"at"` // of the earlier side
	Words string        `json:"words"`
	Sides [2]Side       `json:"sides"`
}

// Side is what one of the runs did.
type Side struct {
	Policy   string `json:"policy"`
	Did      string `json:"did"`                // in words; what it did next
	Why      string `json:"why,omitempty"`      // its reason
	Instead  string `json:"instead,omitempty"`  // what it says of the other's choice: why it did not do that
	Decision int    `json:"decision,omitempty"` // number, from 1
}

// decision is one of the events that are decisions.
type decision struct {
	event scheduling.Event
	skips map[scheduling.JobID]scheduling.Event // the last skip of each job before it, of either kind
}

// decides tells what counts as a decision.
func decides(e *scheduling.Event) bool {
	switch e.Type {
	case scheduling.EventLaunched, scheduling.EventSuspended, scheduling.EventResumed:
		return true
	case scheduling.EventKilled:
		return e.Reason.Cause == scheduling.CausePreempted || e.Reason.Cause == scheduling.CauseSmallerJob || e.Reason.Cause == scheduling.CauseFlowMoved
	default:
		return false
	}
}

// same tells whether two decisions are one: who does what, where and when.
func same(a, b *scheduling.Event) bool {
	return a.At == b.At && a.Type == b.Type && a.Attempt == b.Attempt && a.Node == b.Node
}

// part runs two set-ups on the first one's workload, cluster and seed, and compares.
func part(r *Request, a *Answer, sink Sink) error {
	other := r.Setup
	other.Policy, other.Set, other.Weights = r.Other.Policy, r.Other.Set, r.Other.Weights
	var events [2][]scheduling.Event
	var names [2]string
	for side, s := range []*Setup{&r.Setup, &other} {
		pass := tell(sink, side)
		res, err := s.run(func(e scheduling.Event) {
			if pass != nil {
				pass(e)
			}
			if decides(&e) || e.Type == scheduling.EventSkipped {
				events[side] = append(events[side], e)
			}
			if e.Type == scheduling.EventBegan {
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
	a.Parting, a.Quantities = parting(events, names), Quantities(a.Report, a.Against)
	return nil
}

// parting finds the first decision that differs.
func parting(events [2][]scheduling.Event, names [2]string) *Parting {
	var lists [2][]decision
	for side := range lists {
		skips := map[scheduling.JobID]scheduling.Event{}
		for _, e := range events[side] {
			if e.Type == scheduling.EventSkipped {
				skips[e.JobID] = e
				continue
			}
			lists[side] = append(lists[side], decision{e, maps.Clone(skips)})
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
		return explain(at, names, i+1)
	}
	return nil
}

// explain puts the parting into words, from both sides.
func explain(at [2]*decision, names [2]string, n int) *Parting {
	p := &Parting{At: -1}
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
		s.Did, s.Why = did(&d.event), d.event.Why()
	}
	for side, d := range at {
		if d == nil || at[1-side] == nil {
			continue
		}
		theirs := &at[1-side].event
		skip, skipped := d.skips[theirs.Attempt.Task.Job]
		switch {
		case skipped && skip.Kind == theirs.Attempt.Task.Kind && skip.Reason.Cause != scheduling.NoCause:
			p.Sides[side].Instead = fmt.Sprintf("%v was passed over for %s: %s", theirs.Attempt.Task.Job, on(&skip), skip.Why())
		case d.event.Attempt.Task.Job != theirs.Attempt.Task.Job:
			p.Sides[side].Instead = fmt.Sprintf("%v comes before %v in its order", d.event.Attempt.Task.Job, theirs.Attempt.Task.Job)
		case d.event.At < theirs.At:
			p.Sides[side].Instead = "it does not wait so long"
		default:
			p.Sides[side].Instead = "it had decided otherwise already"
		}
	}
	alike := "They differ from the first decision on:"
	if n > 1 {
		alike = fmt.Sprintf("Decisions 1 to %d are the same. Then", n-1)
	}
	p.Words = fmt.Sprintf("%s %s %s; %s %s.", alike, names[0], p.Sides[0].Did, names[1], p.Sides[1].Did)
	return p
}

// on says for which slot a job was passed over.
func on(e *scheduling.Event) string {
	if e.NodeName == "" {
		return "a slot"
	}
	return "a slot on " + e.NodeName
}

// did is a decision in words.
func did(e *scheduling.Event) string {
	verb := map[scheduling.EventType]string{
		scheduling.EventLaunched: "launches", scheduling.EventSuspended: "suspends", scheduling.EventResumed: "resumes", scheduling.EventKilled: "kills",
	}[e.Type]
	near := ""
	if e.Type == scheduling.EventLaunched && e.Near != "" {
		near = ", " + e.Near
	}
	return fmt.Sprintf("%s %v on %s at %v%s", verb, e.Attempt, e.NodeName, e.At, near)
}
