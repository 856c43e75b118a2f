package main

import (
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/mapreduce"
)

// mostSlots is how many slots of a kind a live cluster may have: each takes some memory.
const mostSlots = 100_000

// clusterFlags are the flags of a live cluster, and of what is told of it.
type clusterFlags struct {
	schedulerFlags

	racks          int
	nodes          int
	mapSlots       int
	reduceSlots    int
	replication    int
	blockSize      byteSize
	memory         byteSize
	spillDir       string
	seed           uint64
	network        bool
	nodeLink       byteSize
	oversubscribed float64

	json       bool
	quiet      bool
	noProgress bool
	events     string
	cpuProfile string
	memProfile string
	traceOut   string
}

// register adds the flags to the command and its sub-commands.
func (r *clusterFlags) register(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.IntVar(&r.racks, "racks", 1, "racks of the emulated cluster")
	f.IntVar(&r.nodes, "nodes", 0, "nodes of the emulated cluster in all, spread over the racks (default: one a rack)")
	f.IntVar(&r.mapSlots, "map-slots", 0, "map slots a node (default: one a core)")
	f.IntVar(&r.reduceSlots, "reduce-slots", 0, "reduce slots a node (default: one a core)")
	f.IntVar(&r.replication, "replication", 0, "replicas of a block, each on a node of its own (default: 3, or all nodes if fewer)")
	f.Var(&r.blockSize, "block-size", "largest part of a file that one map reads (default: 64MiB, less for small inputs)")
	r.registerName(f)
	r.schedulerFlags.register(f, "1.5 heartbeat intervals")
	f.Var(&r.memory, "memory", "budget of all tasks; sorted runs beyond it spill to disk (default: half of what this process may use)")
	f.StringVar(&r.spillDir, "spill-dir", "", "directory for spilled runs (default: the system's for temporary files)")
	f.Uint64Var(&r.seed, "seed", 1, "seed of block placement")
	r.nodeLink = 125e6
	f.BoolVar(&r.network, "emulate-network", false, "let reads from other nodes and shuffles take the time that a network would")
	f.Var(&r.nodeLink, "node-link", "what a node's link carries each way, bytes a second, with --emulate-network")
	f.Float64Var(&r.oversubscribed, "oversubscription", 1, "sum of a rack's node links over its uplink, with --emulate-network")

	f.BoolVar(&r.json, "json", false, "print the outcome of each job as one JSON object on standard output")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "print nothing but errors")
	f.BoolVar(&r.noProgress, "no-progress", false, "no progress, only how it ended")
	f.StringVar(&r.events, "events", "", "file for what the scheduler did, a JSON object a line; compressed if named .zst")
	f.StringVar(&r.cpuProfile, "cpuprofile", "", "file for a CPU profile")
	f.StringVar(&r.memProfile, "memprofile", "", "file for a profile of the memory in use at the end")
	f.StringVar(&r.traceOut, "trace-out", "", "file for a Chrome trace of all attempts")

	r.complete(cmd)
	_ = cmd.MarkPersistentFlagDirname("spill-dir") // an error: no such flag
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
		return configError("--nodes %d: with these slots more than %s are too many for one machine", r.nodes, thousands(strconv.Itoa(mostSlots)))
	}
	if info, err := os.Stat(r.spillDir); r.spillDir != "" && (err != nil || !info.IsDir()) {
		return configError("--spill-dir %s: no such directory", shown(r.spillDir))
	}
	policy, err := r.policy(r.scheduler)
	if err != nil {
		return err
	}
	p.warnIdle(policy)
	return combine(cmd, nil, policy).check()
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
