package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// answer is what the core says to a question.
type answer struct {
	words []string // compared as a whole
	set   bool     // … in any order
	pairs bool     // NAME=VALUE words, of which those asked for are compared
	notes []string // reasons for idle slots, shown with -v
}

// ask answers a question. want holds the names expected, as far as they choose what to list.
func (w *world) ask(s statement) (answer, error) {
	args := s.words[1:]
	switch s.words[0] {
	case "heartbeat":
		return w.heartbeat(s.at, args)
	case "shares", "demand", "running", "weights":
		return w.perJob(s)
	case "runnable":
		return w.jobList(w.core.View().Runnable(), args)
	case "order":
		kind, err := kindArg(args)
		return answer{words: w.jobNames(w.core.View().Order(kind))}, err
	case "need":
		return w.need(), noArgs(args)
	case "preempt":
		return w.preempt(s.at, args)
	case "commit":
		return w.commit(args)
	case "locality":
		return w.locality(args)
	case "capacities":
		return w.capacities(), noArgs(args)
	case "virtual":
		return w.virtual(args)
	case "gravity", "wtnd", "tnd":
		return w.distance(s.words[0], args)
	}
	return answer{}, fmt.Errorf("unknown statement %q", s.words[0])
}

// commit asks whether an attempt may commit.
func (w *world) commit(args []string) (answer, error) {
	if len(args) != 1 {
		return answer{}, fmt.Errorf("want: commit TASK")
	}
	live, err := w.attempt(args[0])
	if err != nil {
		return answer{}, err
	}
	if w.core.MayCommit(live.ID) {
		return answer{words: []string{"yes"}}, nil
	}
	return answer{words: []string{"no"}}, nil
}

func noArgs(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected %q", args[0])
	}
	return nil
}

func kindArg(args []string) (scheduling.TaskKind, error) {
	switch {
	case len(args) == 0 || len(args) == 1 && args[0] == "map":
		return scheduling.Map, nil
	case len(args) == 1 && args[0] == "reduce":
		return scheduling.Reduce, nil
	}
	return 0, fmt.Errorf("unexpected %q", args[len(args)-1])
}

func (w *world) jobNames(ids []scheduling.JobID) (names []string) {
	for _, id := range ids {
		names = append(names, w.names[id-1])
	}
	return names
}

func (w *world) jobList(ids []scheduling.JobID, args []string) (answer, error) {
	return answer{words: w.jobNames(ids)}, noArgs(args)
}

// heartbeat lets a node ask for work.
func (w *world) heartbeat(now time.Duration, args []string) (answer, error) {
	if len(args) != 1 {
		return answer{}, fmt.Errorf("want: heartbeat NODE")
	}
	id, err := w.node(args[0])
	if err != nil {
		return answer{}, err
	}
	got, err := w.core.Heartbeat(now, scheduling.Heartbeat{Node: id})
	if err != nil {
		return answer{}, err
	}
	if w.drive != nil {
		w.drive.perform(now, got.Actions)
	}
	var a answer
	for _, o := range got.Actions {
		switch {
		case o.Verb == scheduling.Launch && o.Reason.Cause == event.CauseSlowTask:
			a.words = append(a.words, "copy", w.nameOf(o.Attempt.Task))
		case o.Verb == scheduling.Launch:
			a.words = append(a.words, w.nameOf(o.Attempt.Task))
		case o.Verb == scheduling.Kill && w.gone[o.Attempt]:
			delete(w.gone, o.Attempt)
		default:
			a.words = append(a.words, o.Verb.String(), w.nameOf(o.Attempt.Task))
		}
	}
	if w.explain {
		for _, s := range w.core.View().IdleReasons(id) {
			note := fmt.Sprintf("idle %v slot: %s: %v", s.Kind, w.names[s.Job-1], s.Reason)
			if s.Until > 0 {
				note += fmt.Sprintf(", until %v", s.Until)
			}
			a.notes = append(a.notes, note)
		}
	}
	return a, nil
}

// perJob answers the questions about jobs, pools and queues: those named in the expected answer,
// else all jobs.
func (w *world) perJob(s statement) (answer, error) {
	a := answer{pairs: true}
	if err := noArgs(s.words[1:]); err != nil {
		return a, err
	}
	var names []string
	for _, e := range s.expected {
		if name, _, ok := strings.Cut(e, "="); ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = w.jobNames(w.core.View().Active())
	}
	for _, name := range names {
		k, err := w.kinds(name)
		if err != nil {
			return a, err
		}
		a.words = append(a.words, name+"="+show(s.words[0], k))
	}
	return a, nil
}

// kinds finds a job or, as pool:NAME, a pool.
func (w *world) kinds(name string) ([2]view.Kind, error) {
	if pool, ok := strings.CutPrefix(name, "pool:"); ok {
		for _, p := range w.core.View().Pools() {
			if p.Name == pool {
				return p.Kinds, nil
			}
		}
		return [2]view.Kind{}, fmt.Errorf("unknown pool %q", pool)
	}
	if queue, ok := strings.CutPrefix(name, "queue:"); ok {
		for _, q := range w.core.View().Queues() {
			if q.Name == queue {
				return q.Kinds, nil
			}
		}
		return [2]view.Kind{}, fmt.Errorf("unknown queue %q", queue)
	}
	id, err := w.job(name)
	if err != nil {
		return [2]view.Kind{}, err
	}
	v, err := w.core.View().Job(id)
	return v.Kinds, err
}

func show(what string, k [2]view.Kind) string {
	var parts [2]string
	for i := range k {
		switch what {
		case "shares":
			if math.IsNaN(k[i].Share) {
				return "NA"
			}
			parts[i] = number(k[i].Share)
		case "weights":
			parts[i] = number(k[i].Weight)
		case "demand":
			parts[i] = strconv.Itoa(k[i].Demand)
		case "running":
			parts[i] = strconv.Itoa(k[i].Running)
		}
	}
	return parts[0] + "/" + parts[1]
}

// number shows up to three decimals.
func number(f float64) string {
	return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64)
}
