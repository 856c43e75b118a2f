package zaharia10

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// sticky simulates [Zaharia10 §3.3.2]: under naive fair sharing, a job gets back the slots that it
// frees, and reads blocks of other nodes over the network.
func sticky(s *study.Study) {
	exampleBack, exampleLocal := stickyRuns(s, 10, 1, "fair")
	curedBack, curedLocal := stickyRuns(s, 10, 1, "delay")
	bound := 100 * delaymath.StickyBound(0.1, 3, 1)
	s.Said("10 jobs, naive fair: freed slots that go back to their job", "%",
		"jobs never leave their original slots", study.More(95), exampleBack)
	s.Follows("10 jobs, naive fair: node-local", "%",
		fmt.Sprintf("at most 1 − (1 − f)^(RL), %.1f", bound), study.AtMost(bound), exampleLocal)
	s.Own("10 jobs: freed slots that go back to their job, delay less naive", "points",
		"jobs leave their slots for their data", study.Less(0), curedBack.Minus(exampleBack))
	s.Own("10 jobs, delay: node-local", "%", "what the skip count is for, 95", study.More(90),
		curedLocal)
	for _, jobs := range study.Pick(s, []int{15}, []int{15, 30}) {
		below := map[int]float64{15: 80, 30: 50}[jobs]
		_, local := stickyRuns(s, jobs, 6, "fair")
		s.Said(fmt.Sprintf("%d jobs, R·L = 18, naive fair: node-local", jobs), "%",
			fmt.Sprintf("below %g %%, even with large R and L", below), study.Less(below), local)
	}
}

// stickyRuns runs jobs of equal shares on 100 nodes with slots each, and returns the percentages of
// freed slots that return to their job and of node-local maps.
func stickyRuns(s *study.Study, jobs, slots int, preset string) (back, local study.Sample) {
	both := s.Seeds(s.Repeats(2, 10), func(seed uint64) []float64 {
		return stickyRun(s, seed, jobs, slots, preset)
	})
	return both[0], both[1]
}

// stickyRun counts launches on nodes with a used slot, until a job has launched all its maps. It
// returns the percentages of launches by the job that last freed a slot of the node, and of
// node-local launches.
func stickyRun(s *study.Study, seed uint64, jobs, slots int, preset string) []float64 {
	const maps = 300
	w := workload.Scans(jobs, maps, 0)
	for i := range w.Jobs {
		w.Jobs[i].Map = workload.Cost{Setup: -1, CPU: -1, Time: 20 * time.Second, Spread: 0.4}
		w.Jobs[i].OutputBytes = 0
	}
	last := map[scheduling.NodeID]scheduling.JobID{}
	of := map[scheduling.JobID]int{} // launched
	var again, same, near float64
	over := false
	cfg := simulator.Config{
		Cluster: simulator.Cluster{Nodes: 100, MapSlots: slots, ReadRate: 1e12},
		Drive:   simulator.HeartbeatDrive, OutOfBand: true,
		Policy: study.Policy(preset, preset).Policy, Seed: seed,
	}
	cfg.Core.Events = func(e event.Event) {
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
}
