package scenario

import (
	"fmt"

	"github.com/tarry-mr/tarry/scheduling/event"
)

// note records an event of the core, such as a launch, with its reason: a line of the output of -v.
func (w *world) note(e event.Event) {
	verb := ""
	switch e.Type {
	case event.Launched:
		verb = "launch"
	case event.Killed:
		verb = "kill"
	case event.Suspended:
		verb = "suspend"
	case event.Resumed:
		verb = "resume"
	case event.Need:
		w.keep(e, fmt.Sprintf("pool %s may claim %v slots: %d", e.Pool, e.Kind, e.Need))
		return
	case event.Warning:
		w.keep(e, "warning: "+e.Err)
		return
	default: // events that the scenario itself causes or asks for
		return
	}
	text := fmt.Sprintf("%s %s on %s", verb, w.nameOf(e.Attempt.Task), e.NodeName)
	if e.Reason.Cause != event.NoCause {
		text += ": " + e.Reason.String()
	}
	if e.Placed != nil && e.Placed.Center != "" {
		text += fmt.Sprintf("; preferred node %s at distance %d, here %d", e.Placed.Center, e.Placed.AtCenter, e.Placed.Here)
	}
	w.keep(e, text)
}

// keep records a line for -v; in a scenario that ends in run it begins with the event's time.
func (w *world) keep(e event.Event, text string) {
	if w.drives {
		text = fmt.Sprintf("at %v: %s", e.At, text)
	}
	w.noted = append(w.noted, text)
}

// takeNotes returns the notes, lines about the core's events for -v, since the last call.
func (w *world) takeNotes() []string {
	list := w.noted
	w.noted = nil
	return list
}
