package scenario

import (
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// The statements that change something.

func (w *world) submit(s statement) {
	name := s.args[0]
	if !validName(name) {
		refuse("submit needs the job's name")
	}
	if _, twice := w.jobs[name]; twice {
		refuse("job %s twice", name)
	}
	spec := scheduling.JobSpec{Name: name, User: name, SlotsPerTask: 1, MapTime: 10 * time.Second, ReduceTime: 10 * time.Second}
	data := ""
	table{
		"maps": whole(&spec.Maps, 0), "reduces": whole(&spec.Reduces, 0), "slots-per-task": whole(&spec.SlotsPerTask, 1),
		"map-time": span(&spec.MapTime), "reduce-time": span(&spec.ReduceTime), "user": word(&spec.User), "data": word(&data),
		"priority": func(text string) bool {
			spec.Priority = must(scheduling.ParsePriority(text))
			return true
		},
		"pool": func(text string) bool {
			spec.Pool = text
			return w.only("pools", "pools")
		},
		"queue": func(text string) bool {
			spec.Queue = text
			return w.only("capacity", "queues")
		},
	}.read(s.args[1:])
	if data != "" {
		spec.Places = w.places(data, spec.Maps)
	}
	w.jobs[name] = must(w.core.Submit(s.at, spec))
	w.names = append(w.names, name)
	check(w.core.Update(s.at))
}

// only returns true if the policy has that order, and refuses otherwise; what names what other
// orders lack.
func (w *world) only(order, what string) bool {
	if w.policy.Order != order {
		refuse("scheduler %s has no %s", w.policy.Name, what)
	}
	return true
}

// places parses a data specification such as 0:tt1,1-3:tt3|tt4,4:all.
func (w *world) places(spec string, maps int) scheduling.Places {
	of := make([][]scheduling.NodeID, maps)
	for part := range strings.SplitSeq(spec, ",") {
		span, names, ranged := strings.Cut(part, ":")
		from, to := 0, maps-1
		switch {
		case ranged:
			from, to = mapRange(span, maps)
		case strings.Contains(spec, ","):
			refuse("data: %q is not of the form MAPS:NODES", part)
		default:
			names = part
		}
		nodes := w.nodesNamed(names)
		for m := from; m <= to; m++ {
			of[m] = nodes
		}
	}
	p := scheduling.Places{Offsets: []int32{0}}
	for _, nodes := range of {
		p.Nodes = append(p.Nodes, nodes...)
		p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
	}
	return p
}

// mapRange parses a range of maps such as 3 or 1-3.
func mapRange(span string, maps int) (from, to int) {
	first, last, isRange := strings.Cut(span, "-")
	if !isRange {
		last = first
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || from < 0 || to < from || to >= maps {
		refuse("data: %q is not a range of the %d maps", span, maps)
	}
	return from, to
}

func (w *world) set(s statement) {
	id := w.job(s.args[0])
	move := func(name string) bool {
		check(w.core.SetPool(s.at, id, name))
		return true
	}
	table{"pool": move, "queue": move, "priority": func(text string) bool {
		check(w.core.SetPriority(s.at, id, must(scheduling.ParsePriority(text))))
		return true
	}}.read(s.args[1:])
	check(w.core.Update(s.at))
}

// report returns a statement that reports to the core that running attempts have ended.
func report(state scheduling.AttemptState) func(w *world, s statement) {
	return func(w *world, s statement) {
		for _, arg := range s.args {
			live := w.attempt(arg)
			w.tell(s.at, live.Node, scheduling.Status{Attempt: live.ID, State: state, Progress: 1, Err: "failed by the scenario"})
		}
	}
}

// tell reports the state of an attempt to the core, in a heartbeat of node n that asks for no work.
func (w *world) tell(now time.Duration, n scheduling.NodeID, s scheduling.Status) {
	must(w.core.Heartbeat(now, scheduling.Heartbeat{Node: n, Statuses: []scheduling.Status{s}, NoWork: true}))
}

// progress reports the progress of running attempts to the core, as regular heartbeats do; for a
// reduce, the fraction of its input that its function has consumed.
func (w *world) progress(s statement) {
	for _, arg := range s.args {
		name, value, _ := strings.Cut(arg, "=")
		live := w.attempt(name)
		kind := live.ID.Task.Kind
		part, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || !(part >= 0 && part <= 1):
			refuse("progress %s: want a number from 0 to 1", arg)
		case part < live.Progress:
			refuse("progress %s: it has been at %v", arg, live.Progress)
		case !w.usesProgress(kind):
			refuse("progress %s has no effect: scheduler %s looks at none of a %v; speculation.rule native or late does, "+
				"and at that of reduces reduce-placement=cogrs|larts and hfsp with training=on", arg, w.policy.Name, kind)
		}
		status := scheduling.Status{Attempt: live.ID, Progress: part}
		if kind == scheduling.Reduce {
			status.ReduceProgress = part
		}
		w.tell(s.at, live.Node, status)
	}
	check(w.core.Update(s.at))
}

// usesProgress reports whether the policy, or a custom part of it, may use the progress of tasks.
func (w *world) usesProgress(k scheduling.TaskKind) bool {
	p := &w.policy
	switch {
	case p.Speculation.Rule != scheduling.NoSpeculation, w.opts.Parts.Orders[p.Order] != nil, p.Locality.Part != "", p.Reduce.Part != "":
		return true
	case k == scheduling.Reduce && p.NeedsSizes():
		return true
	}
	return p.NeedsProgress(k) && !p.HFSP.NoTraining
}

// unfetched reports to the core that a running reduce cannot fetch the outputs of some maps.
func (w *world) unfetched(s statement) {
	id := w.task(s.args[0])
	live, ok := w.core.View().Live(id)
	if !ok || live.Suspended || id.Kind != scheduling.Reduce {
		refuse("%s is not a running reduce", s.args[0])
	}
	status := scheduling.Status{Attempt: live.ID}
	for _, arg := range s.args[1:] {
		m := w.task(arg)
		_, try, ok := w.core.View().Output(m)
		if !ok || m.Job != id.Job {
			refuse("%s is not a done map of the job", arg)
		}
		status.Lost = append(status.Lost, scheduling.LostOutput{Map: m.Index, Try: try, Unreachable: true})
	}
	w.tell(s.at, live.Node, status)
}

func (w *world) output(s statement) {
	id := w.task(s.args[0])
	reduces := must(w.core.View().Job(id.Job)).Kinds[scheduling.Reduce].Total
	if id.Kind != scheduling.Map || len(s.args)-1 != reduces {
		refuse("want the output of a map for each of %d reduces", reduces)
	}
	var bytes []int64
	for _, arg := range s.args[1:] {
		b, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || b < 0 {
			refuse("%q is not a number of bytes", arg)
		}
		bytes = append(bytes, b)
	}
	check(w.core.MapOutput(s.at, id, bytes))
}
