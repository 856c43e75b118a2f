package simulator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// stream returns a Poisson stream of jobs, each of one map with an exponential time and no input.
func stream(seed uint64, jobs int, gap, service float64) *workload.Workload {
	r := rand.New(rand.NewPCG(seed, 0))
	w := workload.Workload{Name: "stream"}
	var at float64
	for i := range jobs {
		at += gap * r.ExpFloat64()
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprint(i), User: "u", Maps: 1, NoLocation: true, Submit: seconds(at),
			Map: workload.Cost{Setup: -1, Time: seconds(service * r.ExpFloat64())},
		})
	}
	return &w
}

// Under naive fair sharing, k equal jobs on one file keep their slots (sticky slots [Zaharia10
// §3.3.2]). Locality is about 1-(1-1/k)^(RL); with delay scheduling it is high.
func TestStickySlots(t *testing.T) {
	for _, k := range []int{5, 20, 50} {
		w := workload.SharedScans(k)
		for i := range w.Jobs {
			w.Jobs[i].Maps, w.Jobs[i].InputBytes = 360, 360*workload.DefaultBlock
			w.Jobs[i].Map = workload.Cost{CPU: -1, Time: time.Second, Spread: 0.3}
		}
		w.Files[0].Blocks = 360
		cfg := Config{Cluster: Cluster{Nodes: 25, MapSlots: 4}, Policy: preset(t, "fair"), Seed: 1}
		naive := run(t, cfg, &w).Report.Maps.Share(scheduling.NodeLocal)
		bound := 1 - math.Pow(1-1/float64(k), 3*4)
		require.InDelta(t, bound, naive, 0.12, "%d jobs", k)
		cfg.Policy.Locality = scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{10 * time.Second, 10 * time.Second}}
		require.Greater(t, run(t, cfg, &w).Report.Maps.Share(scheduling.NodeLocal), 0.97, "%d jobs with delay", k)
	}
}

// A job that skips D offers launches its map node-local with probability 1-(1-R/M)^D, if it has R
// replicas on M nodes [Zaharia10 §3.5.1]. Here jobs of one map arrive at a full cluster, whose
// slots become free on random nodes, one offer each.
func TestDelayFormula(t *testing.T) {
	const nodes, replicas = 300, 30
	for _, d := range []int{1, 5, 15} {
		r := rand.New(rand.NewPCG(uint64(d), 0))
		w := workload.Workload{Name: "delay"}
		w.Jobs = append(w.Jobs, workload.Job{
			Name: "filler", Class: "filler", User: "f", Maps: 40_000, NoLocation: true, Priority: scheduling.Low,
			Map: workload.Cost{Setup: -1, Time: 10 * time.Second, Spread: 0.5},
		})
		for i := range 2000 {
			w.Jobs = append(w.Jobs, workload.Job{
				Name: fmt.Sprint(i), Class: "probe", User: "p", Maps: 1, Submit: 60*time.Second + seconds(float64(i)*0.25+0.2*r.Float64()),
				InputBytes: 1, Map: workload.Cost{Setup: -1, Time: 10 * time.Second, Spread: 0.5},
			})
		}
		p := preset(t, "fifo")
		p.Spread = false
		p.Locality = scheduling.LocalityPolicy{Rule: scheduling.SkipCount, Skips: []int{d}}
		res := run(t, Config{Cluster: Cluster{Nodes: nodes, MapSlots: 2, Replicas: replicas}, Policy: p, Seed: 2, Interval: time.Hour}, &w)
		var probes Figures
		for _, c := range res.Report.ByClass {
			if c.Class == "probe" {
				probes = c.Figures
			}
		}
		// D offers are refused, and one more is taken anywhere, perhaps on its data: D+1 draws.
		want := 1 - math.Pow(1-float64(replicas)/nodes, float64(d+1))
		require.InDelta(t, want, probes.Maps.Share(scheduling.NodeLocal), 0.04, "D=%d", d)
	}
}

// On one slot, with known sizes, no order has a smaller mean sojourn than srpt [Schrage68]. This
// holds in both drives, also if jobs arrive while the slot is busy.
func TestSRPTHasTheLeastMeanSojourn(t *testing.T) {
	for _, drive := range []Drive{EventDrive, OutOfBandDrive} {
		for seed := range uint64(3) {
			mean := func(name string) float64 {
				p := preset(t, name)
				p.HFSP.NoTraining, p.Locality = true, scheduling.LocalityPolicy{}
				w := stream(seed, 400, 12.5, 10)
				for i := range w.Jobs {
					w.Jobs[i].TellTimes = true
				}
				cfg := Config{
					Cluster: Cluster{Nodes: 1, MapSlots: 1}, Policy: p, Seed: seed, Drive: drive,
					Interval: 100 * time.Millisecond,
				}
				return run(t, cfg, w).Report.Sojourn.Mean
			}
			srpt := mean("srpt")
			for _, name := range scheduling.Presets() {
				require.LessOrEqual(t, srpt, mean(name)+0.2, "%s, seed %d", name, seed)
			}
			require.Less(t, srpt, 0.8*mean("fifo"), "it preempts")
		}
	}
}
