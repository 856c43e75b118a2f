package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/view"
)

func (w *world) submit(now time.Duration, args []string) error {
	name := args[0]
	if !validName(name) {
		return fmt.Errorf("submit needs the job's name")
	}
	if _, twice := w.jobs[name]; twice {
		return fmt.Errorf("job %s twice", name)
	}
	spec := scheduling.JobSpec{Name: name, User: name, SlotsPerTask: 1, MapTime: 10 * time.Second, ReduceTime: 10 * time.Second}
	data := ""
	err := table{
		"maps": whole(&spec.Maps, 0), "reduces": whole(&spec.Reduces, 0), "slots-per-task": whole(&spec.SlotsPerTask, 1),
		"map-time": span(&spec.MapTime), "reduce-time": span(&spec.ReduceTime), "user": word(&spec.User), "data": word(&data),
		"priority": func(text string) (err error) {
			spec.Priority, err = scheduling.ParsePriority(text)
			return err
		},
		"pool": func(text string) error {
			spec.Pool = text
			return w.only("pools", "pools")
		},
		"queue": func(text string) error {
			spec.Queue = text
			return w.only("capacity", "queues")
		},
	}.read(args[1:])
	if err == nil && data != "" {
		spec.Places, err = w.places(data, spec.Maps)
	}
	if err != nil {
		return err
	}
	id, err := w.core.Submit(now, spec)
	if err != nil {
		return err
	}
	w.jobs[name] = id
	w.names = append(w.names, name)
	return w.core.Update(now)
}

// places parses a data specification such as 0:tt1,1-3:tt3|tt4,4:all.
func (w *world) places(spec string, maps int) (scheduling.Places, error) {
	of := make([][]scheduling.NodeID, maps)
	for part := range strings.SplitSeq(spec, ",") {
		span, names, ranged := strings.Cut(part, ":")
		from, to := 0, maps-1
		if !ranged {
			names = span
			if strings.Contains(spec, ",") {
				return scheduling.Places{}, fmt.Errorf("data: %q is not of the form MAPS:NODES", part)
			}
		} else {
			first, last, isRange := strings.Cut(span, "-")
			if !isRange {
				last = first
			}
			var err1, err2 error
			from, err1 = strconv.Atoi(first)
			to, err2 = strconv.Atoi(last)
			if err1 != nil || err2 != nil || from < 0 || to < from || to >= maps {
				return scheduling.Places{}, fmt.Errorf("data: %q is not a range of the %d maps", span, maps)
			}
		}
		nodes, err := w.nodesNamed(names)
		if err != nil {
			return scheduling.Places{}, err
		}
		for m := from; m <= to; m++ {
			of[m] = nodes
		}
	}
	p := scheduling.Places{Offsets: []int32{0}}
	for _, nodes := range of {
		p.Nodes = append(p.Nodes, nodes...)
		p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
	}
	return p, nil
}

// nodesNamed returns the nodes of a text such as "tt3|tt4" or "all".
func (w *world) nodesNamed(names string) ([]scheduling.NodeID, error) {
	list := strings.Split(names, "|")
	if names == "all" {
		list = w.all
	}
	var ids []scheduling.NodeID
	for _, name := range list {
		if !slices.Contains(w.all, name) {
			return nil, fmt.Errorf("unknown node %q", name)
		}
		ids = append(ids, w.core.NodeID(name))
	}
	return ids, nil
}

func (w *world) set(now time.Duration, args []string) error {
	id, err := w.job(args[0])
	if err != nil {
		return err
	}
	move := func(name string) error { return w.core.SetPool(now, id, name) }
	err = table{"pool": move, "queue": move, "priority": func(text string) error {
		p, err := scheduling.ParsePriority(text)
		if err != nil {
			return err
		}
		return w.core.SetPriority(now, id, p)
	}}.read(args[1:])
	if err != nil {
		return err
	}
	return w.core.Update(now)
}

func (w *world) kill(now time.Duration, args []string) error {
	id, err := w.job(args[0])
	if err != nil {
		return err
	}
	return w.core.Kill(now, id)
}

