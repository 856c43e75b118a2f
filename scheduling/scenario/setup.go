package scenario

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// world is a running scenario: the core and the names used in the scenario.
type world struct {
	opts *Options
	dir  string // for files that the scenario names

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
func setUp(dir string, list []statement, opts *Options) (*world, []statement, error) {
	w := &world{
		opts: opts, dir: dir, jobs: map[string]scheduling.JobID{}, gone: map[scheduling.AttemptID]bool{},
		slow: map[string]float64{},
	}
	if list[len(list)-1].words[0] == "run" {
		w.drive = &driver{w: w}
	}
	rest := list
	for len(rest) > 0 && !rest[0].timed && rest[0].words[0] != "run" {
		s := rest[0]
		if s.asks {
			return nil, nil, &fault{s.line, fmt.Errorf("%s has no answer", s.words[0])}
		}
		if err := w.configure(s.words[0], s.words[1:]); err != nil {
			return nil, nil, &fault{s.line, err}
		}
		rest = rest[1:]
	}
	if err := w.start(); err != nil {
		return nil, nil, &fault{list[1].line, err}
	}
	for _, n := range w.nodes {
		w.all = append(w.all, n.Name)
	}
	for _, s := range rest {
		if s.words[0] == "node" && len(s.words) > 1 {
			w.all = append(w.all, s.words[1])
		}
	}
	return w, rest, nil
}

// start creates the core and joins the nodes.
func (w *world) start() error {
	cfg := scheduling.Config{Explain: true, Expiry: math.MaxInt64 / 4, History: -1, Parts: w.opts.Parts}
	if w.opts.Verbose {
		cfg.Events = w.note
	}
	core, err := scheduling.NewCore(cfg, w.policy)
	if err != nil {
		return err
	}
	w.core = core
	for _, n := range w.nodes {
		if err := w.join(0, n); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) join(now time.Duration, n scheduling.Node) error {
	if _, ok := w.core.View().Lookup(n.Name); ok {
		return fmt.Errorf("node %s twice", n.Name)
	}
	id, err := w.core.Join(now, n)
	if err != nil {
		return err
	}
	w.nodeIDs = append(w.nodeIDs, id)
	return w.core.Update(now)
}

// configure handles a statement without a time.
func (w *world) configure(verb string, args []string) error {
	switch verb {
	case "cluster":
		return w.cluster(args)
	case "scheduler":
		return w.scheduler(args)
	case "node":
		n, err := w.parseNode(args)
		w.nodes = append(w.nodes, n)
		return err
	case "pool":
		return w.entry("pools.list", verb, args)
	case "user":
		return w.entry("pools.users", verb, args)
	case "queue":
		return w.entry("queues", verb, args)
	case "default":
		return w.defaults(args)
	}
	return fmt.Errorf("unknown statement %q", verb)
}

// only returns an error unless the policy has that order; what names what other orders lack.
func (w *world) only(order, what string) error {
	if w.policy.Order != order {
		return fmt.Errorf("scheduler %s has no %s", w.policy.Name, what)
	}
	return nil
}

func (w *world) cluster(args []string) error {
	racks, nodes, maps, reduces := 1, 1, 0, 0
	err := table{
		"racks": whole(&racks, 1), "nodes": whole(&nodes, 1), "map": whole(&maps, 0), "reduce": whole(&reduces, 0),
	}.read(args)
	if err != nil {
		return err
	}
	if racks > maxNodes || nodes > maxNodes || racks*nodes > maxNodes || racks*nodes*max(maps, reduces) > maxSlots {
		return fmt.Errorf("a cluster of %d racks of %d nodes of %d and %d slots: at most %d nodes, and %d slots of a kind", racks, nodes, maps, reduces, maxNodes, maxSlots)
	}
	for i := range racks * nodes {
		w.nodes = append(w.nodes, scheduling.Node{Name: "tt" + strconv.Itoa(i+1), Rack: "rack" + strconv.Itoa(i/nodes+1), MapSlots: maps, ReduceSlots: reduces})
	}
	return nil
}

func (w *world) parseNode(args []string) (n scheduling.Node, err error) {
	if len(args) == 0 || !validName(args[0]) {
		return n, fmt.Errorf("node needs a name")
	}
	n.Name = args[0]
	rack, slow := 1, 0.0
	number := func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
	err = table{
		"rack": whole(&rack, 1), "map": whole(&n.MapSlots, 0), "reduce": whole(&n.ReduceSlots, 0),
		"slow": within(&slow, number, 1, maxNumber*maxNumber),
	}.read(args[1:])
	n.Rack = "rack" + strconv.Itoa(rack)
	if slow > 0 {
		if w.drive == nil {
			return n, fmt.Errorf("option slow has no effect: it needs a cluster that drives itself, with run")
		}
		w.slow[n.Name] = slow
	}
	return n, err
}
