package scenario

import (
	"fmt"

	"github.com/tarry-mr/tarry/scheduling"
)

// note keeps what the core says it did and why, for -v.
func (w *world) note(e scheduling.Event) {
	verb := ""
	switch e.Type {
	case scheduling.EventLaunched:
		verb = "launch"
	case scheduling.EventKilled:
		verb = "kill"
	case scheduling.EventSuspended:
		verb = "suspend"
	case scheduling.EventResumed:
		verb = "resume"
	case scheduling.EventNeed:
		w.keep(e, fmt.Sprintf("pool %s may claim %v slots: %d", e.Pool, e.Kind, e.Need))
		return
	case scheduling.EventWarning:
		w.keep(e, "warning: "+e.Err)
		return
	default: // what the scenario says itself, or asks
		return
	}
	text := fmt.Sprintf("%s %s on %s", verb, w.nameOf(e.Attempt.Task), e.NodeName)
	if e.Reason.Cause != scheduling.NoCause {
		text += ": " + e.Reason.String()
	}
	if e.Placed != nil && e.Placed.Center != "" {
		text += fmt.Sprintf("; center %s at distance %d, here %d", e.Placed.Center, e.Placed.AtCenter, e.Placed.Here)
	}
	w.keep(e, text)
}

// keep keeps a note; in a cluster that drives itself, with its time.
func (w *world) keep(e scheduling.Event, text string) {
	if w.drives {
		text = fmt.Sprintf("at %v: %s", e.At, text)
	}
	w.noted = append(w.noted, text)
}

// takeNotes gives what was kept since the last call.
func (w *world) takeNotes() []string {
	list := w.noted
	w.noted = nil
	return list
}
