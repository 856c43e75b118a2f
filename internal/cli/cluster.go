package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

const (
	mostSlots    = 100_000         // of a kind in a live cluster: each takes some memory
	haltGrace    = 2 * time.Second // how long running attempts may go on after the first signal
	memoryShare  = 0.5             // of what this process may use: the budget of tasks without --memory
	besideBudget = 32 << 20        // bytes for the program itself and a heap that is collected now and then
)

// clusterFlags are the flags of a live cluster, and of what is told of it.
type clusterFlags struct {
	schedulerFlags

	racks          int
	nodes          int
	mapSlots       int
	reduceSlots    int
	parallelism    int
	replication    int
	blockSize      numbers.Bytes
	memory         numbers.Bytes
	spillDir       string
	stateDir       string
	seed           uint64
	taskTimeout    time.Duration
	healRate       numbers.Bytes
	chaos          uint64
	network        bool
	nodeLink       numbers.Bytes
	oversubscribed float64

	json       bool
	quiet      bool
	noProgress bool
	events     string
	cpuProfile string
	memProfile string
	traceOut   string

	state *actors.State // of stateDir, once it is open
}

// register adds the flags to the command and its sub-commands.
func (r *clusterFlags) register(cmd *cobra.Command) {
	r.registerCluster(cmd)
	r.registerTold(cmd)
}

// registerCluster adds the flags of the cluster.
func (r *clusterFlags) registerCluster(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	number(f, &r.racks, "racks", 1, span(1, 10_000), "racks of the emulated cluster")
	number(f, &r.nodes, "nodes", 0, span(1, 10_000), "nodes of the emulated cluster in all, spread over the racks (default: one a rack)")
	number(f, &r.mapSlots, "map-slots", 0, span(1, 1_000), "map slots of each node (default: one a core)")
	number(f, &r.reduceSlots, "reduce-slots", 0, span(1, 1_000), "reduce slots of each node (default: one a core)")
	number(f, &r.parallelism, "parallelism", 0, span(0, 100_000),
		"attempts that compute at once, 0 for all that hold a slot, as jobs that sleep or wait for others do (default: one a core where nodes share this machine)")
	number(f, &r.replication, "replication", 0, span(1, 1_000),
		"replicas of a block, each on a node of its own (default: 3, or all nodes if fewer)")
	number(f, &r.blockSize, "block-size", r.blockSize, span(1, 1<<40),
		"largest part of a file that one map reads (default: 64MiB, 128MiB where maps add up values of a key, less for small inputs)")
	r.registerName(f)
	r.schedulerFlags.register(f, "1.5 heartbeat intervals")
	number(f, &r.memory, "memory", r.memory, span(1, 1<<44),
		"budget of all tasks; sorted runs beyond it spill to disk (default: half of what this process may use)")
	f.StringVar(&r.spillDir, "spill-dir", "", "directory for spilled runs (default: the system's for temporary files)")
	f.StringVar(&r.stateDir, "state", "",
		"directory that remembers what is done: killed at any moment, the same command goes on from it")
	number(f, &r.seed, "seed", 1, seeds, "seed of block placement")
	number(f, &r.taskTimeout, "task-timeout", 10*time.Minute, span(0, 1000*hour),
		"how long an attempt may go on without progress, 0s for any time; then it counts as failed")
	number(f, &r.chaos, "chaos", 0, span(1, math.MaxUint64),
		"seed of disturbances: nodes die, messages are lost, attempts fail, the output stays right (default: none)")
	r.healRate = 64 << 20
	number(f, &r.healRate, "heal-rate", r.healRate, span(1, 1<<40),
		"at most so many bytes of lost replicas a node makes again in a second, with --chaos")
	r.nodeLink = 125e6
	f.BoolVar(&r.network, "emulate-network", false,
		"let reads from other nodes and shuffles take the time that a network would")
	number(f, &r.nodeLink, "node-link", r.nodeLink, rates, "what a node's link carries each way, bytes a second, with --emulate-network")
	number(f, &r.oversubscribed, "oversubscription", 1, span(1, 1_000),
		"sum of a rack's node links over its uplink, with --emulate-network")
	r.complete(cmd)
	grouped(cmd, "Cluster", "map-slots reduce-slots parallelism replication block-size spill-dir state seed task-timeout chaos "+
		"heal-rate emulate-network node-link oversubscription")
	needs(cmd, "chaos", "heal-rate")
	needs(cmd, "emulate-network", "node-link oversubscription")
	excludes(cmd, "policy", "scheduler")
	excludes(cmd, "skips", "wait rack-wait")
	_ = cmd.MarkPersistentFlagDirname("spill-dir") // an error: no such flag
	_ = cmd.MarkPersistentFlagDirname("state")
}

