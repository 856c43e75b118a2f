package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/clusterfile"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// simFlags are the flags of all simulations.
type simFlags struct {
	schedulerFlags

	trace, named   string // --trace, as TYPE:FILE, or --workload, a FILE or NAME
	traced         workload.TraceOptions
	target         numbers.Part
	cluster        string // file name, or empty
	simulated      simulator.Config
	network, drive string
	json, quiet    bool
}

// traceForms describes the forms of --trace.
const traceForms = "swim:FILE, coflow:FILE, sls:FILE (Hadoop's SLS or Rumen) or alibaba:FILE (batch_task.csv of 2018)"

// register adds the flags.
func (f *simFlags) register(cmd *cobra.Command) {
	s, c := cmd.Flags(), &f.simulated
	s.StringVar(&f.trace, "trace", "", "replay a trace, as "+traceForms)
	s.StringVar(&f.named, "workload", "", "simulate the workload of this file (YAML), or one of "+strings.Join(workload.Names(), ", "))
	names := cobra.FixedCompletions(workload.Names(), cobra.ShellCompDirectiveDefault)
	_ = cmd.RegisterFlagCompletionFunc("workload", names) // an error: no such flag
	f.registerCluster(cmd)
	f.registerWorkload(cmd)
	f.schedulerFlags.register(cmd, s, "the scheduler's")
	f.registerFiles(cmd)
	number(s, &c.Seed, "seed", 1, seeds, "draw the workload, block places and task times from this seed")
	s.BoolVar(&f.json, "json", false, "print the figures as JSON, one object per line")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors to standard error")
	excludes(cmd, "trace", "workload")
}

// registerCluster adds the flags of the simulated cluster and its failures.
func (f *simFlags) registerCluster(cmd *cobra.Command) {
	s, c, n := cmd.Flags(), &f.simulated.Cluster, &f.simulated.Network
	s.StringVar(&f.cluster, "cluster", "",
		"read the cluster from `FILE` (YAML): classes of nodes, racks, links, disks, stragglers, outages")
	number(s, &c.Nodes, "nodes", 100, span(1, 100_000), "simulate `N` nodes")
	number(s, &c.Racks, "racks", 1, span(1, 100_000), "simulate `N` racks")
	number(s, &c.MapSlots, "map-slots", 4, span(1, 1_000), "give each node `N` map slots")
	number(s, &c.ReduceSlots, "reduce-slots", 2, span(0, 1_000), "give each node `N` reduce slots")
	number(s, &c.Replicas, "replication", 3, span(1, 1_000), "store `N` replicas of each block")
	number(s, &c.Setup, "task-setup", time.Second, span(0, 24*hour), "set-up time of a task before it does anything")
	number(s, (*numbers.Rate)(&c.ReadRate), "read-rate", 20<<20, rates, "bytes per second that a task reads from its disk")
	number(s, (*numbers.Bytes)(&c.Cache), "cache", 0, span(1, 1<<44),
		"memory of each node for the blocks that its maps read last (default: none)")
	number(s, (*numbers.Rate)(&c.CPURate), "compute-rate", 0, rates,
		"bytes of input per second that a task computes, besides reading (default: no time)")
	s.StringVar(&f.network, "network", "factors", "model the network by factors (constant), or flows (links shared max-min fairly)")
	number(s, (*numbers.Rate)(&n.ShuffleRate), "shuffle-rate", 50<<20, rates, "with --network factors, bytes per second that a reduce fetches")
	number(s, (*numbers.Rate)(&n.NodeLink), "link", 125e6, rates, "with --network flows, bytes per second of a node's link")
	number(s, &n.Oversubscription, "oversubscription", 1, span(1, 1_000), "with --network flows, ratio of a rack's node links to its uplink")
	s.StringVar(&f.drive, "drive", "event",
		"offer a free slot at this `TIME`: event (at once), or heartbeat (its node's next)")
	number(s, &f.simulated.Interval, "heartbeat", 0, span(10*milli, hour), "heartbeat interval of a node (default: Hadoop's, 1s per 100 nodes)")
	number(s, (*numbers.Part)(&c.SlowNodes), "slow-nodes", 0, parts, "fraction of the nodes that take twice as long")
	number(s, (*numbers.Part)(&c.Stragglers), "stragglers", 0, parts, "fraction of the attempts that compute five times as long")
	number(s, (*numbers.Part)(&f.simulated.Failures.TaskFails), "task-fails", 0, parts, "fraction of the attempts that fail")
	number(s, &f.simulated.Failures.MTBF, "mtbf", 0, span(hour/60, 100*year), "mean time between failures of a node (default: none)")
	complete(cmd, "network", "factors", "flows")
	complete(cmd, "drive", "event", "heartbeat")
	grouped(cmd, "Cluster", "cluster map-slots reduce-slots replication task-setup read-rate cache compute-rate "+
		"shuffle-rate link network oversubscription drive heartbeat slow-nodes stragglers task-fails mtbf")
	excludes(cmd, "cluster", "nodes racks map-slots reduce-slots network link stragglers oversubscription")
}

