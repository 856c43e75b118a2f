package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// answer is the core's answer to a question.
type answer struct {
	words []string // compared as a list
	set   bool     // … in any order
	pairs bool     // NAME=VALUE words, of which only the expected names are compared
	notes []string // reasons for idle slots, shown with -v
}

// words and pairs return answers; those of pairs are of the form NAME=VALUE.
func words(list ...string) answer { return answer{words: list} }
func pairs(list ...string) answer { return answer{words: list, pairs: true} }

func (w *world) jobNames(ids []scheduling.JobID) (names []string) {
	for _, id := range ids {
		names = append(names, w.names[id-1])
	}
	return names
}

func (w *world) runnable(statement) answer { return words(w.jobNames(w.core.View().Runnable())...) }

func (w *world) order(s statement) answer {
	return words(w.jobNames(w.core.View().Order(kindArg(s.args)))...)
}

// commit asks whether an attempt may commit.
func (w *world) commit(s statement) answer {
	if w.core.MayCommit(w.attempt(s.args[0]).ID) {
		return words("yes")
	}
	return words("no")
}

// heartbeat sends a heartbeat of a node that asks for work.
func (w *world) heartbeat(s statement) (a answer) {
	id := w.node(s.args[0])
	got := must(w.core.Heartbeat(s.at, scheduling.Heartbeat{Node: id}))
	if w.drive != nil {
		w.drive.perform(got.Actions)
	}
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
	return a
}

// idle answers why jobs leave free slots of a node idle.
func (w *world) idle(s statement) answer {
	return words(strings.Fields(strings.Join(w.idleReasons(w.node(s.args[0])), "; "))...)
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
func (w *world) perJob(s statement) answer {
	var names []string
	for _, e := range s.expected {
		if name, _, ok := strings.Cut(e, "="); ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = w.jobNames(w.core.View().Active())
	}
	for i, name := range names {
		names[i] = name + "=" + show(s.verb, w.kinds(name))
	}
	return pairs(names...)
}

// kinds returns the numbers of the named job or, for pool:NAME and queue:NAME, of a pool or queue.
func (w *world) kinds(name string) [2]view.Kind {
	groups := map[string][2]view.Kind{}
	for _, p := range w.core.View().Pools() {
		groups["pool:"+p.Name] = p.Kinds
	}
	for _, q := range w.core.View().Queues() {
		groups["queue:"+q.Name] = q.Kinds
	}
	if k, ok := groups[name]; ok {
		return k
	}
	if what, group, ok := strings.Cut(name, ":"); ok && (what == "pool" || what == "queue") {
		refuse("unknown %s %q", what, group)
	}
	return must(w.core.View().Job(w.job(name))).Kinds
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

func (w *world) need(statement) answer {
	a := answer{set: true}
	for _, p := range w.core.View().Pools() {
		if p.Need != [2]int{} {
			a.words = append(a.words, fmt.Sprintf("%s=%d/%d", p.Name, p.Need[0], p.Need[1]))
		}
	}
	return a
}

func (w *world) preempt(s statement) (a answer) {
	for _, id := range must(w.core.Preempt(s.at)) {
		w.gone[id] = true
		a.words = append(a.words, w.nameOf(id.Task))
	}
	return a
}

func (w *world) locality(s statement) answer {
	v := must(w.core.View().Locality(w.job(s.args[0])))
	if w.policy.Locality.Rule == scheduling.SkipCount || w.policy.Order == "fair" {
		return pairs("skips=" + strconv.Itoa(v.Skips))
	}
	level, skipped := "ANY", "no"
	switch v.Level {
	case scheduling.NodeLocal:
		level = "NODE"
	case scheduling.RackLocal:
		level = "RACK"
	case scheduling.AnyPlace, scheduling.OffRack:
	}
	if v.Skipped {
		skipped = "yes"
	}
	return pairs("level="+level, "wait="+v.Wait.String(), "skipped="+skipped)
}

func (w *world) capacities(statement) (a answer) {
	a.pairs = true
	for _, q := range w.core.View().Queues() {
		a.words = append(a.words, fmt.Sprintf("%s=%d/%d", q.Name, q.Capacity[0], q.Capacity[1]))
	}
	return a
}

func (w *world) virtual(s statement) answer {
	v := must(w.core.View().Virtual(w.job(s.args[0]), kindArg(s.args[1:])))
	return pairs("left="+v.Left.String(), "slots="+number(v.Slots), "finish="+v.Finish.String())
}

func (w *world) gravity(s statement) answer {
	n, ok, err := w.core.View().Gravity(w.task(s.args[0]))
	check(err)
	if !ok {
		return answer{}
	}
	return words(w.core.View().NodeName(n))
}

// distance returns the question for a distance of a reduce on a node.
func distance(ask func(scheduling.View, scheduling.TaskID, scheduling.NodeID) (int64, error)) func(*world, statement) answer {
	return func(w *world, s statement) answer {
		d := must(ask(w.core.View(), w.task(s.args[0]), w.node(s.args[1])))
		return words(strconv.FormatInt(d, 10))
	}
}