// registerTold adds the flags of what is told of the cluster.
func (r *clusterFlags) registerTold(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.BoolVar(&r.json, "json", false, "print the outcome of each job as one JSON object on standard output")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "print nothing but errors")
	f.BoolVar(&r.noProgress, "no-progress", false, "show no progress, only how it ended")
	f.StringVar(&r.events, "events", "",
		"file for what the scheduler did, a JSON object a line; compressed if named .zst")
	f.StringVar(&r.cpuProfile, "cpuprofile", "", "file for a CPU profile")
	f.StringVar(&r.memProfile, "memprofile", "", "file for a profile of the memory in use at the end")
	f.StringVar(&r.traceOut, "trace-out", "", "file for a Chrome trace of all attempts")
	grouped(cmd, "Diagnostics", "json no-progress events cpuprofile memprofile trace-out")
}

// check refuses values that no cluster could work with.
func (r *clusterFlags) check(p *program, cmd *cobra.Command) error {
	if err := r.schedulerFlags.begin(p, cmd); err != nil {
		return err
	}
	if r.nodes == 0 {
		r.nodes = r.racks
	}
	if r.nodes < r.racks {
		return configError("--racks %d --nodes %d: each rack needs a node", r.racks, r.nodes)
	}
	if r.replication > r.nodes {
		return configError("--replication %d: more replicas than nodes (%d)", r.replication, r.nodes)
	}
	if slots := r.nodes * max(r.mapSlots, r.reduceSlots, 1); slots > mostSlots {
		return configError("--nodes %d: with these slots more than %s are too many for one machine",
			r.nodes, numbers.Thousands(strconv.Itoa(mostSlots)))
	}
	if info, err := os.Stat(r.spillDir); r.spillDir != "" && (err != nil || !info.IsDir()) {
		return configError("--spill-dir %s: no such directory", words.Shown(r.spillDir))
	}
	if stores.Named(r.stateDir) {
		return usageError("--state %s: it takes a folder on this machine", words.Shown(r.stateDir))
	}
	policy, err := r.policy(r.scheduler)
	if err != nil {
		return err
	}
	p.warnIdle(policy)
	one, oneRack := r.nodes == 1 && !given(cmd, "inline"), r.racks == 1 && !given(cmd, "inline")
	return firstError(r.idleSets(policy), heeded(cmd, &policy), refuse(
		cmd,
		idle{one, "with one node: give --nodes", "emulate-network speculation wait skips"},
		idle{oneRack, "with one rack: give --racks", "oversubscription rack-wait"},
		idle{oneRack && len(r.skips) > 1, "with its second number and one rack: give --racks", "skips"},
	))
}

// checkBlocks refuses blocks so small that the input would be too many maps.
func (r *clusterFlags) checkBlocks(src []mapreduce.Source) error {
	size := int64(r.blockSize)
	if size == 0 {
		return nil
	}
	maps := int64(0)
	for _, s := range src {
		if s.Splittable() {
			maps += (s.Size() + size - 1) / size
		}
	}
	if maps > mostMaps {
		return configError("--block-size %d: %d maps; more than %d are too many for one machine", size, maps, mostMaps)
	}
	return nil
}

// livePolicy is the scheduler of a live cluster. Its waits follow the heartbeats, as Hadoop's do,
// unless flags or files set them.
func (r *clusterFlags) livePolicy() (scheduling.Policy, error) {
	policy, err := r.policy(r.scheduler)
	if err != nil {
		return policy, err
	}
	waits := r.given("wait") || r.given("rack-wait") || r.files.parameters != nil || r.says("locality.")
	if policy.Locality.Rule == scheduling.TimedWait && !waits {
		policy.Locality.Auto = true
	}
	return policy, r.files.unused(r.scheduler, true)
}

// timeout is how long an attempt may make no progress; 0 is any time.
func (r *clusterFlags) timeout() time.Duration {
	if f := r.files.parameters; f != nil && f.TaskTimeout >= 0 && !r.given("task-timeout") {
		return f.TaskTimeout
	}
	return r.taskTimeout
}

// memoryBudget is the budget of all tasks in bytes: --memory, or half of what the control group or
// else the machine allows. 0, where neither can be known, means no limit.
func (r *clusterFlags) memoryBudget() int64 {
	if r.memory > 0 {
		return int64(r.memory)
	}
	allowed, err := memlimit.FromSystem()
	if err != nil {
		allowed = 0
	}
	if group, err := memlimit.FromCgroup(); err == nil && group > 0 && (allowed == 0 || group < allowed) {
		allowed = group
	}
	return int64(float64(allowed) * memoryShare)
}

