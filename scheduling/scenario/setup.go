package scenario

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// world is a scenario at work: the core and the names of what is in it.
type world struct {
	dir     string // for files that the scenario names
	open    func(name string) (io.ReadCloser, error)
	explain bool
	parts   scheduling.Parts
	drives  bool // the file has a run statement

	policy  scheduling.Policy
	nodes   []scheduling.Node // known from the start
	core    *scheduling.Core
	nodeIDs []scheduling.NodeID // in node order
	all     []string            // every node that the file names
	jobs    map[string]scheduling.JobID
	names   []string                        // of jobs, by JobID-1
	gone    map[scheduling.AttemptID]bool   // killed by a preempt statement: known already
	drive   *driver                         // nil unless drives
	lengths map[scheduling.JobID]*taskTimes // of jobs, for the driver
	noted   []string                        // what the core did, for -v
	slow    map[string]float64              // by node: factor on how long its tasks take, for the driver
}

// taskTimes is how long a job's tasks take.
type taskTimes struct{ mapTime, reduceTime time.Duration }

// setUp reads the statements without a time and makes the core.
func setUp(dir string, list []statement, opts Options) (*world, []statement, error) {
	w := &world{
		dir: dir, open: opts.open, explain: opts.Verbose, parts: opts.Parts, jobs: map[string]scheduling.JobID{}, gone: map[scheduling.AttemptID]bool{},
		lengths: map[scheduling.JobID]*taskTimes{}, slow: map[string]float64{},
	}
	w.drives = list[len(list)-1].words[0] == "run"
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

// start makes the core and joins the nodes.
func (w *world) start() error {
	cfg := scheduling.Config{Explain: w.explain, Expiry: math.MaxInt64 / 4, History: -1, Parts: w.parts}
	if w.explain {
		cfg.Events = w.note
	}
	core, err := scheduling.NewCore(cfg, w.policy)
	if err != nil {
		return err
	}
	w.core = core
	if w.drives {
		w.drive = newDriver(w)
	}
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
	named := func(allowed ...string) (string, *reader, error) {
		if len(args) == 0 || !validName(args[0]) {
			return "", nil, fmt.Errorf("%s needs a name of letters, digits, - and _", verb)
		}
		m, err := options(args[1:], allowed...)
		return args[0], &reader{m: m}, err
	}
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
		name, r, err := named("min", "max", "weight", "mode", "max-jobs", "min-timeout")
		if err != nil {
			return err
		}
		return w.pool(name, r)
	case "user":
		name, r, err := named("max-jobs")
		if err != nil {
			return err
		}
		w.policy.Pools.Users = append(w.policy.Pools.Users, scheduling.UserConfig{Name: name, MaxJobs: limit(r, "max-jobs")})
		return w.only("pools", "users", r.err)
	case "default":
		return w.defaults(args)
	case "queue":
		name, r, err := named("capacity", "max", "parent", "user-limit", "priorities", "init-jobs", "user-factor", "init-limit", "job-limit")
		if err != nil {
			return err
		}
		return w.queue(name, r)
	}
	return fmt.Errorf("unknown statement %q", verb)
}

// only refuses a statement that the scheduler's order does not know.
func (w *world) only(order, what string, err error) error {
	if err == nil && w.policy.Order != order {
		return fmt.Errorf("scheduler %s has no %s", w.policy.Name, what)
	}
	return err
}

// limit reads a limit on jobs: none set, at least one, or none at all.
func limit(r *reader, name string) int {
	if r.m[name] == "inf" || r.m[name] == "-" {
		return scheduling.NoLimit
	}
	n := r.integer(name, 0, 0)
	if _, set := r.m[name]; set && n == 0 {
		return -1
	}
	return n
}

