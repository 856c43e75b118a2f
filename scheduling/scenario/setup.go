package scenario

import (
	"math"
	"strconv"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// world is a running scenario: the core and the names used in the scenario.
type world struct {
	*runner

	policy  scheduling.Policy
	nodes   []scheduling.Node // known at the start
	core    *scheduling.Core
	nodeIDs []scheduling.NodeID // in node order
	all     []string            // every node that the file names
	jobs    map[string]scheduling.JobID
	names   []string                      // of jobs, by JobID-1
	gone    map[scheduling.AttemptID]bool // killed by a preempt statement and already reported
	drive   *driver                       // nil unless the file has a run statement
	noted   []string                      // actions of the core since takeNotes, for -v
	slow    map[string]float64            // by node: factor on the duration of its tasks, for the driver
}

// setUp handles the statements without a time and creates the core. It returns the others.
func (r *runner) setUp(list []statement) (*world, []statement) {
	w := &world{
		runner: r, jobs: map[string]scheduling.JobID{}, gone: map[scheduling.AttemptID]bool{}, slow: map[string]float64{},
	}
	if list[len(list)-1].verb == "run" {
		w.drive = &driver{w: w}
	}
	rest := list
	for len(rest) > 0 && !rest[0].timed && rest[0].verb != "run" {
		r.line = rest[0].line
		w.configure(rest[0])
		rest = rest[1:]
	}
	r.line = list[1].line
	w.start()
	for _, n := range w.nodes {
		w.all = append(w.all, n.Name)
	}
	for _, s := range rest {
		if s.verb == "node" && len(s.args) > 0 {
			w.all = append(w.all, s.args[0])
		}
	}
	return w, rest
}

// start creates the core and joins the nodes.
func (w *world) start() {
	cfg := scheduling.Config{Explain: true, Expiry: math.MaxInt64 / 4, History: -1, Parts: w.opts.Parts}
	if w.opts.Verbose {
		cfg.Events = w.note
	}
	w.core = must(scheduling.NewCore(cfg, w.policy))
	for _, n := range w.nodes {
		w.join(0, n)
	}
}

func (w *world) join(now time.Duration, n scheduling.Node) {
	if _, ok := w.core.View().Lookup(n.Name); ok {
		refuse("node %s twice", n.Name)
	}
	w.nodeIDs = append(w.nodeIDs, must(w.core.Join(now, n)))
	check(w.core.Update(now))
}

// configure handles a statement without a time.
func (w *world) configure(s statement) {
	if s.asks {
		refuse("%s has no answer", s.verb)
	}
	switch s.verb {
	case "cluster":
		w.cluster(s.args)
	case "scheduler":
		w.scheduler(s.args)
	case "node":
		w.nodes = append(w.nodes, w.parseNode(s.args))
	case "pool":
		w.entry("pools.list", s)
	case "user":
		w.entry("pools.users", s)
	case "queue":
		w.entry("queues", s)
	case "default":
		w.defaults(s.args)
	default:
		refuse("unknown statement %q", s.verb)
	}
}

func (w *world) cluster(args []string) {
	racks, nodes, maps, reduces := 1, 1, 0, 0
	table{
		"racks": whole(&racks, 1), "nodes": whole(&nodes, 1), "map": whole(&maps, 0), "reduce": whole(&reduces, 0),
	}.read(args)
	if racks > maxNodes || nodes > maxNodes || racks*nodes > maxNodes || racks*nodes*max(maps, reduces) > maxSlots {
		refuse("a cluster of %d racks of %d nodes of %d and %d slots: at most %d nodes, and %d slots of a kind", racks, nodes, maps, reduces, maxNodes, maxSlots)
	}
	for i := range racks * nodes {
		w.nodes = append(w.nodes, scheduling.Node{Name: "tt" + strconv.Itoa(i+1), Rack: "rack" + strconv.Itoa(i/nodes+1), MapSlots: maps, ReduceSlots: reduces})
	}
}

func (w *world) parseNode(args []string) (n scheduling.Node) {
	if len(args) == 0 || !validName(args[0]) {
		refuse("node needs a name")
	}
	n.Name = args[0]
	rack, slow := 1, 0.0
	number := func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
	table{
		"rack": whole(&rack, 1), "map": whole(&n.MapSlots, 0), "reduce": whole(&n.ReduceSlots, 0),
		"slow": within(&slow, number, 1, maxNumber*maxNumber),
	}.read(args[1:])
	n.Rack = "rack" + strconv.Itoa(rack)
	if slow > 0 {
		if w.drive == nil {
			refuse("option slow has no effect: it needs a cluster that drives itself, with run")
		}
		w.slow[n.Name] = slow
	}
	return n
}
