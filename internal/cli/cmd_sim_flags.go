package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/clusterfile"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// simFlags are the flags of `tarry sim` and `tarry sim compare`.
type simFlags struct {
	schedulerFlags

	trace, load0     string
	clusterFile      string
	events, traceOut string
	series           string
	seriesEvery      time.Duration

	nodes, racks, mapSlots, reduceSlots, replicas int
	setup                                         time.Duration
	readRate, shuffleRate, link, computeRate      numbers.Bytes
	cache, cacheRate                              numbers.Bytes
	network, drive, submit                        string
	oversubscription                              float64
	interval, jobSetup, jobCleanup, until         time.Duration
	outOfBand                                     bool
	slowNodes, stragglers, taskFails, hotReplicas numbers.Part
	mtbf                                          time.Duration

	originalNodes, jobs, maxMaps int
	timeScale                    float64
	rawPaths, dropEmpty          bool
	zipf, shares, cells, spread  float64
	target                       numbers.Part

	seed        uint64
	repeat      int
	json, quiet bool
	csv         string

	cluster *clusterfile.File // of clusterFile, or nil; set by begin
	told    sync.Once         // what load the jobs are
}

// register adds the flags.
func (f *simFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.trace, "trace", "", "trace to replay: swim:FILE, or coflow:FILE of the coflow benchmark")
	s.StringVar(&f.load0, "workload", "", "workload file (YAML), or one of "+strings.Join(workload.Names(), ", "))
	names := cobra.FixedCompletions(workload.Names(), cobra.ShellCompDirectiveDefault)
	_ = cmd.RegisterFlagCompletionFunc("workload", names) // an error: no such flag
	f.schedulerFlags.register(s, "the scheduler's")

	f.registerCluster(cmd)
	s.StringVar(&f.submit, "submit", "replay",
		"when jobs come: replay (as the workload says), serial, closed:N (N at a time) or stress")
	number(s, &f.jobSetup, "job-setup", 0, span(0, 1000*hour), "from a job's arrival until its tasks may run")
	number(s, &f.jobCleanup, "job-cleanup", 0, span(0, 1000*hour), "from a job's last task to its end")
	number(s, &f.until, "until", 0, span(0.001, 100*year), "stop at this simulated time (default: when all jobs are done)")
	number(s, &f.slowNodes, "slow-nodes", f.slowNodes, parts, "part of the nodes that take twice as long")
	number(s, &f.stragglers, "stragglers", f.stragglers, parts, "part of the attempts that compute five times as long")
	number(s, &f.taskFails, "task-fails", f.taskFails, parts, "part of the attempts that fail")
	number(s, &f.mtbf, "mtbf", 0, span(60, 100*year), "mean time between failures of a node (default: none)")

	f.registerWorkload(s)
	number(s, &f.seed, "seed", 1, seeds, "seed of the workload, block places and task times")
	number(s, &f.repeat, "repeat", 1, span(1, 10_000), "number of runs, with seeds from --seed on")
	s.BoolVar(&f.json, "json", false, "print the figures as one JSON object for each run, or each scheduler")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "nothing on standard error but errors")
	grouped(cmd, "Cluster", "cluster map-slots reduce-slots replication hot-replicas task-setup read-rate cache cache-rate compute-rate "+
		"shuffle-rate link network oversubscription drive heartbeat out-of-band job-setup job-cleanup slow-nodes stragglers task-fails mtbf")
	grouped(cmd, "Workload", "submit original-nodes jobs max-maps time-scale target-utilisation compute-spread raw-paths drop-empty "+
		"skew-zipf skew-shares skew-cells until")
	excludes(cmd, "trace", "workload")
	excludes(cmd, "cluster", "nodes racks map-slots reduce-slots network link stragglers oversubscription")
	excludes(cmd, "time-scale", "target-utilisation")
	excludes(cmd, "skips", "wait rack-wait")
	needs(cmd, "cache", "cache-rate")
	needs(cmd, "trace", "time-scale")
	needs(cmd, "compute-rate", "compute-spread")
}

