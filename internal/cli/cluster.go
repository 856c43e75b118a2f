package cli

import (
	"cmp"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/mapreduce"
)

const (
	mostMaps     = 1_000_000 // of a job: each takes 3 kB, whether it runs or not
	mostReduces  = 10_000    // of a job: each takes 40 kB
	mostSlots    = 100_000   // of a kind in a live cluster: each takes some memory
	memoryShare  = 0.5       // of what this process may use: the budget of tasks without --memory
	besideBudget = 32 << 20  // bytes for the program itself and a heap that is collected now and then
)

// clusterFlags are the flags of a live cluster.
type clusterFlags struct {
	schedulerFlags

	cluster  actors.Config // what flags say of it; config completes it
	chaos    uint64
	stateDir string
	events   string
	quiet    bool
}

// register adds the flags to the command and its sub-commands.
func (r *clusterFlags) register(cmd *cobra.Command) {
	f, c := cmd.PersistentFlags(), &r.cluster
	number(f, &c.Racks, "racks", 1, span(1, 10_000), "racks of the emulated cluster")
	number(f, &c.Nodes, "nodes", 0, span(1, 10_000), "nodes of the emulated cluster in all, spread over the racks (default: one a rack)")
	r.registerName(cmd, f, "hfs", "")
	number(f, (*numbers.Bytes)(&c.Memory), "memory", 0, span(1, 1<<44),
		"budget of all tasks; sorted runs beyond it spill to disk (default: half of what this process may use)")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "print nothing but errors")
	number(f, &c.MapSlots, "map-slots", 0, span(1, 1_000), "map slots of each node (default: one a core)")
	number(f, &c.ReduceSlots, "reduce-slots", 0, span(1, 1_000), "reduce slots of each node (default: one a core)")
	number(f, &c.Parallelism, "parallelism", 0, span(0, 100_000),
		"attempts that compute at once, 0 for all that hold a slot, as jobs that sleep or wait for others do (default: one a core where nodes share this machine)")
	number(f, &c.Replication, "replication", 0, span(1, 1_000),
		"replicas of a block, each on a node of its own (default: 3, or all nodes if fewer)")
	number(f, (*numbers.Bytes)(&c.BlockSize), "block-size", 0, span(1, 1<<40),
		"largest part of a file that one map reads (default: 64MiB, 128MiB where maps add up values of a key, less for small inputs)")
	f.StringVar(&c.SpillDir, "spill-dir", "", "directory for spilled runs (default: the system's for temporary files)")
	f.StringVar(&r.stateDir, "state", "",
		"directory that remembers what is done: killed at any moment, the same command goes on from it")
	number(f, &c.Seed, "seed", 1, seeds, "seed of block placement")
	number(f, &c.TaskTimeout, "task-timeout", 10*time.Minute, span(0, 1000*hour),
		"how long an attempt may go on without progress, 0s for any time; then it counts as failed")
	number(f, &r.chaos, "chaos", 0, span(1, math.MaxUint64),
		"seed of disturbances: nodes die, messages are lost, attempts fail, the output stays right (default: none)")
	number(f, (*numbers.Rate)(&c.Network.NodeLink), "node-link", 0, rates,
		"let reads from other nodes and shuffles take the time of links of so many bytes a second each way (default: no time)")
	number(f, &c.Network.Oversubscription, "oversubscription", 1, span(1, 1_000), "with --node-link, sum of a rack's node links over its uplink")
	f.StringVar(&r.events, "events", "", "file for what the scheduler did, a JSON object a line; compressed if named .zst")
	r.schedulerFlags.register(cmd, f, "1.5 heartbeat intervals")
	grouped(cmd, "Cluster", "map-slots reduce-slots parallelism replication block-size spill-dir state seed task-timeout chaos "+
		"node-link oversubscription")
	grouped(cmd, "Diagnostics", "events")
	needs(cmd, "node-link", "oversubscription")
	_ = cmd.MarkPersistentFlagDirname("spill-dir") // an error: no such flag
	_ = cmd.MarkPersistentFlagDirname("state")
}