// profile starts the profiles that are asked for; stop ends and writes them. Their files are made
// at once, so that what cannot be written fails before the job.
func (r *clusterFlags) profile() (stop func() error, err error) {
	create := func(flag, name string) *os.File {
		if name == "" || err != nil {
			return nil
		}
		f, bad := os.Create(name)
		if bad != nil {
			err = configError("--%s: %w", flag, plainPathError(name, bad))
		}
		return f
	}
	cpu, memory := create("cpuprofile", r.cpuProfile), create("memprofile", r.memProfile)
	if err == nil && cpu != nil {
		err = pprof.StartCPUProfile(cpu)
	}
	if err != nil {
		return nil, err
	}
	return func() error {
		var errs []error
		if cpu != nil {
			pprof.StopCPUProfile()
			errs = append(errs, cpu.Close())
		}
		if memory != nil {
			runtime.GC() // so that the profile shows what is in use, not what is yet to be collected
			errs = append(errs, pprof.Lookup("heap").WriteTo(memory, 0), memory.Close())
		}
		return errors.Join(errs...)
	}, nil
}

// liveCluster is a live cluster that runs jobs, several at once if asked to.
type liveCluster struct {
	*actors.Cluster
	record  *record
	halt    func() error // ends all jobs gently, once
	unlimit func()       // ends the limit of the heap

	disturbed []string // what --chaos did; to be read once it is closed
}

// config is what the flags say of the cluster, but for what hears of it.
func (r *clusterFlags) config(policy scheduling.Policy) actors.Config {
	cfg := actors.Config{
		Policy: policy, Parts: r.parts, Rules: r.files.rules(),
		Nodes: r.nodes, Racks: r.racks, MapSlots: r.mapSlots, ReduceSlots: r.reduceSlots,
		Replication: r.replication, BlockSize: int64(r.blockSize),
		Memory: r.memoryBudget(), SpillDir: r.spillDir, Seed: r.seed,
		Explain: r.events != "", State: r.state,
		TaskTimeout: cmp.Or(r.timeout(), -1), HealRate: int64(r.healRate),
	}
	if r.given("parallelism") {
		cfg.Parallelism = r.parallelism
	} else if r.nodes > 1 { // they share this machine's cores: slots beyond them wait rather than slow one another down
		cfg.Parallelism = runtime.GOMAXPROCS(0)
	}
	if r.network {
		cfg.Network = actors.NetworkConfig{NodeLink: float64(r.nodeLink), Oversubscription: r.oversubscribed}
	}
	return cfg
}

// startCluster starts the cluster that the flags describe. The Go heap grows only into what the
// budget's buffers leave.
func startCluster(r *clusterFlags) (*liveCluster, error) {
	policy, err := r.livePolicy()
	if err != nil {
		return nil, err
	}
	rec, err := openRecord(r.events, r.traceOut)
	if err != nil {
		return nil, err
	}
	cfg := r.config(policy)
	cfg.Events = rec.sink()
	c := &liveCluster{record: rec, unlimit: func() {}}
	if r.chaos > 0 {
		cfg.Chaos = &actors.Chaos{Seed: r.chaos, Tell: func(what string) { c.disturbed = append(c.disturbed, what) }}
	}
	live, err := actors.Start(cfg)
	if err != nil {
		return nil, errors.Join(configError("%w", err), rec.close())
	}
	c.Cluster = live
	if cfg.Memory > 0 {
		c.unlimit = cluster.LimitHeap(cfg.Memory + besideBudget)
	}
	c.halt = sync.OnceValue(func() error {
		grace, cancel := context.WithTimeout(context.Background(), haltGrace)
		defer cancel()
		return live.Halt(grace)
	})
	return c, nil
}

// watched is a planRunner that calls watch when a plan's job has begun, and what that returns when
// it has ended.
func (c *liveCluster) watched(watch func(*actors.JobHandle) (ended func())) planRunner {
	return func(ctx context.Context, plan *mapreduce.Plan, j *jobFlags) (*counter.Set, error) {
		o := j.submitOptions()
		o.Key = j.saved.key(j.stage)
		job, err := c.Submit(ctx, plan, o)
		if err != nil {
			return nil, err
		}
		defer watch(job)()
		select {
		case <-job.Done():
		case <-ctx.Done():
			if err := c.halt(); err != nil {
				return nil, err
			}
		}
		res, err := job.Wait(context.WithoutCancel(ctx))
		return res.Counters, err
	}
}

// tellChaos says, once the cluster is closed, what --chaos did to it.
func (p *program) tellChaos(r *clusterFlags, c *liveCluster) {
	if r.chaos == 0 || r.quiet {
		return
	}
	for _, what := range c.disturbed {
		fmt.Fprintf(p.stderr, "chaos: %s\n", what)
	}
	fmt.Fprintf(p.stderr, "chaos %d: %d disturbances\n", r.chaos, len(c.disturbed))
}

// close stops what runs, and writes what was recorded.
func (c *liveCluster) close() error {
	defer c.unlimit()
	return errors.Join(c.Close(), c.record.close())
}