// registerCluster registers the flags of what the cluster is made of.
func (f *simFlags) registerCluster(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.clusterFile, "cluster", "",
		"file (YAML) that says what the cluster is made of: classes of nodes, racks, links, disks, stragglers, outages")
	_ = cmd.RegisterFlagCompletionFunc("cluster", filesNamed("yaml", "yml")) // an error: no such flag
	number(s, &f.nodes, "nodes", 100, span(1, 100_000), "nodes of the cluster")
	number(s, &f.racks, "racks", 1, span(1, 100_000), "racks of the cluster")
	number(s, &f.mapSlots, "map-slots", 4, span(1, 1_000), "map slots of each node")
	number(s, &f.reduceSlots, "reduce-slots", 2, span(0, 1_000), "reduce slots of each node")
	number(s, &f.replicas, "replication", 3, span(1, 1_000), "replicas of a block")
	number(s, &f.hotReplicas, "hot-replicas", f.hotReplicas, parts,
		"further replicas of the files that most jobs read, as a part of all there are")
	number(s, &f.setup, "task-setup", time.Second, span(0, 24*hour), "from a task's launch until it does anything")
	f.readRate, f.shuffleRate, f.link, f.cacheRate = 20<<20, 50<<20, 125e6, 1e9
	number(s, &f.readRate, "read-rate", f.readRate, rates, "what a task reads from its disk, bytes a second")
	number(s, &f.cache, "cache", f.cache, span(1, 1<<44), "memory of each node for the blocks that its maps have read last (default: none)")
	number(s, &f.cacheRate, "cache-rate", f.cacheRate, rates, "what a map reads of a block in memory, bytes a second, with --cache")
	number(s, &f.computeRate, "compute-rate", f.computeRate, rates,
		"what a task computes of its input, bytes a second, besides reading (default: no time)")
	number(s, &f.shuffleRate, "shuffle-rate", f.shuffleRate, rates, "what a reduce fetches, bytes a second, with --network factors")
	number(s, &f.link, "link", f.link, rates, "capacity of a node's link, bytes a second, with --network flows")
	s.StringVar(&f.network, "network", "factors",
		"what distance costs: factors (constant), or flows (links shared max-min fairly)")
	number(s, &f.oversubscription, "oversubscription", 1, span(1, 1_000),
		"sum of a rack's node links over its uplink, with --network flows")
	s.StringVar(&f.drive, "drive", "event",
		"when a free slot is seen: event (at once), or heartbeat (at its node's next heartbeat)")
	number(s, &f.interval, "heartbeat", 0, span(0.01, hour), "between a node's heartbeats (default: Hadoop's, 1s for each 100 nodes)")
	s.BoolVar(&f.outOfBand, "out-of-band", false, "with --drive heartbeat: a heartbeat also when a task ends")
}

// registerWorkload adds the flags that change a workload, most of them a trace.
func (f *simFlags) registerWorkload(s *pflag.FlagSet) {
	number(s, &f.originalNodes, "original-nodes", 0, span(1, 1_000_000),
		"nodes of the traced cluster; bytes shrink by --nodes over it (default: not scaled)")
	number(s, &f.jobs, "jobs", 0, span(1, 10_000_000), "take only this many jobs, the first ones")
	number(s, &f.maxMaps, "max-maps", 0, span(1, mostMaps), "cut a trace's jobs down to this many maps")
	number(s, &f.timeScale, "time-scale", 1, span(1e-6, 1e6), "factor on a trace's submission times")
	number(s, &f.target, "target-utilisation", f.target, span(0.001, 10),
		"have the jobs come so fast that their tasks take this part of the time of the map slots, or of the "+
			"reduce slots if that is more (default: as fast as the workload says)")
	number(s, &f.spread, "compute-spread", 0, span(0, 10),
		"sigma of a lognormal factor of mean 1 on the time that each task of a trace computes")
	s.BoolVar(&f.rawPaths, "raw-paths", false,
		"take a trace's path labels as they stand, without the repair of later accesses")
	s.BoolVar(&f.dropEmpty, "drop-empty", false, "leave out a trace's jobs without input")
	number(s, &f.zipf, "skew-zipf", 0, span(0, 20), "exponent of Zipf's law for the sizes of a trace's partitions")
	number(s, &f.shares, "skew-shares", 0, span(0, 20), "sigma of a lognormal factor on each partition of a trace's jobs")
	number(s, &f.cells, "skew-cells", 0, span(0, 20), "sigma of a lognormal factor on each map's part of each partition")
}

// check refuses flags that have no effect with the others.
func (f *simFlags) check(cmd *cobra.Command) error {
	oneRack := f.racks == 1 && f.cluster == nil
	return refuse(
		cmd,
		idle{f.network != "flows", "without --network flows", "link oversubscription"},
		idle{f.network == "flows" && f.cluster == nil, "without --network factors", "shuffle-rate"},
		idle{oneRack, "with one rack: give --racks", "oversubscription rack-wait"},
		idle{oneRack && len(f.skips) > 1, "with its second number and one rack: give --racks", "skips"},
		idle{f.nodes == 1 && f.cluster == nil, "with one node: give --nodes", "speculation wait skips"},
		idle{f.drive != "heartbeat", "without --drive heartbeat", "out-of-band"},
		idle{f.submit != "replay", "without --submit replay", "target-utilisation"},
		idle{f.repeat > 1, "with --repeat of more than one: it takes one run", "series events trace-out"},
		idle{
			!strings.HasPrefix(f.trace, "swim:"), "without --trace swim:FILE",
			"compute-spread original-nodes max-maps raw-paths drop-empty skew-zipf skew-shares skew-cells",
		},
	)
}

