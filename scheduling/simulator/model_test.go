package simulator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// randomLoad draws a small workload with maps, reduces, skew and shared files.
func randomLoad(r *rand.Rand) *workload.Workload {
	w := workload.Workload{Name: "random", Files: []workload.File{{Name: "f", Blocks: 30}}}
	for i := range 1 + r.IntN(12) {
		j := workload.Job{
			Name: fmt.Sprint(i), Class: fmt.Sprint("c", i%3), User: fmt.Sprint("u", i%4), Submit: seconds(r.Float64() * 100), Maps: 1 + r.IntN(30), File: r.IntN(2),
			InputBytes: r.Int64N(3 << 30), Map: workload.Cost{Time: seconds(r.Float64() * 10), Spread: r.Float64()},
		}
		if r.IntN(2) == 0 {
			j.Reduces, j.ShuffleBytes, j.OutputBytes = 1+r.IntN(6), r.Int64N(4<<30), r.Int64N(1<<30)
			j.Reduce = workload.Cost{Time: seconds(r.Float64() * 10)}
			j.Skew = workload.Skew{Zipf: r.Float64() * 2, Shares: r.Float64(), Cells: float64(r.IntN(2)) * r.Float64()}
			j.SlowStart = r.Float64()
		}
		w.Jobs = append(w.Jobs, j)
	}
	return &w
}

// For any workload, policy, drive and network, every job ends. No task is lost or counted twice,
// and each shuffled byte is counted once. No slot is used twice, and no job is faster than its
// longest chain of work.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		w := randomLoad(rand.New(rand.NewPCG(seed, 0)))
		nodes := rapid.IntRange(1, 12).Draw(rt, "nodes")
		cfg := Config{
			Cluster: Cluster{Nodes: nodes, Racks: rapid.IntRange(1, min(3, nodes)).Draw(rt, "racks"), MapSlots: 2, ReduceSlots: 2},
			Network: Network{Flows: rapid.Bool().Draw(rt, "flows"), Oversubscription: 3},
			Drive:   rapid.SampledFrom([]Drive{EventDrive, HeartbeatDrive, OutOfBandDrive}).Draw(rt, "drive"),
			Policy:  preset(t, rapid.SampledFrom(scheduling.Presets()).Draw(rt, "policy")), Seed: seed,
		}
		cfg.Policy.Reduce.Rule = rapid.SampledFrom([]scheduling.ReduceRule{scheduling.AnyNode, scheduling.CoGRS, scheduling.LARTS}).Draw(rt, "reduce")
		if rapid.Bool().Draw(rt, "cache") {
			cfg.Cluster.Cache = rapid.Int64Range(1, 1<<30).Draw(rt, "bytes")
			if rapid.Bool().Draw(rt, "affinity") {
				cfg.Policy.Locality.Part = CacheAffinity
			}
		}
		res := run(t, cfg, w)
		require.Equal(t, len(w.Jobs), res.Report.Jobs)
		for i, j := range res.Jobs {
			spec := &w.Jobs[i]
			require.Equal(t, spec.Maps, j.Maps.NodeLocal+j.Maps.RackLocal+j.Maps.OffRack)
			for _, at := range [][2]int{
				{j.InMemory.NodeLocal, j.Maps.NodeLocal}, {j.InMemory.RackLocal, j.Maps.RackLocal}, {j.InMemory.OffRack, j.Maps.OffRack},
			} {
				require.LessOrEqual(t, at[0], at[1])
			}
			require.Equal(t, spec.ShuffleBytes, j.Shuffle.NodeLocal+j.Shuffle.RackLocal+j.Shuffle.OffRack)
			require.GreaterOrEqual(t, j.Sojourn(), time.Second, "set-up")
		}
		require.LessOrEqual(t, res.Report.Utilization.Map, 1.000001)
		require.LessOrEqual(t, res.Report.Utilization.Reduce, 1.000001)
		require.True(t, res.Report.FairnessJain > 0 && res.Report.FairnessJain <= 1)
	})
}

