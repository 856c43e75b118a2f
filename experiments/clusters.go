package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// ec2 is the EC2 cluster of [Zaharia10 Table 1]: 100 nodes of 4 map and 2 reduce slots, network flat, blocks of 128 MB three times. Tasks read a
// block in about 20 s, which is the paper's 17 slots freed a second when all 400 are busy (see delay-fig15).
func ec2() simulator.Config {
	return simulator.Config{
		Cluster: simulator.Cluster{Nodes: 100, Racks: 1, MapSlots: 4, ReduceSlots: 2, Replicas: 3, Setup: time.Second, ReadRate: 6.4e6},
		Network: simulator.Network{ReadFactor: [3]float64{1, 2, 2}},
		Drive:   simulator.HeartbeatDrive, Interval: 3 * time.Second, OutOfBand: false,
	}
}

// ec2Setup describes ec2 for a Result.
func ec2Setup() []string {
	return []string{
		"Cluster: 100 nodes in one rack, 4 map and 2 reduce slots each, 128 MB blocks, 3 replicas [Zaharia10 Table 1].",
		"Heartbeats every 3 s (Hadoop 0.20), no out-of-band heartbeats: a choice, the paper does not say.",
		"A map takes 1 s to set up and reads its block at 6.4 MB/s (21 s in all): chosen so that 400 busy slots free about 19 a second, which the published points of Fig 15 imply.",
		"Remote reads take twice as long as local ones ([Zaharia10]: local tasks are up to twice as fast), no network model.",
	}
}

// remoteLink is what all remote reads and shuffles of a node share, either way, in bytes a second. It is fitted to published numbers:
// the 44 % of [Zaharia10 Fig 7] alone gives about 18 MB/s (delay-fig5 sweeps it), the gains of Fig 14 alone 16 (delay-fig13). Table 1's link of 1 Gb/s would
// never be full.
const remoteLink = 18e6

// contended is a network whose node links are shared max-min fairly by remote reads and shuffles, link bytes a second each. Flows end at half seconds:
// with many reduces an exact network takes ten times as long, for medians that differ by less than their spread.
func contended(link float64) simulator.Network {
	return simulator.Network{Flows: true, NodeLink: link, Grain: 500 * time.Millisecond}
}

// contendedSetup describes contended(remoteLink).
const contendedSetup = "Remote reads and shuffles share the link of 18 MB/s that each node has in either direction, max-min fairly; a lone remote read is as fast as a local one; transfers end at half seconds. The paper names contention and no number (it measured 1 Gb/s, which such tasks never fill): 18 MB/s is fitted to the 44 % of Fig 7 and used for Figs 5 to 15 alike. The gains of Fig 14, which alone would give 16 MB/s, were known when it was chosen. Sweeps are in delay-fig5 and delay-fig13."

// preset is a named policy, changed; a name that does not exist is a mistake of ours.
func preset(name string, change func(*scheduling.Policy)) (scheduling.Policy, error) {
	p, err := scheduling.Preset(name)
	if err == nil && change != nil {
		change(&p)
	}
	return p, err
}

// waits makes a policy wait w1 for a node and w2 more for a rack; zero waits are greedy locality.
func waits(w1, w2 time.Duration) func(*scheduling.Policy) {
	return func(p *scheduling.Policy) {
		p.Locality = scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{w1, w2}}
		if w1 == 0 && w2 == 0 {
			p.Locality = scheduling.LocalityPolicy{Rule: scheduling.Greedy}
		}
	}
}

// capped cuts the jobs of a quick run's workload to 400 maps and so many reduces; a full run keeps its own.
func capped(o Options, reduces int, load func(r *rand.Rand) workload.Workload) func(r *rand.Rand) workload.Workload {
	if !o.Quick {
		return load
	}
	const maps = 400
	return func(r *rand.Rand) workload.Workload {
		w := load(r)
		for i := range w.Jobs {
			j := &w.Jobs[i]
			if j.Maps > maps {
				j.InputBytes = j.InputBytes / int64(j.Maps) * int64(maps)
				j.ShuffleBytes = j.ShuffleBytes / int64(j.Maps) * int64(maps)
				j.Maps = maps
			}
			j.Reduces = min(j.Reduces, reduces)
		}
		return w
	}
}

// contest runs one policy over several seeds of a workload.
func contest(ctx context.Context, cfg simulator.Config, p scheduling.Policy, repeat int, load func(r *rand.Rand) workload.Workload) (*simulator.Contest, error) {
	all, err := contests(ctx, cfg, []simulator.Contender{{Name: p.Name, Policy: p}}, repeat, load)
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// contests runs several policies over the same seeds of a workload.
func contests(ctx context.Context, cfg simulator.Config, list []simulator.Contender, repeat int, load func(r *rand.Rand) workload.Workload) ([]simulator.Contest, error) {
	all, err := simulator.Compare(ctx, cfg, list, repeat, func(seed uint64) (*workload.Workload, error) {
		w := load(rand.New(rand.NewPCG(seed, 0)))
		return &w, nil
	})
	if err != nil {
		return nil, fmt.Errorf("simulation: %w", err)
	}
	return all, nil
}

// nodeLocal is the part of a result's maps that ran beside their data, in per cent.
func nodeLocal(r *simulator.Result) float64 { return 100 * r.Report.Maps.Share(scheduling.NodeLocal) }

// makespan is a result's makespan in seconds.
func makespan(r *simulator.Result) float64 { return r.Report.MakespanS }