// registerCSV adds --csv.
func (f *simFlags) registerCSV(s *pflag.FlagSet) {
	s.StringVar(&f.csv, "csv", "", "directory for classes.csv and jobs.csv")
}

// config is what the flags say of the cluster.
func (f *simFlags) config(policy scheduling.Policy) (simulator.Config, error) {
	if f.trace == "" && f.load0 == "" {
		return simulator.Config{}, usageError("which workload? --workload NAME, of %s; --workload FILE; or --trace swim:FILE or coflow:FILE", strings.Join(workload.Names(), ", "))
	}
	cfg := simulator.Config{
		Core: scheduling.Config{Parts: f.parts},
		Cluster: simulator.Cluster{
			Nodes: f.nodes, Racks: f.racks, MapSlots: f.mapSlots, ReduceSlots: cmp.Or(f.reduceSlots, -1),
			Replicas: f.replicas, Setup: cmp.Or(f.setup, -1), ReadRate: float64(f.readRate), CPURate: float64(f.computeRate),
			Cache: int64(f.cache), CacheRate: float64(f.cacheRate),
			SlowNodes: float64(f.slowNodes), Stragglers: float64(f.stragglers),
		},
		Network: simulator.Network{
			Flows: f.network == "flows", ShuffleRate: float64(f.shuffleRate),
			NodeLink: float64(f.link), Oversubscription: f.oversubscription,
		},
		Interval: f.interval, OutOfBand: f.outOfBand,
		JobSetup: f.jobSetup, JobCleanup: f.jobCleanup, Until: f.until,
		Failures: simulator.Failures{MTBF: f.mtbf, TaskFails: float64(f.taskFails)},
		Policy:   policy, Seed: f.seed,
	}
	if f.network != "flows" && f.network != "factors" {
		return cfg, usageError("--network %s: want factors or flows", words.Shown(f.network))
	}
	switch f.drive {
	case "event":
	case "heartbeat":
		cfg.Drive = simulator.HeartbeatDrive
	default:
		return cfg, usageError("--drive %s: want event or heartbeat", words.Shown(f.drive))
	}
	var err error
	if cfg.Submission, err = parseSubmission(f.submit); err != nil {
		return cfg, err
	}
	switch {
	case f.racks > f.nodes:
		return cfg, configError("--racks %d --nodes %d: each rack needs a node", f.racks, f.nodes)
	case f.given("replication") && f.replicas > f.nodes:
		return cfg, configError("--replication %d: more replicas than nodes (%d)", f.replicas, f.nodes)
	}
	if f.cluster != nil {
		f.cluster.Apply(&cfg)
	}
	if err := cfg.Validate(); err != nil {
		return cfg, configError("%w", err)
	}
	return cfg, nil
}

// parseSubmission reads replay, serial, stress or closed:N.
func parseSubmission(s string) (simulator.Submission, error) {
	switch rule, n, _ := strings.Cut(s, ":"); {
	case s == "replay":
		return simulator.Submission{}, nil
	case s == "serial":
		return simulator.Submission{Rule: simulator.Serial}, nil
	case s == "stress":
		return simulator.Submission{Rule: simulator.Stress}, nil
	case rule == "closed":
		if active, err := strconv.Atoi(n); err == nil && active >= 1 {
			return simulator.Submission{Rule: simulator.Closed, Active: active}, nil
		}
	}
	return simulator.Submission{}, usageError("--submit %s: want replay, serial, stress or closed:N", words.Shown(s))
}

