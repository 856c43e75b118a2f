package simulator

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// preset returns the policy of a preset, which must exist.
func preset(t testing.TB, name string) scheduling.Policy {
	p, err := scheduling.Preset(name)
	require.NoError(t, err)
	return p
}

// run simulates w and returns the result; the simulation must succeed.
func run(t testing.TB, cfg Config, w *workload.Workload) *Result {
	res, err := Run(context.Background(), cfg, w)
	require.NoError(t, err)
	return res
}

// capMaps keeps the first jobs of w, and cuts large ones to the given number of maps.
func capMaps(w *workload.Workload, jobs, maps int) {
	w.Jobs = w.Jobs[:jobs]
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if j.Maps > maps {
			j.Reduces = (j.Reduces*maps + j.Maps - 1) / j.Maps
			j.InputBytes, j.ShuffleBytes = j.InputBytes*int64(maps)/int64(j.Maps), j.ShuffleBytes*int64(maps)/int64(j.Maps)
			j.Maps = maps
		}
	}
}

// A job of two maps on one slot ends at the time that follows from its parameters.
func TestOneSlot(t *testing.T) {
	w := workload.Workload{Jobs: []workload.Job{{Name: "a", Maps: 2, InputBytes: 2 << 20, Submit: 3 * time.Second, Map: workload.Cost{Time: 5 * time.Second}}}}
	res := run(t, Config{Cluster: Cluster{Nodes: 1, MapSlots: 1, ReadRate: 1 << 20}, Policy: preset(t, "fifo")}, &w)
	// Each map has 1 s of set-up, reads 1 MB in 1 s, and computes for 5 s.
	require.Equal(t, 17*time.Second, res.Jobs[0].Ended)
	require.Equal(t, 14.0, res.Report.Sojourn.Mean)
	require.Equal(t, MapPlaces{NodeLocal: 2}, res.Report.Maps)
	require.Equal(t, 1.0, res.Report.Utilization.Map)
	require.Equal(t, 14.0, res.Report.MakespanS)
}

// In event drive, reduces launch as soon as enough maps are done, even on a node that has no event
// then.
func TestReducesStartAtOnce(t *testing.T) {
	w := workload.Workload{Jobs: []workload.Job{{
		Name: "a", Maps: 10, Reduces: 2, ShuffleBytes: 1, SlowStart: 1,
		Map: workload.Cost{Setup: -1, Time: 5 * time.Second}, Reduce: workload.Cost{Setup: -1, Time: time.Second},
	}}}
	cfg := Config{Cluster: Cluster{Nodes: 5, MapSlots: 2, ReduceSlots: 1}, Policy: preset(t, "fifo"), Interval: time.Hour}
	cfg.Policy.Spread = false
	require.InDelta(t, 6, run(t, cfg, &w).Jobs[0].Ended.Seconds(), 1e-6)
}

// In heartbeat drive, a slot that becomes free gets its next map at the node's next heartbeat.
func TestHeartbeatDrive(t *testing.T) {
	w := workload.Workload{Jobs: []workload.Job{{Name: "a", Maps: 2, Map: workload.Cost{Setup: -1, Time: 4500 * time.Millisecond}}}}
	cfg := Config{Cluster: Cluster{Nodes: 1, MapSlots: 1}, Drive: HeartbeatDrive, Interval: time.Second, Policy: preset(t, "fifo")}
	res := run(t, cfg, &w)
	phase := time.Duration(unit(draw(0, 1, 0)) * float64(time.Second))
	require.Equal(t, phase+10*time.Second, res.Jobs[0].Ended)
	cfg.Drive = OutOfBandDrive
	require.Equal(t, phase+9*time.Second, run(t, cfg, &w).Jobs[0].Ended)
}

