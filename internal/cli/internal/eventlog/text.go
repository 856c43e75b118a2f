package eventlog

import (
	"fmt"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// JobOf is the job that an event is about, 0 for none.
func JobOf(e *actors.Event) scheduling.JobID {
	if e.Attempt.Task.Job != 0 {
		return e.Attempt.Task.Job
	}
	return e.JobID
}

// Line is an event in a line for people. Names in it are as they stand in the file.
func Line(e *actors.Event) string {
	line := e.Event.String()
	switch e.Type {
	case event.Submitted:
		line += fmt.Sprintf(": %s of %s in %s, %s, %s", e.Name, e.User, e.Pool,
			words.Count(e.Tasks[scheduling.Map], "map"), words.Count(e.Tasks[scheduling.Reduce], "reduce"))
	case event.Shares:
		line += shares(e)
	case event.Need:
		line += fmt.Sprintf(": %s may claim %s", e.Pool, words.Count(e.Need, e.Kind.String()+" slot"))
	case event.Finished, event.Cordoned:
		line += " " + e.State
	case event.Skipped:
		line += skip(e)
	case event.Progress:
		line += fmt.Sprintf(": %.0f %%", 100*e.Progress)
	case event.Began:
		line += began(e)
	default:
	}
	if e.Placed != nil && e.Placed.Center != "" {
		line += fmt.Sprintf("; center %s, weighted distance there %d, here %d",
			e.Placed.Center, e.Placed.AtCenter, e.Placed.Here)
		if e.Placed.Mean > 0 {
			line += fmt.Sprintf(", at best %d, in the mean %d", e.Placed.Best, e.Placed.Mean)
		}
	}
	if e.Held > 0 {
		line += fmt.Sprintf(", suspended for %v in all", e.Held.Round(time.Microsecond))
	}
	if e.Phases != nil {
		line += fmt.Sprintf(", took %v", (e.At - e.Phases.Start).Round(time.Microsecond))
	}
	return line
}

// skip says of which kind, how far the job may go now, and how long it still waits.
func skip(e *actors.Event) string {
	line := fmt.Sprintf(" (%s)", e.Kind)
	if e.Level != "" {
		line += ", may go " + e.Level
	}
	if e.Until > 0 {
		line += fmt.Sprintf(" until %v", e.Until)
		if e.Reason.Wait > 0 {
			line += fmt.Sprintf(", of %v in all", e.Reason.Wait+e.Until-e.At)
		}
	}
	if e.Count > 1 {
		line += fmt.Sprintf(", %d times so far", e.Count)
	}
	return line
}

// shares says what a pool, queue or job should have and has.
func shares(e *actors.Event) string {
	of := e.Pool
	if e.JobID != 0 {
		of = e.JobID.String()
	}
	var line strings.Builder
	fmt.Fprintf(&line, " of %s: %.4g map slots, %.4g reduce slots; runs %d and %d of %d and %d",
		of, e.Shares[scheduling.Map], e.Shares[scheduling.Reduce],
		e.Running[scheduling.Map], e.Running[scheduling.Reduce], e.Demand[scheduling.Map], e.Demand[scheduling.Reduce])
	for k, v := range e.Virtual {
		if v != (event.Projected{}) {
			fmt.Fprintf(&line, "; %s: %v of work left, done at %v in the virtual cluster",
				scheduling.TaskKind(k), v.Left.Round(time.Millisecond), v.Finish.Round(time.Millisecond))
		}
	}
	return line.String()
}

// began says what run begins.
func began(e *actors.Event) string {
	b := e.Began
	if b == nil {
		return ""
	}
	what := "live"
	if b.Simulated {
		what = "simulated"
	}
	line := fmt.Sprintf(": %s, %s, %s in %s, seed %d", what, e.Name, words.Count(b.Nodes, "node"), words.Count(b.Racks, "rack"), b.Seed)
	if !b.Wall.IsZero() {
		line += ", " + b.Wall.Format(time.RFC3339)
	}
	return line
}