// The sizes of a map's parts add up to its output, and the outputs to the job's total, exactly.
func TestOutputsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := workload.Job{
			Maps: rapid.IntRange(1, 20).Draw(t, "maps"), Reduces: rapid.IntRange(1, 20).Draw(t, "reduces"),
			InputBytes: rapid.Int64Range(0, workload.MaxBytes).Draw(t, "input"), ShuffleBytes: rapid.Int64Range(0, workload.MaxBytes).Draw(t, "shuffle"),
			Skew: workload.Skew{Zipf: rapid.Float64Range(0, 3).Draw(t, "zipf"), Cells: rapid.Float64Range(0, 2).Draw(t, "cells")},
		}
		j := simJob{spec: &spec, seed: rapid.Uint64().Draw(t, "seed"), out: &outputs{}}
		j.out.cum = shares(j.seed, spec.Reduces, spec.Skew)
		var all int64
		for i := range spec.Maps {
			var sum int64
			for _, n := range j.partitions(i, nil) {
				require.GreaterOrEqual(t, n, int64(0))
				sum += n
			}
			require.Equal(t, j.outputOf(i), sum)
			all += sum
		}
		require.Equal(t, spec.ShuffleBytes, all)
	})
}

// The distances that the Core reports for launched reduces add up to those of the bytes that the
// simulator shuffles. So the Core knows the outputs.
func TestCoreKnowsTheSizes(t *testing.T) {
	for _, skew := range []workload.Skew{{}, {Cells: 1}, {Zipf: 1, Shares: 0.5, Cells: 2}} {
		w := workload.Workload{Jobs: []workload.Job{{
			Name: "j", User: "u", Maps: 40, Reduces: 9, InputBytes: 40 << 20, ShuffleBytes: 400 << 20, SlowStart: 1, Skew: skew,
			Map: workload.Cost{Time: 5 * time.Second, Spread: 0.5},
		}}}
		cfg := Config{Cluster: Cluster{Nodes: 10, Racks: 3, MapSlots: 2, ReduceSlots: 2}, Drive: HeartbeatDrive, Policy: preset(t, "hfs"), Seed: 4}
		cfg.Policy.Reduce.Rule = scheduling.CoGRS
		var told int64
		cfg.Core.Events = func(e event.Event) {
			if e.Type == event.Launched && e.Placed != nil {
				told += e.Placed.Here
			}
		}
		s := run(t, cfg, &w).Report.Shuffle
		require.InEpsilon(t, 2*s.RackLocal+4*s.OffRack, told, 1e-6, "but for rounding")
	}
}

// With flows, a remote map reads at the rate of the slowest of disk and links. Maps that read from
// one node share its link.
func TestRemoteReadsAreFlows(t *testing.T) {
	w := workload.Workload{
		Files: []workload.File{{Name: "f", Blocks: 8, Replicas: 1}},
		Jobs:  []workload.Job{{Name: "0", User: "u", Maps: 8, File: 1, InputBytes: 800e6, Map: workload.Cost{Setup: -1}}},
	}
	p := preset(t, "fifo")
	p.Spread = false
	cfg := Config{Cluster: Cluster{Nodes: 2, MapSlots: 4, ReadRate: 100e6}, Network: Network{Flows: true, NodeLink: 10e6}, Policy: p, Seed: 1}
	res := run(t, cfg, &w)
	m := res.Report.Maps
	require.NotZero(t, m.RackLocal, "some blocks are on the other node")
	// All remote maps read over one link of 10 MB/s per direction: 10 s for each map, in one
	// direction or in both.
	remote := float64(m.RackLocal)
	require.LessOrEqual(t, res.Report.MakespanS, 10*remote+2)
	require.GreaterOrEqual(t, res.Report.MakespanS, 10*remote/2)
}

// A shuffle between two racks takes as long as the oversubscribed uplink needs.
func TestShuffleThroughUplink(t *testing.T) {
	job := workload.Job{
		Name: "j", User: "u", Maps: 4, Reduces: 4, NoLocation: true, ShuffleBytes: 4000e6, SlowStart: 1,
		Map: workload.Cost{Setup: -1, Time: time.Second}, Reduce: workload.Cost{Setup: -1, Time: time.Second},
	}
	w := workload.Workload{Jobs: []workload.Job{job}}
	times := map[float64]float64{}
	for _, over := range []float64{1, 10} {
		cfg := Config{
			Cluster: Cluster{Nodes: 4, Racks: 2, MapSlots: 1, ReduceSlots: 1, MergeRate: -1}, Policy: preset(t, "fifo"),
			Network: Network{Flows: true, NodeLink: 100e6, Oversubscription: over},
		}
		res := run(t, cfg, &w)
		times[over] = res.Report.MakespanS
		require.Equal(t, ShuffleBytes{NodeLocal: 1000e6, RackLocal: 1000e6, OffRack: 2000e6}, res.Report.Shuffle)
	}
	// A map takes 1 s, a reduce 1 s. Each node sends 750 MB at 100 MB/s: 7.5 s. Or a rack sends
	// 1,000 MB over an uplink of 20 MB/s: 50 s.
	require.InDelta(t, 9.5, times[1], 0.6)
	require.InDelta(t, 52, times[10], 2)
}

