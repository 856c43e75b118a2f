package cli

import (
	"cmp"
	"math"
	"os"
	"runtime"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/mapreduce"
)

const (
	maxMaps      = 1_000_000 // maximum per job; each takes 3 kB, even before it runs
	maxReduces   = 10_000    // maximum per job; each takes 40 kB
	maxSlots     = 100_000   // maximum of each kind in a live cluster
	memoryShare  = 0.5       // fraction of the process's memory for tasks, without --memory
	besideBudget = 32 << 20  // bytes for the program itself and for garbage
)

// clusterFlags are the flags of a live cluster.
type clusterFlags struct {
	schedulerFlags

	cluster  actors.Config // what the flags say; config adds the policy and the defaults
	chaos    uint64
	stateDir string
	events   string
	quiet    bool
}

// register adds the flags to the command and its subcommands.
func (r *clusterFlags) register(cmd *cobra.Command) {
	f, c := cmd.PersistentFlags(), &r.cluster
	number(f, &c.Racks, "racks", 1, span(1, 10_000), "emulate a cluster of `N` racks")
	number(f, &c.Nodes, "nodes", 0, span(1, 10_000), "emulate a cluster of `N` nodes, spread over the racks (default: one per rack)")
	r.registerName(cmd, f, "hfs", "")
	number(f, (*numbers.Bytes)(&c.Memory), "memory", 0, span(1, 1<<44),
		"use this memory for all tasks together; data beyond it spills to disk (default: half of this process's limit)")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "print nothing but errors")
	number(f, &c.MapSlots, "map-slots", 0, span(1, 1_000), "give each node `N` map slots (default: one per core)")
	number(f, &c.ReduceSlots, "reduce-slots", 0, span(1, 1_000), "give each node `N` reduce slots (default: one per core)")
	number(f, &c.Parallelism, "parallelism", 0, span(0, 100_000),
		"let at most `N` attempts compute at the same time; 0 lets all that hold a slot (default: one per core, with one node 0)")
	number(f, &c.Replication, "replication", 0, span(1, 1_000),
		"store `N` replicas of each block, on different nodes (default: 3, or one per node if there are fewer)")
	number(f, (*numbers.Bytes)(&c.BlockSize), "block-size", 0, span(1, 1<<40),
		"let one map read at most this part of a file (default: 64MiB, 128MiB for jobs that combine values, less for small inputs)")
	f.StringVar(&c.SpillDir, "spill-dir", "", "spill data to `DIR` (default: the system's directory for temporary files)")
	f.StringVar(&r.stateDir, "state", "",
		"save progress in `DIR`; after a kill, the same command resumes from it (default: none)")
	number(f, &c.Seed, "seed", 1, seeds, "place blocks by this seed")
	number(f, &c.TaskTimeout, "task-timeout", 10*time.Minute, span(0, 1000*hour),
		"fail an attempt that makes no progress for this time; 0s never does")
	number(f, &r.chaos, "chaos", 0, span(1, math.MaxUint64),
		"inject faults drawn from this seed: nodes die, messages are lost, attempts fail; the output stays correct (default: none)")
	number(f, (*numbers.Rate)(&c.Network.NodeLink), "node-link", 0, rates,
		"slow reads from other nodes and shuffles down to node links of `N` bytes per second each way (default: not slowed)")
	number(f, &c.Network.Oversubscription, "oversubscription", 1, span(1, 1_000), "with --node-link, ratio of a rack's node links to its uplink")
	f.StringVar(&r.events, "events", "", "write the scheduler's events to `FILE`, one JSON object per line; compressed if its name ends in .zst")
	r.schedulerFlags.register(cmd, f, "1.5 heartbeat intervals")
	grouped(cmd, "Cluster", "map-slots reduce-slots parallelism replication block-size spill-dir state seed task-timeout chaos "+
		"node-link oversubscription")
	grouped(cmd, "Diagnostics", "events")
	needs(cmd, "node-link", "oversubscription")
	_ = cmd.MarkPersistentFlagDirname("spill-dir") // an error: no such flag
	_ = cmd.MarkPersistentFlagDirname("state")
}

// check reads the scheduler's files and rejects values that no cluster can work with.
func (r *clusterFlags) check(c *command) error {
	if err := r.begin(c); err != nil {
		return err
	}
	n := &r.cluster
	n.Nodes = cmp.Or(n.Nodes, n.Racks)
	if err := checkPlaces(n.Nodes, n.Racks, n.Replication); err != nil {
		return err
	}
	if slots := n.Nodes * max(n.MapSlots, n.ReduceSlots, 1); slots > maxSlots {
		return configError("--nodes %d: with these slots more than %s are too many for one machine",
			n.Nodes, humanize.Comma(maxSlots))
	}
	if info, err := os.Stat(n.SpillDir); n.SpillDir != "" && (err != nil || !info.IsDir()) {
		return configError("--spill-dir %s: no such directory", words.Shown(n.SpillDir))
	}
	if stores.Named(r.stateDir) {
		return usageError("--state %s: it takes a folder on this machine", words.Shown(r.stateDir))
	}
	policy, err := r.policy(r.scheduler)
	if err != nil {
		return err
	}
	inline := given(c.Command, "inline")
	return firstError(r.unheeded(policy), refuse(
		c.Command,
		idle{n.Nodes == 1 && !inline, "with one node: give --nodes", "node-link wait"},
		idle{n.Racks == 1 && !inline, "with one rack: give --racks", "oversubscription"},
	))
}

// checkPlaces rejects a cluster with fewer nodes than racks or than replicas of a block.
func checkPlaces(nodes, racks, replicas int) error {
	if nodes < racks {
		return configError("--racks %d --nodes %d: each rack needs a node", racks, nodes)
	}
	if replicas > nodes {
		return configError("--replication %d: more replicas than nodes (%d)", replicas, nodes)
	}
	return nil
}

// checkBlocks rejects a block size that would make too many maps.
func (r *clusterFlags) checkBlocks(src []mapreduce.Source) error {
	size, maps := r.cluster.BlockSize, int64(0)
	for _, s := range src {
		if size > 0 && s.Splittable() {
			maps += (s.Size() + size - 1) / size
		}
	}
	if maps > maxMaps {
		return configError("--block-size %d: %d maps; more than %d are too many for one machine", size, maps, maxMaps)
	}
	return nil
}

// timeout returns the time that an attempt may run without progress; negative means any time.
func (r *clusterFlags) timeout(cmd *cobra.Command) time.Duration {
	if t := r.files.TaskTimeout; t != 0 && !given(cmd, "task-timeout") {
		return t
	}
	return cmp.Or(r.cluster.TaskTimeout, -1)
}

// memoryBudget returns the memory budget of all tasks in bytes: --memory, or half of the limit of
// the control group or of the machine. 0 means that neither is known, so that no limit applies.
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

// config returns the configuration of the cluster. The caller adds its Events and State.
func (r *clusterFlags) config(cmd *cobra.Command) (actors.Config, error) {
	policy, err := r.livePolicy()
	if err != nil {
		return actors.Config{}, err
	}
	cfg := r.cluster
	cfg.Policy, cfg.Parts, cfg.Rules, cfg.Explain = policy, r.parts, r.files.Rules, r.events != ""
	cfg.Memory, cfg.TaskTimeout = r.memoryBudget(), r.timeout(cmd)
	if !given(cmd, "parallelism") && cfg.Nodes > 1 { // nodes share this machine's cores
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