func (w *world) cluster(args []string) error {
	m, err := options(args, "racks", "nodes", "map", "reduce")
	if err != nil {
		return err
	}
	r := &reader{m: m}
	racks, nodes := r.integer("racks", 1, 1), r.integer("nodes", 1, 1)
	maps, reduces := r.integer("map", 0, 0), r.integer("reduce", 0, 0)
	if r.err != nil {
		return r.err
	}
	if racks > maxNodes || nodes > maxNodes || racks*nodes > maxNodes || racks*nodes*max(maps, reduces) > maxSlots {
		return fmt.Errorf("a cluster of %d racks of %d nodes of %d and %d slots: at most %d nodes, and %d slots of a kind", racks, nodes, maps, reduces, maxNodes, maxSlots)
	}
	for i := range racks * nodes {
		w.nodes = append(w.nodes, scheduling.Node{Name: "tt" + strconv.Itoa(i+1), Rack: "rack" + strconv.Itoa(i/nodes+1), MapSlots: maps, ReduceSlots: reduces})
	}
	return r.err
}

func (w *world) parseNode(args []string) (scheduling.Node, error) {
	if len(args) == 0 || !validName(args[0]) {
		return scheduling.Node{}, fmt.Errorf("node needs a name")
	}
	m, err := options(args[1:], "rack", "map", "reduce", "slow")
	if err != nil {
		return scheduling.Node{}, err
	}
	r := &reader{m: m}
	n := scheduling.Node{Name: args[0], Rack: "rack" + strconv.Itoa(r.integer("rack", 1, 1)), MapSlots: r.integer("map", 0, 0), ReduceSlots: r.integer("reduce", 0, 0)}
	if slow := r.float("slow", 1); slow < 1 {
		r.fail("slow")
	} else if _, given := m["slow"]; given {
		if !w.drives {
			return n, fmt.Errorf("option slow has no effect: it needs a cluster that drives itself, with run")
		}
		w.slow[n.Name] = slow
	}
	return n, r.err
}

func (w *world) pool(name string, r *reader) error {
	p := scheduling.PoolConfig{
		Name: name, Min: r.pair("min", 0, 0), Max: r.pair("max", scheduling.NoLimit, -1), Weight: r.float("weight", 1),
		MaxJobs: limit(r, "max-jobs"), MinTimeout: r.duration("min-timeout", 0),
	}
	if p.Weight <= 0 {
		r.fail("weight")
	}
	switch r.choice("mode", "", "fair", "fifo") {
	case "fair":
		p.Mode = scheduling.FairMode
	case "fifo":
		p.Mode = scheduling.FIFOMode
	}
	w.policy.Pools.Pools = append(w.policy.Pools.Pools, p)
	return w.only("pools", "pools", r.err)
}

func (w *world) defaults(args []string) error {
	m, err := options(args, "pool-mode", "pool-max-jobs", "user-max-jobs", "min-timeout")
	if err != nil {
		return err
	}
	r := &reader{m: m}
	a := &w.policy.Pools
	switch r.choice("pool-mode", "", "fair", "fifo") {
	case "fair":
		a.PoolMode = scheduling.FairMode
	case "fifo":
		a.PoolMode = scheduling.FIFOMode
	}
	if _, set := m["pool-max-jobs"]; set {
		a.PoolMaxJobs = limit(r, "pool-max-jobs")
	}
	if _, set := m["user-max-jobs"]; set {
		a.UserMaxJobs = limit(r, "user-max-jobs")
	}
	a.MinTimeout = r.duration("min-timeout", a.MinTimeout)
	return w.only("pools", "pools", r.err)
}

func (w *world) queue(name string, r *reader) error {
	q := scheduling.QueueConfig{
		Name: name, Parent: r.m["parent"], Capacity: r.float("capacity", 0), Max: r.float("max", 0),
		UserLimit: r.integer("user-limit", 100, 1), Priorities: r.on("priorities", false), InitJobs: r.integer("init-jobs", 2, 1),
		UserFactor: r.float("user-factor", 0), InitLimit: r.integer("init-limit", 0, 0), JobLimit: r.integer("job-limit", 0, 0),
	}
	w.policy.Queues = append(w.policy.Queues, q)
	return w.only("capacity", "queues", r.err)
}

// allocations reads a fair-scheduler.xml beside the scenario.
func (w *world) allocations(file string) error {
	if !filepath.IsAbs(file) {
		file = filepath.Join(w.dir, file)
	}
	f, err := w.open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fair, err := allocation.ParseFair(file, f)
	if err != nil {
		return fmt.Errorf("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	for _, p := range fair.Warnings {
		w.noted = append(w.noted, "warning: "+p.Error())
	}
	w.policy.Pools = fair.Allocations
	return nil
}