// A coarser grain of flows changes makespan and mean sojourn by very little.
func TestGrain(t *testing.T) {
	w := workload.FBDataset(rand.New(rand.NewPCG(1, 0)))
	capMaps(&w, 30, 60)
	var makespan, mean [2]float64
	for i, grain := range []time.Duration{-1, 10 * time.Millisecond} {
		cfg := Config{Cluster: Cluster{Nodes: 20, Racks: 4}, Network: Network{Flows: true, Oversubscription: 5, Grain: grain}, Policy: preset(t, "hfs"), Seed: 1}
		f := run(t, cfg, &w).Report.Figures
		makespan[i], mean[i] = f.MakespanS, f.Sojourn.Mean
	}
	require.InEpsilon(t, makespan[0], makespan[1], 0.005)
	require.InEpsilon(t, mean[0], mean[1], 0.01)
}

// When a node fails, its map outputs are lost: these maps rerun, and the job succeeds nevertheless.
func TestNodeFailure(t *testing.T) {
	for _, flows := range []bool{false, true} {
		w := workload.Workload{Jobs: []workload.Job{{
			Name: "j", User: "u", Maps: 40, Reduces: 4, InputBytes: 40 << 20, ShuffleBytes: 400 << 20, SlowStart: 0.1,
			Map: workload.Cost{Setup: -1, Time: 10 * time.Second}, Reduce: workload.Cost{Setup: -1, Time: 5 * time.Second},
		}}}
		cfg := Config{
			Cluster: Cluster{Nodes: 5, Racks: 2, MapSlots: 2, ReduceSlots: 1}, Network: Network{Flows: flows}, Policy: preset(t, "hfs"), Seed: 4,
			Core: scheduling.Config{Expiry: 30 * time.Second},
		}
		calm := run(t, cfg, &w)
		var lost int
		cfg.Core.Events = func(e event.Event) {
			if e.Type == event.OutputLost {
				lost++
			}
		}
		cfg.Failures = Failures{Outages: []Outage{{Node: 2, At: 25 * time.Second}}}
		res := run(t, cfg, &w)
		require.NotZero(t, lost)
		require.True(t, res.Jobs[0].Done && !res.Jobs[0].Failed)
		require.Greater(t, res.Jobs[0].Ended, calm.Jobs[0].Ended+20*time.Second, "the JobTracker learns of it after 30 s")
		s := res.Report.Shuffle
		require.Equal(t, int64(400<<20), s.NodeLocal+s.RackLocal+s.OffRack)
	}
}

// With random failures of nodes and attempts all jobs end; if every attempt fails, all jobs fail.
// A map may end after its job has failed, before its node learns of that; then nothing happens.
func TestRandomFailures(t *testing.T) {
	w := workload.FacebookMixed(rand.New(rand.NewPCG(2, 0)))
	capMaps(&w, 20, 50)
	for _, drive := range []Drive{EventDrive, HeartbeatDrive} {
		cfg := Config{
			Cluster: Cluster{Nodes: 10, Racks: 2}, Drive: drive, Policy: preset(t, "hfs"), Core: scheduling.Config{Expiry: 30 * time.Second},
			Failures: Failures{MTBF: 10 * time.Minute, Repair: time.Minute, TaskFails: 0.05},
		}
		require.Equal(t, 20, run(t, cfg, &w).Report.Jobs)
		cfg.Failures = Failures{TaskFails: 0.5}
		cfg.Policy.Reduce.Rule = scheduling.CoGRS // it needs the output sizes of maps
		require.True(t, slices.ContainsFunc(run(t, cfg, &w).Jobs, func(j JobResult) bool { return j.Failed }))
		cfg.Failures = Failures{TaskFails: 1}
		for _, j := range run(t, cfg, &w).Jobs {
			require.True(t, j.Failed)
		}
	}
}