// report returns a statement that reports to the core that running attempts have ended.
func report(state scheduling.AttemptState) func(w *world, now time.Duration, args []string) error {
	return func(w *world, now time.Duration, args []string) error {
		for _, arg := range args {
			live, err := w.attempt(arg)
			if err != nil {
				return err
			}
			s := scheduling.Status{Attempt: live.ID, State: state, Progress: 1, Err: "failed by the scenario"}
			if err := w.tell(now, live.Node, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// progress reports the progress of running attempts to the core, as regular heartbeats do; for a
// reduce, the fraction of its input that its function has consumed.
func (w *world) progress(now time.Duration, args []string) error {
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		live, err := w.attempt(name)
		if err != nil {
			return err
		}
		part, err := strconv.ParseFloat(value, 64)
		if err != nil || !(part >= 0 && part <= 1) {
			return fmt.Errorf("progress %s: want a number from 0 to 1", arg)
		}
		s := scheduling.Status{Attempt: live.ID, Progress: part}
		if live.ID.Task.Kind == scheduling.Reduce {
			s.ReduceProgress = part
		}
		switch {
		case part < live.Progress:
			return fmt.Errorf("progress %s: it has been at %v", arg, live.Progress)
		case !w.usesProgress(live.ID.Task.Kind):
			return fmt.Errorf("progress %s has no effect: scheduler %s looks at none of a %v; speculation.rule native or late does, "+
				"and at that of reduces reduce-placement=cogrs|larts and hfsp with training=on", arg, w.policy.Name, live.ID.Task.Kind)
		}
		if err := w.tell(now, live.Node, s); err != nil {
			return err
		}
	}
	return w.core.Update(now)
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

// attempt returns the oldest running attempt of task arg, such as J1.m0; J1.m0@tt2 selects a node.
func (w *world) attempt(arg string) (view.Attempt, error) {
	name, on, placed := strings.Cut(arg, "@")
	id, err := w.task(name)
	if err != nil {
		return view.Attempt{}, err
	}
	for _, a := range w.core.View().Attempts(id) {
		if !a.Suspended && (!placed || w.core.View().NodeName(a.Node) == on) {
			return a, nil
		}
	}
	return view.Attempt{}, fmt.Errorf("task %s does not run", arg)
}

// tell reports the state of an attempt to the core, in a heartbeat of node n that asks for no work.
func (w *world) tell(now time.Duration, n scheduling.NodeID, s scheduling.Status) error {
	_, err := w.core.Heartbeat(now, scheduling.Heartbeat{Node: n, Statuses: []scheduling.Status{s}, NoWork: true})
	return err
}

// unfetched reports to the core that a running reduce cannot fetch the outputs of some maps.
func (w *world) unfetched(now time.Duration, args []string) error {
	id, err := w.task(args[0])
	if err != nil {
		return err
	}
	live, ok := w.core.View().Live(id)
	if !ok || live.Suspended || id.Kind != scheduling.Reduce {
		return fmt.Errorf("%s is not a running reduce", args[0])
	}
	s := scheduling.Status{Attempt: live.ID}
	for _, arg := range args[1:] {
		m, err := w.task(arg)
		if err != nil {
			return err
		}
		_, try, ok := w.core.View().Output(m)
		if !ok || m.Job != id.Job {
			return fmt.Errorf("%s is not a done map of the job", arg)
		}
		s.Lost = append(s.Lost, scheduling.LostOutput{Map: m.Index, Try: try, Unreachable: true})
	}
	return w.tell(now, live.Node, s)
}

func (w *world) output(now time.Duration, args []string) error {
	id, err := w.task(args[0])
	if err != nil {
		return err
	}
	v, err := w.core.View().Job(id.Job)
	if err != nil {
		return err
	}
	if id.Kind != scheduling.Map || len(args)-1 != v.Kinds[scheduling.Reduce].Total {
		return fmt.Errorf("want the output of a map for each of %d reduces", v.Kinds[scheduling.Reduce].Total)
	}
	var bytes []int64
	for _, arg := range args[1:] {
		b, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || b < 0 {
			return fmt.Errorf("%q is not a number of bytes", arg)
		}
		bytes = append(bytes, b)
	}
	return w.core.MapOutput(now, id, bytes)
}

func (w *world) job(name string) (scheduling.JobID, error) {
	id, ok := w.jobs[name]
	if !ok {
		return 0, fmt.Errorf("unknown job %q", name)
	}
	return id, nil
}

// task returns the task that a scenario calls J1.m0 (map 0 of J1) or J1.r3 (reduce 3).
func (w *world) task(s string) (scheduling.TaskID, error) {
	name, rest, _ := strings.Cut(s, ".")
	job, err := w.job(name)
	if err != nil {
		return scheduling.TaskID{}, err
	}
	v, err := w.core.View().Job(job)
	if err != nil {
		return scheduling.TaskID{}, err
	}
	if len(rest) >= 2 && (rest[0] == 'm' || rest[0] == 'r') {
		kind := scheduling.Map
		if rest[0] == 'r' {
			kind = scheduling.Reduce
		}
		if i, err := strconv.Atoi(rest[1:]); err == nil && i >= 0 && i < v.Kinds[kind].Total {
			return scheduling.TaskID{Job: job, Kind: kind, Index: int32(i)}, nil
		}
	}
	return scheduling.TaskID{}, fmt.Errorf("unknown task %q", s)
}

// nameOf returns the name of a task in the scenario, such as J1.m0.
func (w *world) nameOf(id scheduling.TaskID) string {
	return fmt.Sprintf("%s.%c%d", w.names[id.Job-1], "mr"[id.Kind], id.Index)
}

// node makes a node join.
func (w *world) node(now time.Duration, args []string) error {
	n, err := w.parseNode(args)
	if err != nil {
		return err
	}
	return w.join(now, n)
}

func (w *world) nodeNamed(name string) (scheduling.NodeID, error) {
	id, ok := w.core.View().Lookup(name)
	if !ok {
		return 0, fmt.Errorf("unknown node %q", name)
	}
	return id, nil
}