// check refuses values that no cluster could work with.
func (r *clusterFlags) check(p *program, cmd *cobra.Command) error {
	if err := r.begin(p, cmd); err != nil {
		return err
	}
	c := &r.cluster
	c.Nodes = cmp.Or(c.Nodes, c.Racks)
	if err := checkPlaces(c.Nodes, c.Racks, c.Replication); err != nil {
		return err
	}
	if slots := c.Nodes * max(c.MapSlots, c.ReduceSlots, 1); slots > mostSlots {
		return configError("--nodes %d: with these slots more than %s are too many for one machine",
			c.Nodes, numbers.Thousands(strconv.Itoa(mostSlots)))
	}
	if info, err := os.Stat(c.SpillDir); c.SpillDir != "" && (err != nil || !info.IsDir()) {
		return configError("--spill-dir %s: no such directory", words.Shown(c.SpillDir))
	}
	if stores.Named(r.stateDir) {
		return usageError("--state %s: it takes a folder on this machine", words.Shown(r.stateDir))
	}
	policy, err := r.policy(r.scheduler)
	if err != nil {
		return err
	}
	inline := given(cmd, "inline")
	return firstError(r.unheeded(policy), refuse(
		cmd,
		idle{c.Nodes == 1 && !inline, "with one node: give --nodes", "node-link wait"},
		idle{c.Racks == 1 && !inline, "with one rack: give --racks", "oversubscription"},
	))
}

// checkPlaces refuses clusters that lack nodes.
func checkPlaces(nodes, racks, replicas int) error {
	if nodes < racks {
		return configError("--racks %d --nodes %d: each rack needs a node", racks, nodes)
	}
	if replicas > nodes {
		return configError("--replication %d: more replicas than nodes (%d)", replicas, nodes)
	}
	return nil
}

// checkBlocks refuses blocks so small that the input would be too many maps.
func (r *clusterFlags) checkBlocks(src []mapreduce.Source) error {
	size, maps := r.cluster.BlockSize, int64(0)
	for _, s := range src {
		if size > 0 && s.Splittable() {
			maps += (s.Size() + size - 1) / size
		}
	}
	if maps > mostMaps {
		return configError("--block-size %d: %d maps; more than %d are too many for one machine", size, maps, mostMaps)
	}
	return nil
}

// timeout is how long an attempt may make no progress, negative for any time.
func (r *clusterFlags) timeout(cmd *cobra.Command) time.Duration {
	timeout := r.cluster.TaskTimeout
	if f := r.files.Parameters; f != nil && f.TaskTimeout >= 0 && !given(cmd, "task-timeout") {
		timeout = f.TaskTimeout
	}
	return cmp.Or(timeout, -1)
}

// memoryBudget is the budget of all tasks in bytes: --memory, or half of what the control group or
// else the machine allows. 0, where neither can be known, means no limit.
func (r *clusterFlags) memoryBudget() int64 {
	if r.cluster.Memory > 0 {
		return r.cluster.Memory
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

// config is the cluster, but for what hears of it.
func (r *clusterFlags) config(cmd *cobra.Command) (actors.Config, error) {
	policy, err := r.livePolicy()
	if err != nil {
		return actors.Config{}, err
	}
	cfg := r.cluster
	cfg.Policy, cfg.Parts, cfg.Rules, cfg.Explain = policy, r.parts, r.files.Rules(), r.events != ""
	cfg.Memory, cfg.TaskTimeout = r.memoryBudget(), r.timeout(cmd)
	if !given(cmd, "parallelism") && cfg.Nodes > 1 { // they share this machine's cores: slots beyond them wait rather than slow one another down
		cfg.Parallelism = runtime.GOMAXPROCS(0)
	}
	if cfg.Network.NodeLink == 0 {
		cfg.Network = actors.NetworkConfig{}
	}
	if r.chaos > 0 {
		cfg.Chaos = &actors.Chaos{Seed: r.chaos}
	}
	return cfg, nil
}
