package simulator

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
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

// BenchmarkSim measures events and decisions per second on one core, in event drive without the
// network model. An event is an entry of the queue. It is the arrival of a job, a timer, or the end
// of an attempt with its heartbeat and launch.
func BenchmarkSim(b *testing.B) {
	for _, c := range []struct {
		name        string
		nodes, jobs int
		maps, slots int
	}{
		{"100nodes", 100, 100, 1000, 4},
		{"2500nodes", 2500, 200, 1000, 4},
		{"10000nodes-1Mtasks", 10_000, 1000, 1000, 16},
	} {
		for _, policy := range []string{"fifo", "hfs"} {
			b.Run(c.name+"/"+policy, func(b *testing.B) {
				w := tasks(c.jobs, c.maps)
				p, err := scheduling.Preset(policy)
				require.NoError(b, err)
				var events, decisions uint64
				for b.Loop() {
					res := run(b, Config{Cluster: Cluster{Nodes: c.nodes, Racks: max(1, c.nodes/40), MapSlots: c.slots}, Policy: p, Seed: 1}, w)
					events += res.Stats.Events
					decisions += res.Stats.Decisions
				}
				b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
				b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
			})
		}
	}
}

// BenchmarkFacebook2009 simulates Facebook's traced day of 2009 on 600 nodes of 6 + 4 slots.
func BenchmarkFacebook2009(b *testing.B) {
	var f *os.File
	for _, dir := range []string{os.Getenv("TARRY_TRACES"), "../../../shared/traces"} {
		if x, err := os.Open(filepath.Join(dir, "FB-2009_samples_24_times_1hr_0.tsv")); err == nil {
			f = x
			break
		}
	}
	if f == nil {
		b.Skip("the trace is not here; set TARRY_TRACES to its folder")
	}
	defer f.Close()
	w, err := workload.ReadSWIM(f, "FB09", workload.TraceOptions{MaxReduces: 2400})
	require.NoError(b, err)
	for _, policy := range []string{"fifo", "hfs"} {
		b.Run(policy, func(b *testing.B) {
			p, err := scheduling.Preset(policy)
			require.NoError(b, err)
			for b.Loop() {
				res := run(b, Config{Cluster: Cluster{Nodes: 600, Racks: 15, MapSlots: 6, ReduceSlots: 4}, Policy: p, Seed: 1}, &w)
				b.ReportMetric(float64(res.Stats.Events), "events")
			}
		})
	}
}

// BenchmarkFacebook2010 simulates a day of 24,442 jobs and 8 million maps on 3,000 nodes.
func BenchmarkFacebook2010(b *testing.B) {
	w := workload.Facebook2010(rand.New(rand.NewPCG(1, 0)))
	for _, policy := range []string{"fifo", "hfs"} {
		b.Run(policy, func(b *testing.B) {
			p, err := scheduling.Preset(policy)
			require.NoError(b, err)
			for b.Loop() {
				res := run(b, Config{Cluster: Cluster{Nodes: 3000, Racks: 75, MapSlots: 6, ReduceSlots: 4}, Policy: p, Seed: 1}, &w)
				b.ReportMetric(float64(res.Stats.Events), "events")
				b.ReportMetric(float64(res.Stats.Heartbeats), "heartbeats")
			}
		})
	}
}
