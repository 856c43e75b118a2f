package eventlog

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
)

// JobOf is the job that an event is about, 0 for none.
func JobOf(e actors.Event) scheduling.JobID {
	if e.Attempt.Task.Job != 0 {
		return e.Attempt.Task.Job
	}
	return e.JobID
}

// Line is an event in a line for people. Names in it are as they stand in the file.
func Line(e actors.Event) string {
	line := e.Event.String()
	switch e.Type {
	case scheduling.EventSubmitted:
		line += fmt.Sprintf(": %s of %s in %s, %d maps, %d reduces",
			e.Name, e.User, e.Pool, e.Tasks[scheduling.Map], e.Tasks[scheduling.Reduce])
	case scheduling.EventShares:
		line += fmt.Sprintf(" of %s: %.4g map slots, %.4g reduce slots",
			e.Pool, e.Shares[scheduling.Map], e.Shares[scheduling.Reduce])
	case scheduling.EventNeed:
		line += fmt.Sprintf(": %s may claim %d %s slots", e.Pool, e.Need, e.Kind)
	case scheduling.EventFinished:
		line += " " + e.State
	case scheduling.EventSkipped:
		line += fmt.Sprintf(" (%s)", e.Kind)
	default:
	}
	if e.Until > 0 {
		line += fmt.Sprintf(", until %v", e.Until)
	}
	if e.Placed != nil && e.Placed.Center != "" {
		line += fmt.Sprintf("; center %s, weighted distance there %d, here %d",
			e.Placed.Center, e.Placed.AtCenter, e.Placed.Here)
	}
	if e.Phases != nil {
		line += fmt.Sprintf(", took %v", (e.At - e.Phases.Start).Round(time.Microsecond))
	}
	return line
}
