package simulator

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// tasks returns a workload of jobs with the same number of maps each.
func tasks(jobs, maps int) *workload.Workload {
	w := workload.Workload{Name: "bench"}
	for i := range jobs {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprint("job", i), User: fmt.Sprint("user", i%100), Submit: time.Duration(i) * 100 * time.Millisecond, Maps: maps,
			InputBytes: int64(maps) * workload.DefaultBlock, Map: workload.Cost{Time: 10 * time.Second, Spread: 0.5},
		})
	}
	return &w
}

// speed measures the simulation of w under two policies: its events, decisions and heartbeats, per
// second and in all. An event is an entry of the queue. It is the arrival of a job, a timer, or the
// end of an attempt with its heartbeat and launch.
func speed(b *testing.B, name string, cluster Cluster, w *workload.Workload) {
	for _, policy := range []string{"fifo", "hfs"} {
		b.Run(name+policy, func(b *testing.B) {
			p := preset(b, policy)
			var all Stats
			for b.Loop() {
				res := run(b, Config{Cluster: cluster, Policy: p, Seed: 1}, w)
				all.Events += res.Stats.Events
				all.Decisions += res.Stats.Decisions
				all.Heartbeats += res.Stats.Heartbeats
			}
			b.ReportMetric(float64(all.Events)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(all.Decisions)/b.Elapsed().Seconds(), "decisions/s")
			b.ReportMetric(float64(all.Events)/float64(b.N), "events")
			b.ReportMetric(float64(all.Heartbeats)/float64(b.N), "heartbeats")
		})
	}
}

// BenchmarkSim uses one core, in event drive without the network model.
func BenchmarkSim(b *testing.B) {
	speed(b, "100nodes/", Cluster{Nodes: 100, Racks: 2, MapSlots: 4}, tasks(100, 1000))
	speed(b, "2500nodes/", Cluster{Nodes: 2500, Racks: 62, MapSlots: 4}, tasks(200, 1000))
	speed(b, "10000nodes-1Mtasks/", Cluster{Nodes: 10_000, Racks: 250, MapSlots: 16}, tasks(1000, 1000))
}

// BenchmarkFacebook2009 simulates Facebook's traced day of 2009 on 600 nodes of 6 + 4 slots.
func BenchmarkFacebook2009(b *testing.B) {
	for _, dir := range []string{os.Getenv("TARRY_TRACES"), "../../../shared/traces"} {
		if f, err := os.Open(filepath.Join(dir, "FB-2009_samples_24_times_1hr_0.tsv")); err == nil {
			defer f.Close()
			w, err := workload.Read("swim", f, "FB09", workload.TraceOptions{MaxReduces: 2400})
			require.NoError(b, err)
			speed(b, "", Cluster{Nodes: 600, Racks: 15, MapSlots: 6, ReduceSlots: 4}, &w)
			return
		}
	}
	b.Skip("the trace is not here; set TARRY_TRACES to its folder")
}

// BenchmarkFacebook2010 simulates a day of 24,442 jobs and 8 million maps on 3,000 nodes.
func BenchmarkFacebook2010(b *testing.B) {
	w := workload.Facebook2010(rand.New(rand.NewPCG(1, 0)))
	speed(b, "", Cluster{Nodes: 3000, Racks: 75, MapSlots: 6, ReduceSlots: 4}, &w)
}