// registerWorkload adds the flags that change a workload; most apply to traces.
func (f *simFlags) registerWorkload(cmd *cobra.Command) {
	s, t := cmd.Flags(), &f.traced
	s.TextVar(&f.simulated.Submission, "submit", simulator.Submission{},
		"submit jobs by this `RULE`: replay (as the workload says), serial, closed:N (N at a time) or stress")
	number(s, &f.simulated.Until, "until", 0, span(milli, 100*year), "stop at this simulated time (default: when all jobs are done)")
	number(s, &t.Jobs, "jobs", 0, span(1, 10_000_000), "take only the first `N` jobs (default: all)")
	number(s, &f.target, "target-utilisation", 0, span(0.001, 10),
		"scale submission times so that tasks use this fraction of the map slots, or of the "+
			"reduce slots if that is more (default: not scaled)")
	number(s, &t.TimeScale, "time-scale", 1, span(1e-6, 1e6), "multiply a trace's submission times by this factor")
	number(s, &t.OriginalNodes, "original-nodes", 0, span(1, 1_000_000),
		"number of nodes of the traced cluster: bytes are multiplied by --nodes divided by it (default: not scaled)")
	number(s, &t.MaxMaps, "max-maps", 0, span(1, maxMaps), "shrink a trace's jobs to at most `N` maps (default: not shrunk)")
	number(s, &t.Map.Spread, "compute-spread", 0, span(0, 10),
		"sigma of a lognormal factor of mean 1 on the compute time of each task of a trace")
	number(s, &t.Skew.Zipf, "skew-zipf", 0, span(0, 20), "exponent of Zipf's law for the sizes of a trace's partitions")
	grouped(cmd, "Workload", "submit until jobs target-utilisation time-scale original-nodes max-maps compute-spread skew-zipf")
	excludes(cmd, "time-scale", "target-utilisation")
	needs(cmd, "trace", "time-scale")
	needs(cmd, "compute-rate", "compute-spread")
}

// begin checks the flags and reads the files of scheduler and cluster.
func (f *simFlags) begin(c *command) error {
	if f.trace == "" && f.named == "" {
		return usageError("which workload? --workload NAME, of %s; --workload FILE; or --trace, as %s",
			strings.Join(workload.Names(), ", "), traceForms)
	}
	if err := f.schedulerFlags.begin(c); err != nil {
		return err
	}
	f.parts = simulator.Parts(c.parts)
	sim := &f.simulated.Cluster
	if f.cluster != "" {
		_, err := readConfig(f.cluster, func(in io.Reader, name string) (any, error) {
			return nil, clusterfile.Read(in, name, &f.simulated)
		})
		if err != nil {
			return err
		}
		if f.simulated.Network.Flows {
			f.network = "flows"
		}
	} else if err := checkPlaces(sim.Nodes, sim.Racks, 0); err != nil {
		return err
	}
	if given(c.Command, "replication") {
		if err := checkPlaces(sim.Nodes, 1, sim.Replicas); err != nil {
			return err
		}
	}
	flows, alike := f.network == "flows", f.cluster == ""
	return refuse(
		c.Command,
		idle{!flows, "without --network flows", "link oversubscription"},
		idle{flows && alike, "without --network factors", "shuffle-rate"},
		idle{sim.Racks == 1 && alike, "with one rack: give --racks", "oversubscription"},
		idle{sim.Nodes == 1 && alike, "with one node: give --nodes", "wait"},
		idle{f.simulated.Submission.Rule != simulator.Replay, "without --submit replay", "target-utilisation"},
		idle{!strings.HasPrefix(f.trace, "swim:"), "without --trace swim:FILE", "compute-spread original-nodes max-maps skew-zipf"},
	)
}

