package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// The names of jobs, tasks, attempts and nodes in a scenario. A name of nothing is a mistake.

// validName reports whether s consists of letters, digits, - and _.
func validName(s string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != ""
}

func (w *world) job(name string) scheduling.JobID {
	id, ok := w.jobs[name]
	if !ok {
		refuse("unknown job %q", name)
	}
	return id
}

// task returns the task that a scenario calls J1.m0 (map 0 of J1) or J1.r3 (reduce 3).
func (w *world) task(s string) scheduling.TaskID {
	name, rest, _ := strings.Cut(s, ".")
	id := scheduling.TaskID{Job: w.job(name)}
	kinds := must(w.core.View().Job(id.Job)).Kinds
	number, isTask := strings.CutPrefix(rest, "m")
	if !isTask {
		id.Kind = scheduling.Reduce
		number, isTask = strings.CutPrefix(rest, "r")
	}
	i, err := strconv.Atoi(number)
	if !isTask || err != nil || i < 0 || i >= kinds[id.Kind].Total {
		refuse("unknown task %q", s)
	}
	id.Index = int32(i)
	return id
}

// nameOf returns the name of a task in the scenario, such as J1.m0.
func (w *world) nameOf(id scheduling.TaskID) string {
	return fmt.Sprintf("%s.%c%d", w.names[id.Job-1], "mr"[id.Kind], id.Index)
}

// attempt returns the oldest running attempt of task arg, such as J1.m0; J1.m0@tt2 selects a node.
func (w *world) attempt(arg string) view.Attempt {
	name, on, placed := strings.Cut(arg, "@")
	for _, a := range w.core.View().Attempts(w.task(name)) {
		if !a.Suspended && (!placed || w.core.View().NodeName(a.Node) == on) {
			return a
		}
	}
	refuse("task %s does not run", arg)
	return view.Attempt{}
}

// node returns a node that has joined.
func (w *world) node(name string) scheduling.NodeID {
	id, ok := w.core.View().Lookup(name)
	if !ok {
		refuse("unknown node %q", name)
	}
	return id
}

// nodesNamed returns the nodes of a text such as "tt3|tt4" or "all"; they may join later.
func (w *world) nodesNamed(names string) (ids []scheduling.NodeID) {
	list := strings.Split(names, "|")
	if names == "all" {
		list = w.all
	}
	for _, name := range list {
		if !slices.Contains(w.all, name) {
			refuse("unknown node %q", name)
		}
		ids = append(ids, w.core.NodeID(name))
	}
	return ids
}

// kindArg returns the kind of task that the only argument names; maps by default.
func kindArg(args []string) scheduling.TaskKind {
	switch {
	case len(args) == 0 || args[0] == "map":
		return scheduling.Map
	case args[0] != "reduce":
		refuse("unexpected %q", args[0])
	}
	return scheduling.Reduce
}
