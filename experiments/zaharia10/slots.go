package zaharia10

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The example of §3.3.1: nodes of the cluster, and those on which a small job has data.
const headNodes, headData = 300, 30

// slots simulates both problems of naive fair sharing in [Zaharia10 §3.3].
func slots(s *study.Study) {
	// Head-of-line scheduling, §3.3.1, and skip counts beside the formula of §3.5.
	s.Row("naive fair, data on 10 % of the nodes: node-local",
		headLocality(s, 5, scheduling.LocalityPolicy{}))
	fig := s.Plot("skips")
	for _, skips := range []int{10, 40} {
		got := headLocality(s, 1,
			scheduling.LocalityPolicy{Rule: scheduling.SkipCount, Skips: []int{skips}})
		want := 100 * delaymath.LocalWithin(headData/float64(headNodes), float64(skips+1))
		fig.AddSample("simulated", float64(skips), got)
		fig.Add("1 − 0.9^(D+1)", float64(skips), want).Dashed = true
		s.Row(fmt.Sprintf("skip count of %d: node-local", skips), got).Expect(want, study.Share(want))
	}
	// Sticky slots, §3.3.2: under naive fair sharing, a job gets back the slots that it frees, and
	// reads blocks of other nodes over the network.
	exampleBack, exampleLocal := stickyRuns(s, 10, 1, "fair")
	curedBack, curedLocal := stickyRuns(s, 10, 1, "delay")
	s.Row("10 jobs, naive fair: freed slots that go back to their job", exampleBack)
	s.Row("10 jobs, naive fair: node-local", exampleLocal)
	s.Row("10 jobs: freed slots that go back to their job, delay less naive",
		curedBack.Minus(exampleBack))
	s.Row("10 jobs, delay: node-local", curedLocal)
	for _, jobs := range study.Pick(s, []int{15}, []int{15, 30}) {
		_, local := stickyRuns(s, jobs, 6, "fair")
		s.Row(fmt.Sprintf("%d jobs, R·L = 18, naive fair: node-local", jobs), local)
	}
}

// headLocality returns the percentage of node-local maps of small jobs, each with all blocks on
// headData nodes. They come one after another and are first in the fair order; ten endless jobs
// without data hold all slots.
func headLocality(s *study.Study, maps int, rule scheduling.LocalityPolicy) study.Sample {
	many := workload.Job{User: "many", Map: workload.Cost{Time: 20 * time.Second, Spread: 0.4}}
	w := setup.Tenants(slices.Repeat([]workload.Job{many}, 10)...)
	for i := range study.Pick(s, 30, 200) {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprintf("small %d", i), User: "small", Class: "small", Maps: maps,
			Submit:     time.Duration(i+10) * 30 * time.Second,
			InputBytes: int64(maps) * workload.DefaultBlock,
			Map:        workload.Cost{CPU: -1, Time: 10 * time.Second, Spread: 0.4},
		})
	}
	return s.Simulate(simulator.Config{
		Cluster: simulator.Cluster{Nodes: headNodes, MapSlots: 1, Setup: -1},
		Network: simulator.Network{ReadFactor: [3]float64{1, 2, 2}},
		Until:   w.Jobs[len(w.Jobs)-1].Submit,
		Places: func(job int) scheduling.Places {
			nodes := rand.New(rand.NewPCG(uint64(job), 331)).Perm(headNodes)[:headData]
			return setup.Places(maps, func(int) []int { return nodes })
		},
	}, study.Policy("fair", "fair", func(p *scheduling.Policy) { p.Locality = rule }),
		s.Repeats(2, 10), study.Always(w)).By(study.NodeLocal)
}

// stickyRuns runs jobs of equal shares on 100 nodes with slots each. It counts launches on nodes
// with a used slot, until a job has launched all its maps, and returns the percentages of launches
// by the job that last freed a slot of the node, and of node-local launches.
func stickyRuns(s *study.Study, jobs, slots int, preset string) (back, local study.Sample) {
	const maps = 300
	w := workload.Scans(jobs, maps, 0)
	for i := range w.Jobs {
		w.Jobs[i].Map = workload.Cost{Setup: -1, CPU: -1, Time: 20 * time.Second, Spread: 0.4}
		w.Jobs[i].OutputBytes = 0
	}
	cfg := simulator.Config{
		Cluster: simulator.Cluster{Nodes: 100, MapSlots: slots, ReadRate: 1e12},
		Drive:   simulator.OutOfBandDrive, Policy: study.Policy(preset, preset).Policy,
	}
	both := s.Seeds(s.Repeats(2, 10), func(seed uint64) []float64 {
		last := map[scheduling.NodeID]scheduling.JobID{}
		of := map[scheduling.JobID]int{} // launched
		var again, same, near float64
		over := false
		cfg.Seed, cfg.Core.Events = seed, func(e event.Event) {
			switch {
			case e.Type == event.Succeeded:
				last[e.Node] = e.JobID
			case e.Type == event.Launched && !over:
				of[e.JobID]++
				over = of[e.JobID] == maps
				if last[e.Node] == 0 {
					return
				}
				again++
				if e.Locality == scheduling.NodeLocal {
					near++
				}
				if last[e.Node] == e.JobID {
					same++
				}
			}
		}
		s.Run(cfg, &w)
		return []float64{100 * same / again, 100 * near / again}
	})
	return both[0], both[1]
}
