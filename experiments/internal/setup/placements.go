package setup

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Placements returns three ways to place reduces: any node, CoGRS and LARTS. The scheduler is fair,
// waits 3 s for local maps, and starts reduces when the fraction start of the maps has ended.
func Placements(start float64, changes ...study.Change) study.Contenders {
	policy := func(name string, rule scheduling.ReduceRule) simulator.Contender {
		first := []study.Change{Waits(3*time.Second, 3*time.Second), Reduces(rule, start)}
		return study.Policy(name, "fair", append(first, changes...)...)
	}
	return study.Contenders{
		policy("any node", scheduling.AnyNode), policy("CoGRS", scheduling.CoGRS),
		policy("LARTS", scheduling.LARTS),
	}
}

// Reduces returns a change: a rule places reduces, from when the fraction start of the maps has
// ended.
func Reduces(rule scheduling.ReduceRule, start float64) study.Change {
	return func(p *scheduling.Policy) { p.Reduce.Rule, p.SlowStart = rule, start }
}

// Shuffles describes equal jobs that shuffle Ratio times their input. Sigma is that of a lognormal
// factor on the bytes that a map has for a partition.
type Shuffles struct {
	Jobs, Maps, Reduces int
	Sigma, Ratio        float64
}

// ShuffleJobs returns a load of the jobs that s describes, all submitted at time 0.
func ShuffleJobs(s Shuffles) study.Load {
	w := workload.Workload{Name: "shuffles"}
	for i := range s.Jobs {
		input := int64(s.Maps) * workload.DefaultBlock
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprintf("job%02d", i), User: "u", Class: "all", Maps: s.Maps, Reduces: s.Reduces,
			InputBytes: input, ShuffleBytes: int64(s.Ratio * float64(input)),
			Skew: workload.Skew{Cells: s.Sigma},
			Map:  workload.Cost{CPU: -1, Time: 2 * time.Second, Spread: 0.3},
		})
	}
	return study.Always(w)
}

// ShuffleCluster returns a cluster that runs jobs one after another. Its heartbeats report
// progress, as those of a live cluster do.
func ShuffleCluster(nodes, racks int) simulator.Config {
	return simulator.Config{
		Cluster: simulator.Cluster{Nodes: nodes, Racks: racks, MapSlots: 4, ReduceSlots: 2},
		Drive:   simulator.HeartbeatDrive, Interval: BeatEvery, TellProgress: true,
		Submission: simulator.Submission{Rule: simulator.Serial},
	}
}

// NarrowCluster is a ShuffleCluster of 14 nodes in 2 racks whose flows share links, with uplinks
// that are over-subscribed. Nodes report the end of a task at once.
func NarrowCluster(oversubscription float64) simulator.Config {
	cfg := ShuffleCluster(14, 2)
	cfg.Network = simulator.Network{Flows: true, Oversubscription: oversubscription}
	cfg.Drive = simulator.OutOfBandDrive
	return cfg
}

// Places returns JobSpec.Places for maps whose data is on the nodes that at returns.
func Places(maps int, at func(i int) []int) scheduling.Places {
	p := scheduling.Places{Offsets: []int32{0}}
	for i := range maps {
		for _, n := range at(i) {
			p.Nodes = append(p.Nodes, scheduling.NodeID(n))
		}
		p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
	}
	return p
}

// Waits returns a change: maps wait w1 for a node and w2 more for a rack. Zero waits are greedy
// locality.
func Waits(w1, w2 time.Duration) func(*scheduling.Policy) {
	return func(p *scheduling.Policy) {
		p.Locality = scheduling.LocalityPolicy{
			Rule: scheduling.TimedWait, Waits: []time.Duration{w1, w2},
		}
		if w1 == 0 && w2 == 0 {
			p.Locality = scheduling.LocalityPolicy{Rule: scheduling.Greedy}
		}
	}
}

// Packed turns off Policy.Spread, which limits the tasks of a node in an under-loaded cluster.
func Packed(p *scheduling.Policy) { p.Spread = false }

// Capped limits the jobs of a quick run to 400 maps and a number of reduces. A full run keeps its
// workload.
func Capped(s *study.Study, reduces int, load study.Load) study.Load {
	if !s.Quick {
		return load
	}
	const maps = 400
	return study.Changed(load, func(j *workload.Job) {
		if j.Maps > maps {
			j.InputBytes = j.InputBytes / int64(j.Maps) * int64(maps)
			j.ShuffleBytes = j.ShuffleBytes / int64(j.Maps) * int64(maps)
			j.Maps = maps
		}
		j.Reduces = min(j.Reduces, reduces)
	})
}