// load reads or draws the workload of a seed.
func (f *simFlags) load(seed uint64) (*workload.Workload, error) {
	var w workload.Workload
	read := func(path string, parse func(io.Reader) (workload.Workload, error)) error {
		file, err := openFile(path)
		if err != nil {
			return err
		}
		defer file.Close()
		w, err = parse(file)
		return err
	}
	var err error
	switch kind, path, found := strings.Cut(f.trace, ":"); {
	case f.trace != "" && (!found || kind != "swim" && kind != "coflow"):
		err = usageError("--trace %s: want swim:FILE or coflow:FILE", words.Shown(f.trace))
	case kind == "coflow":
		err = read(path, func(r io.Reader) (workload.Workload, error) { return f.readCoflows(r, path) })
	case kind == "swim":
		err = read(path, func(r io.Reader) (workload.Workload, error) { return f.readTrace(r, path) })
	case slices.Contains(workload.Names(), f.load0):
		w, err = workload.Named(f.load0, source(seed))
	default:
		err = read(f.load0, func(r io.Reader) (workload.Workload, error) {
			return workload.ReadYAML(r, f.load0, source(seed))
		})
		if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(f.load0, "./") {
			err = fmt.Errorf("workload %s: no such file, and no built-in of that name (%s)",
				words.Shown(f.load0), strings.Join(workload.Names(), ", "))
		}
	}
	if err != nil {
		return nil, err
	}
	if f.jobs > 0 && f.jobs < len(w.Jobs) {
		w.Jobs = w.Jobs[:f.jobs]
	}
	if f.hotReplicas > 0 {
		w.ReplicateHot(f.replicas, f.nodes, float64(f.hotReplicas))
	}
	return &w, nil
}

// idleLoad is the load below which schedulers have nothing to decide.
const idleLoad = 0.05

// paced is load with the jobs as fast as --target-utilisation asks, and says once what load they are;
// without the flag only if that leaves the cluster idle.
func (f *simFlags) paced(p *program, cfg simulator.Config, seed uint64) (*workload.Workload, error) {
	w, err := f.load(seed)
	if err != nil || cfg.Validate() != nil || w.Validate() != nil {
		return w, err
	}
	factor := 1.0
	if f.target > 0 {
		if factor = simulator.Stretch(cfg, w, float64(f.target)); factor == 0 {
			return nil, configError("--target-utilisation: the jobs of %s all come at once", w.Name)
		}
	}
	load := simulator.Load(cfg, w)
	if most := max(load[0], load[1]); f.quiet || cfg.Submission.Rule != simulator.Replay || most == 0 {
		return w, nil
	}
	f.told.Do(func() {
		takes := fmt.Sprintf("from the first to the last submission, tasks take %.2g %% of the map slots' time and "+
			"%.2g %% of the reduce slots'", 100*load[0], 100*load[1])
		switch {
		case f.target > 0:
			fmt.Fprintf(p.stderr, "submission times are multiplied by %.3g: %s\n", factor, takes)
		case max(load[0], load[1]) < idleLoad:
			fmt.Fprintf(p.stderr, "tarry: warning: %s: all schedulers look alike; --target-utilisation 80%% has the "+
				"jobs come faster\n", takes)
		}
	})
	return w, nil
}

// readCoflows reads a trace of the coflow benchmark.
func (f *simFlags) readCoflows(r io.Reader, path string) (workload.Workload, error) {
	list, _, err := workload.ReadCoflows(r, path)
	if err != nil {
		return workload.Workload{}, err
	}
	return workload.FromCoflows(list, workload.CoflowOptions{TimeScale: f.timeScale, Jobs: f.jobs})
}

// readTrace reads a SWIM trace.
func (f *simFlags) readTrace(r io.Reader, path string) (workload.Workload, error) {
	return workload.ReadSWIM(r, path, workload.TraceOptions{
		Nodes: f.nodes, OriginalNodes: f.originalNodes, Jobs: f.jobs,
		MaxReduces: max(1, f.allReduceSlots()), MaxMaps: f.maxMaps,
		TimeScale: f.timeScale, DropEmpty: f.dropEmpty, RawPaths: f.rawPaths,
		Map: workload.Cost{Spread: f.spread}, Reduce: workload.Cost{Spread: f.spread},
		Skew: workload.Skew{Zipf: f.zipf, Shares: f.shares, Cells: f.cells},
	})
}

// allReduceSlots is how many reduce slots the cluster has.
func (f *simFlags) allReduceSlots() int {
	if f.cluster != nil {
		return f.cluster.ReduceSlots()
	}
	return f.nodes * f.reduceSlots
}

// begin checks the flags and reads the files of scheduler and cluster.
func (f *simFlags) begin(p *program, cmd *cobra.Command) error {
	if err := f.schedulerFlags.begin(p, cmd); err != nil || f.clusterFile == "" {
		return err
	}
	file, err := openFile(f.clusterFile)
	if err != nil {
		return configError("%w", err)
	}
	defer file.Close()
	if f.cluster, err = clusterfile.Read(file, f.clusterFile); err != nil {
		return configError("%w", err)
	}
	f.nodes, f.racks = f.cluster.Nodes(), f.cluster.Racks()
	if f.cluster.Flows() {
		f.network = "flows"
	}
	return nil
}

// source is the random source of a seed.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x7a22)) }
