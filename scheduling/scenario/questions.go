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

// timed describes a statement with a time, such as submit or heartbeat, and implements it (do).
type timed struct {
	usage       string // of the arguments
	least, most int    // number of arguments
	asks        bool   // it has an answer
	do          func(w *world, s statement, args []string) (answer, error)
}

// many means an unlimited number of arguments.
const many = math.MaxInt

// change returns a statement that changes something and has no answer.
func change(usage string, least, most int, do func(w *world, now time.Duration, args []string) error) timed {
	return timed{usage, least, most, false, func(w *world, s statement, args []string) (answer, error) {
		return answer{}, do(w, s.at, args)
	}}
}

// question returns a statement with an answer.
func question(usage string, least, most int, do func(w *world, s statement, args []string) (answer, error)) timed {
	return timed{usage, least, most, true, do}
}

// timedStatements are the statements with a time, by verb.
var timedStatements = map[string]timed{
	"node":      change("NAME [OPTION=VALUE]", 1, many, (*world).node),
	"submit":    change("JOB [OPTION=VALUE]", 1, many, (*world).submit),
	"kill":      change("JOB", 1, 1, (*world).kill),
	"set":       change("JOB priority=P or pool=P", 2, 2, (*world).set),
	"done":      change("TASK [TASK]", 1, many, report(scheduling.StateSucceeded)),
	"fail":      change("TASK [TASK]", 1, many, report(scheduling.StateFailed)),
	"output":    change("MAP BYTES [BYTES]", 2, many, (*world).output),
	"progress":  change("TASK=PART [TASK=PART]", 1, many, (*world).progress),
	"unfetched": change("REDUCE MAP [MAP]", 2, many, (*world).unfetched),

	"heartbeat":  question("NODE", 1, 1, (*world).heartbeat),
	"idle":       question("NODE", 1, 1, (*world).idle),
	"shares":     question("", 0, 0, (*world).perJob),
	"demand":     question("", 0, 0, (*world).perJob),
	"running":    question("", 0, 0, (*world).perJob),
	"weights":    question("", 0, 0, (*world).perJob),
	"runnable":   question("", 0, 0, (*world).runnable),
	"order":      question("[map or reduce]", 0, 1, (*world).order),
	"need":       question("", 0, 0, (*world).need),
	"preempt":    question("", 0, 0, (*world).preempt),
	"commit":     question("TASK", 1, 1, (*world).commit),
	"locality":   question("JOB", 1, 1, (*world).locality),
	"capacities": question("", 0, 0, (*world).capacities),
	"virtual":    question("JOB [map or reduce]", 1, 2, (*world).virtual),
	"gravity":    question("REDUCE", 1, 1, (*world).gravity),
	"wtnd":       question("REDUCE NODE", 2, 2, (*world).distance),
	"tnd":        question("REDUCE NODE", 2, 2, (*world).distance),
}

// play performs a statement that begins with a time. If it is a question (asks), a is the answer.
func (w *world) play(s statement) (a answer, asks bool, err error) {
	t, known := timedStatements[s.words[0]]
	args := s.words[1:]
	switch {
	case !known:
		return a, false, fmt.Errorf("unknown statement %q", s.words[0])
	case len(args) < t.least || len(args) > t.most:
		return a, false, fmt.Errorf("want: %s", strings.TrimSpace(s.words[0]+" "+t.usage))
	case s.asks && !t.asks:
		return a, false, fmt.Errorf("%s has no answer", s.words[0])
	}
	a, err = t.do(w, s, args)
	return a, t.asks, err
}

// answer is the core's answer to a question.
type answer struct {
	words []string // compared as a list
	set   bool     // … in any order
	pairs bool     // NAME=VALUE words, of which only the expected names are compared
	notes []string // reasons for idle slots, shown with -v
}

// commit asks whether an attempt may commit.
func (w *world) commit(_ statement, args []string) (answer, error) {
	live, err := w.attempt(args[0])
	if err != nil {
		return answer{}, err
	}
	if w.core.MayCommit(live.ID) {
		return answer{words: []string{"yes"}}, nil
	}
	return answer{words: []string{"no"}}, nil
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

func (w *world) runnable(statement, []string) (answer, error) {
	return answer{words: w.jobNames(w.core.View().Runnable())}, nil
}

func (w *world) order(_ statement, args []string) (answer, error) {
	kind, err := kindArg(args)
	return answer{words: w.jobNames(w.core.View().Order(kind))}, err
}

// heartbeat sends a heartbeat of a node that asks for work.
func (w *world) heartbeat(s statement, args []string) (answer, error) {
	id, err := w.nodeNamed(args[0])
	if err != nil {
		return answer{}, err
	}
	got, err := w.core.Heartbeat(s.at, scheduling.Heartbeat{Node: id})
	if err != nil {
		return answer{}, err
	}
	if w.drive != nil {
		w.drive.perform(got.Actions)
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
	if w.opts.Verbose {
		for _, reason := range w.idleReasons(id) {
			a.notes = append(a.notes, "idle "+reason)
		}
	}
	return a, nil
}

// idle answers why jobs leave free slots of a node idle.
func (w *world) idle(_ statement, args []string) (answer, error) {
	id, err := w.nodeNamed(args[0])
	return answer{words: strings.Fields(strings.Join(w.idleReasons(id), "; "))}, err
}

func (w *world) idleReasons(id scheduling.NodeID) (list []string) {
	for _, s := range w.core.View().IdleReasons(id) {
		reason := fmt.Sprintf("%v slot: %s: %v", s.Kind, w.names[s.Job-1], s.Reason)
		if s.Until > 0 {
			reason += fmt.Sprintf(", until %v", s.Until)
		}
		list = append(list, reason)
	}
	return list
}

// perJob answers the questions about jobs, pools and queues: those named in the expected answer, or
// all jobs.
func (w *world) perJob(s statement, _ []string) (answer, error) {
	a := answer{pairs: true}
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

// kinds returns the numbers of the named job or, for pool:NAME and queue:NAME, of a pool or queue.
func (w *world) kinds(name string) (k [2]view.Kind, err error) {
	groups := map[string][2]view.Kind{}
	for _, p := range w.core.View().Pools() {
		groups["pool:"+p.Name] = p.Kinds
	}
	for _, q := range w.core.View().Queues() {
		groups["queue:"+q.Name] = q.Kinds
	}
	if k, ok := groups[name]; ok {
		return k, nil
	}
	if what, group, ok := strings.Cut(name, ":"); ok && (what == "pool" || what == "queue") {
		return k, fmt.Errorf("unknown %s %q", what, group)
	}
	id, err := w.job(name)
	if err != nil {
		return k, err
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

// number formats a number with up to three decimals.
func number(f float64) string {
	return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64)
}
