package pastorelli13

import (
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The contenders of hfspTrio.
const (
	trioFIFO = iota
	trioFAIR
	trioHFSP
)

// hfspTrio are FIFO, FAIR and HFSP, the last two with delay scheduling.
func hfspTrio() []simulator.Contender {
	var list []simulator.Contender
	for _, s := range []struct{ show, preset string }{
		{"FIFO", "fifo"}, {"FAIR", "hfs"}, {"HFSP", "hfsp"},
	} {
		change := func(*scheduling.Policy) {}
		if s.preset != "fifo" {
			change = func(p *scheduling.Policy) {
				setup.Waits(5*time.Second, 0)(p)
				p.Spread = false
			}
		}
		p := setup.Preset(s.preset, change)
		list = append(list, simulator.Contender{Name: s.show, Policy: p})
	}
	return list
}

// hfspSetup describes the runs on the FB-dataset.
func hfspSetup(more ...string) []string {
	return append([]string{
		setup.EC2Setup()[0], setup.EC2Setup()[1], setup.EC2Setup()[2],
		"Workload: the FB-dataset of §4.1, 100 jobs, sizes within the published ranges drawn " +
			"log-uniformly, the shuffle as large as the input: choices of ours.",
		setup.EC2Setup()[3],
		"Besides reading, a map computes for 60 s and a reduce for 120 s, with a lognormal " +
			"factor of sigma 0.2. The paper gives no task times but one map of about 60 s.",
		"FAIR is policy hfs without load manager, HFSP is hfsp with 5 samples and Δ = 60 s; both " +
			"wait W1 = 5 s for locality; FIFO is greedy.",
	}, more...)
}

// hfspChosen says how the set-up came about.
const hfspChosen = "The task times were raised once, from maps of 2 s and reduces that only " +
	"merge, under which the cluster was underloaded and HFSP gained nothing; a table has both " +
	"and others."

// The computing times of the FB-dataset's tasks.
const hfspMap, hfspReduce = 60 * time.Second, 120 * time.Second

// fbDataset draws the FB-dataset with some variance.
func fbDataset(r *rand.Rand) workload.Workload { return fbTasks(hfspMap, hfspReduce)(r) }

// fbTasks is the FB-dataset with tasks that compute for some time.
func fbTasks(maps, reduces time.Duration) func(r *rand.Rand) workload.Workload {
	return func(r *rand.Rand) workload.Workload {
		w := workload.FBDataset(r)
		for i := range w.Jobs {
			w.Jobs[i].Map.Time, w.Jobs[i].Map.Spread = maps, 0.2
			w.Jobs[i].Reduce.Time, w.Jobs[i].Reduce.Spread = reduces, 0.2
		}
		return w
	}
}