// config returns the configuration of the simulation under a scheduler.
func (f *simFlags) config(name string) (cfg simulator.Config, err error) {
	cfg = f.simulated
	if cfg.Policy, err = f.policy(name); err != nil {
		return cfg, err
	}
	if cfg.Policy.Locality.Part == simulator.CacheAffinity && cfg.Cluster.Cache == 0 {
		return cfg, usageError("locality.rule=%s has no effect without --cache", simulator.CacheAffinity)
	}
	cfg.Core = scheduling.Config{Parts: f.parts}
	cfg.Cluster.ReduceSlots, cfg.Cluster.Setup = cmp.Or(cfg.Cluster.ReduceSlots, -1), cmp.Or(cfg.Cluster.Setup, -1)
	known := false
	if cfg.Network.Flows, known = map[string]bool{"factors": false, "flows": true}[f.network]; !known {
		return cfg, usageError("--network %s: want factors or flows", words.Shown(f.network))
	}
	if cfg.Drive, known = map[string]simulator.Drive{"event": simulator.EventDrive, "heartbeat": simulator.HeartbeatDrive}[f.drive]; !known {
		return cfg, usageError("--drive %s: want event or heartbeat", words.Shown(f.drive))
	}
	return cfg, invalid(cfg.Validate())
}

// load returns the workload of --trace or --workload. Random parts of it are drawn from the seed.
func (f *simFlags) load(seed uint64) (w workload.Workload, err error) {
	random := rand.New(rand.NewPCG(seed, 0x7a22))
	if f.trace == "" && slices.Contains(workload.Names(), f.named) {
		return workload.Named(f.named, random)
	}
	form, path, _ := strings.Cut(f.trace, ":")
	switch {
	case f.trace == "":
		path = f.named
	case path == "" || !slices.Contains(workload.Forms(), form):
		return w, usageError("--trace %s: want %s", words.Shown(f.trace), traceForms)
	}
	file, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) && f.trace == "" && !strings.ContainsAny(path, "./") {
		err = fmt.Errorf("workload %s: no such file, and no built-in of that name (%s)", words.Shown(path), strings.Join(workload.Names(), ", "))
	}
	if err != nil {
		return w, err
	}
	defer file.Close()
	if f.trace == "" {
		return workload.ReadYAML(file, path, random)
	}
	o, c := f.traced, &f.simulated.Cluster
	slots := c.Nodes * c.ReduceSlots
	for _, m := range c.Machines {
		slots += m.ReduceSlots
	}
	o.Nodes, o.Reduce.Spread, o.MaxReduces = c.Nodes, o.Map.Spread, max(1, slots)
	return workload.Read(form, file, path, o)
}

// idleLoad is the fraction of used slot time below which jobs rarely wait: schedulers look alike.
const idleLoad = 0.05

// paced returns the workload with submission times scaled by --target-utilisation. Unless quiet, it
// prints the load with that flag, and otherwise warns if the cluster stays idle.
func (f *simFlags) paced(p *program, cfg simulator.Config, quiet bool) (*workload.Workload, error) {
	w, err := f.load(cfg.Seed)
	if f.trace == "" {
		w.First(f.traced.Jobs)
	}
	if err != nil || w.Validate() != nil {
		return &w, err
	}
	factor := 1.0
	if f.target > 0 {
		if factor = simulator.Stretch(cfg, &w, float64(f.target)); factor == 0 {
			return nil, configError("--target-utilisation: the jobs of %s all come at once", w.Name)
		}
	}
	load := simulator.Load(cfg, &w)
	takes := fmt.Sprintf("from the first to the last submission, tasks take %.2g %% of the map slots' time and "+
		"%.2g %% of the reduce slots'", 100*load[0], 100*load[1])
	switch most := max(load[0], load[1]); {
	case quiet || cfg.Submission.Rule != simulator.Replay || most == 0:
	case f.target > 0:
		fmt.Fprintf(p.stderr, "submission times are multiplied by %.3g: %s\n", factor, takes)
	case most < idleLoad:
		fmt.Fprintf(p.stderr, "tarry: warning: %s: all schedulers look alike; --target-utilisation 80%% has the "+
			"jobs come faster\n", takes)
	}
	return &w, nil
}