// [Pastorelli13 Fig 1]: j1 has 30 s of work and arrives at 0, j2 10 s at 10, j3 10 s at 15. Each
// fills the cluster. Under FSP they end at 50, 20 and 30.
func TestHFSPOnOneServer(t *testing.T) {
	w := workload.Workload{}
	for i, at := range []int{0, 10, 15} {
		size := 10 * time.Second
		if i == 0 {
			size = 30 * time.Second
		}
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprint(i), User: "u", Maps: 10, NoLocation: true, Submit: time.Duration(at) * time.Second,
			Map: workload.Cost{Setup: -1, Time: size},
		})
	}
	p := preset(t, "hfsp")
	p.HFSP.NoTraining = true
	res := run(t, Config{Cluster: Cluster{Nodes: 1, MapSlots: 10}, Policy: p}, &w)
	require.Equal(t, 20*time.Second, res.Jobs[1].Ended)
	require.Equal(t, 30*time.Second, res.Jobs[2].Ended)
	require.Equal(t, 50*time.Second, res.Jobs[0].Ended)
	require.Equal(t, Preempted{Suspended: 10}, res.Report.Preempted)
	p.HFSP.Reclaim = scheduling.KillLarger
	res = run(t, Config{Cluster: Cluster{Nodes: 1, MapSlots: 10}, Policy: p}, &w)
	require.Equal(t, 60*time.Second, res.Jobs[0].Ended, "its first 10 s are lost")
	require.Equal(t, Preempted{Killed: 10, LostS: 100}, res.Report.Preempted)
	p.HFSP.Reclaim = scheduling.WaitForSlot
	res = run(t, Config{Cluster: Cluster{Nodes: 1, MapSlots: 10}, Policy: p}, &w)
	require.Equal(t, 30*time.Second, res.Jobs[0].Ended)
}

// Under hfs, a pool below its minimum share gets its slots by preemption after the timeout. The
// result counts the kills and the work that they lost.
func TestPreemptionIsCounted(t *testing.T) {
	w := workload.Workload{}
	for i, pool := range []string{"big", "small"} {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: pool, User: "u", Pool: pool, Maps: 20 - 12*i, NoLocation: true, Submit: time.Duration(i) * 10 * time.Second,
			Map: workload.Cost{Setup: -1, Time: 300 * time.Second},
		})
	}
	p := preset(t, "hfs")
	p.Preemption = scheduling.PreemptionPolicy{Mode: scheduling.PreemptOn, Interval: 5 * time.Second}
	p.Pools.Pools = []scheduling.PoolConfig{{Name: "small", Min: [2]int{8, 0}, MinTimeout: 20 * time.Second}}
	res := run(t, Config{Cluster: Cluster{Nodes: 5, MapSlots: 4}, Policy: p, Interval: time.Second}, &w)
	require.Equal(t, 8, res.Report.Preempted.Killed)
	small := res.Jobs[1]
	require.InDelta(t, 10+20+5+300, small.Ended.Seconds(), 6)
	require.InDelta(t, 8*32, res.Report.Preempted.LostS, 8*6)
}

// Samples have, for each job, the number of slots that it holds.
func TestSamples(t *testing.T) {
	w := workload.Workload{}
	for i := range 2 {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprint(i), User: fmt.Sprint("u", i), Maps: 400, NoLocation: true, Submit: time.Duration(i) * 20 * time.Second,
			Map: workload.Cost{Setup: -1, Time: 5 * time.Second, Spread: 0.5},
		})
	}
	res := run(t, Config{Cluster: Cluster{Nodes: 10, MapSlots: 4}, Policy: preset(t, "hfs"), Sample: 10 * time.Second}, &w)
	require.Equal(t, []JobSlots{{Slots: [2]int{40, 0}}}, res.Samples[1].Jobs)
	require.Equal(t, 40*time.Second, res.Samples[4].At)
	half := res.Samples[4].Jobs
	require.Len(t, half, 2)
	require.InDelta(t, 20, half[0].Slots[0], 2)
	require.Equal(t, 40, half[0].Slots[0]+half[1].Slots[0])
}

// A simulation fails with ErrStalled if the reduces of a job fit on no node.
func TestStalled(t *testing.T) {
	w := workload.Workload{Jobs: []workload.Job{{Name: "j", Maps: 1, Reduces: 1, ShuffleBytes: 1}}}
	_, err := Run(t.Context(), Config{Cluster: Cluster{Nodes: 1, ReduceSlots: -1}, Policy: preset(t, "fifo")}, &w)
	require.ErrorIs(t, err, ErrStalled)
}