// Serial submits each job 1 ms after the one before has ended, Replay at the times of the trace
// [Mumak]. 100 nodes have a heartbeat interval of 1 s.
func TestSubmissionRules(t *testing.T) {
	w := workload.Workload{}
	for _, at := range []time.Duration{time.Second, 2 * time.Second, 30 * time.Second} {
		w.Jobs = append(w.Jobs, workload.Job{Name: at.String(), Submit: at, Maps: 1, Map: workload.Cost{Time: 3 * time.Second}})
	}
	cfg := Config{Cluster: Cluster{Nodes: 100}, Policy: preset(t, "fifo")}
	for i, j := range run(t, cfg, &w).Jobs {
		require.Equal(t, w.Jobs[i].Submit, j.Arrived)
	}
	cfg.Submission.Rule = Serial
	res := run(t, cfg, &w)
	require.Zero(t, res.Jobs[0].Arrived)
	for i := 1; i < 3; i++ {
		require.Equal(t, res.Jobs[i-1].Ended+time.Millisecond, res.Jobs[i].Arrived)
	}
	cfg.Submission = Submission{Rule: Closed, Active: 2}
	res = run(t, cfg, &w)
	require.Zero(t, res.Jobs[1].Arrived)
	require.Equal(t, min(res.Jobs[0].Ended, res.Jobs[1].Ended), res.Jobs[2].Arrived)
	cfg.Submission = Submission{Rule: Stress}
	require.Zero(t, run(t, cfg, &w).Jobs[2].Arrived)
	require.Equal(t, time.Second, cfg.withDefaults().Interval)
}

// A seed gives the same bytes twice, for each scheduler, drive and network; another seed gives
// other bytes.
func TestSameSeedSameBytes(t *testing.T) {
	w := workload.FacebookMixed(rand.New(rand.NewPCG(1, 0)))
	capMaps(&w, 15, 60)
	for _, name := range scheduling.Presets() {
		for _, flows := range []bool{false, true} {
			cfg := Config{Cluster: Cluster{Nodes: 20, Racks: 4}, Network: Network{Flows: flows}, Policy: preset(t, name), Seed: 5, Drive: HeartbeatDrive}
			first, err := json.Marshal(run(t, cfg, &w).Report)
			require.NoError(t, err)
			again, err := json.Marshal(run(t, cfg, &w).Report)
			require.NoError(t, err)
			require.Equal(t, string(first), string(again), name)
			cfg.Seed++
			other, err := json.Marshal(run(t, cfg, &w).Report)
			require.NoError(t, err)
			require.NotEqual(t, string(first), string(other), name)
		}
	}
}

// A canceled simulation returns the error of its context.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := workload.Hierarchy(false)
	var seen int
	_, err := Run(ctx, Config{Cluster: Cluster{Nodes: 100}, Policy: preset(t, "fifo"), Progress: func(time.Duration, int) {
		seen++
		cancel()
	}}, &w)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, seen)
}

// At Until a simulation ends early; the report does not count jobs that are not done.
func TestUntil(t *testing.T) {
	w := workload.Hierarchy(false)
	res := run(t, Config{Cluster: Cluster{Nodes: 100}, Policy: preset(t, "hfs"), Until: time.Minute}, &w)
	require.Equal(t, time.Minute, res.End)
	require.Zero(t, res.Report.Jobs)
	require.False(t, res.Jobs[0].Done)
	require.NotZero(t, res.Stats.Decisions)
}

// Each submission rule is written as one text, which parses to the rule; other texts are rejected.
func TestSubmissionText(t *testing.T) {
	for text, want := range map[string]Submission{
		"replay": {}, "serial": {Rule: Serial}, "stress": {Rule: Stress}, "closed:3": {Rule: Closed, Active: 3},
	} {
		var got Submission
		require.NoError(t, got.UnmarshalText([]byte(text)))
		require.Equal(t, want, got)
		again, err := got.MarshalText()
		require.NoError(t, err)
		require.Equal(t, text, string(again))
	}
	for _, text := range []string{"", "often", "closed", "closed:", "closed:0", "closed:-1", "closed:99999999999999999999", "serial:2", "serial:", "Replay"} {
		got := Submission{Rule: Stress}
		require.Error(t, got.UnmarshalText([]byte(text)), text)
		require.Equal(t, Submission{Rule: Stress}, got, text)
	}
}
