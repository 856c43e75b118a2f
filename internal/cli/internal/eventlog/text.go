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

// JobOf returns the job of an event, 0 for none.
func JobOf(e *actors.Event) scheduling.JobID {
	if e.Attempt.Task.Job != 0 {
		return e.Attempt.Task.Job
	}
	return e.JobID
}

// Line returns an event as one line of text. It does not escape names.
func Line(e *actors.Event) string {
	var line strings.Builder
	add := func(format string, a ...any) { fmt.Fprintf(&line, format, a...) }
	add("%s", e.Event.String())
	switch e.Type {
	case event.Submitted:
		add(": %s of %s in %s, %s, %s", e.Name, e.User, e.Pool,
			words.Count(e.Tasks[scheduling.Map], "map"), words.Count(e.Tasks[scheduling.Reduce], "reduce"))
	case event.Shares:
		shares(e, add)
	case event.Need:
		add(": %s may claim %s", e.Pool, words.Count(e.Need, e.Kind.String()+" slot"))
	case event.Finished, event.Cordoned:
		add(" %s", e.State)
	case event.Skipped:
		skip(e, add)
	case event.Progress:
		add(": %.0f %%", 100*e.Progress)
	case event.Began:
		if b := e.Began; b != nil {
			what := map[bool]string{true: "simulated", false: "live"}[b.Simulated]
			add(": %s, %s, %s in %s, seed %d", what, e.Name, words.Count(b.Nodes, "node"), words.Count(b.Racks, "rack"), b.Seed)
		}
	default:
	}
	if p := e.Placed; p != nil && p.Center != "" {
		add("; prefers %s, weighted distance there %d, here %d", p.Center, p.AtCenter, p.Here)
		if p.Mean > 0 {
			add(", at best %d, in the mean %d", p.Best, p.Mean)
		}
	}
	if e.Held > 0 {
		add(", suspended for %v in all", e.Held.Round(time.Microsecond))
	}
	if e.Phases != nil {
		add(", took %v", (e.At - e.Phases.Start).Round(time.Microsecond))
	}
	return line.String()
}

// skip describes a skip: the kind of task, the allowed locality and the end of the wait.
func skip(e *actors.Event, add func(string, ...any)) {
	if add(" (%s)", e.Kind); e.Level != "" {
		add(", may go %s", e.Level)
	}
	if e.Until > 0 {
		add(" until %v", e.Until)
		if e.Reason.Wait > 0 {
			add(", of %v in all", e.Reason.Wait+e.Until-e.At)
		}
	}
	if e.Count > 1 {
		add(", %d times so far", e.Count)
	}
}

// shares describes the fair share of a pool, queue or job, and its use of it.
func shares(e *actors.Event, add func(string, ...any)) {
	of := e.Pool
	if e.JobID != 0 {
		of = e.JobID.String()
	}
	add(" of %s: %.4g map slots, %.4g reduce slots; runs %d and %d of %d and %d",
		of, e.Shares[scheduling.Map], e.Shares[scheduling.Reduce],
		e.Running[scheduling.Map], e.Running[scheduling.Reduce], e.Demand[scheduling.Map], e.Demand[scheduling.Reduce])
	for k, v := range e.Virtual {
		if v != (event.Projected{}) {
			add("; %s: %v of work left, done at %v in the virtual cluster",
				scheduling.TaskKind(k), v.Left.Round(time.Millisecond), v.Finish.Round(time.Millisecond))
		}
	}
}
