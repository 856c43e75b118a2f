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
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// slots is [Zaharia10 §3.3]: both problems of naive fair sharing, simulated.
func slots(s *study.Study) {
	headOfLine(s)
	sticky(s)
}

// The example of §3.3.1: nodes of the cluster, and those on which a small job has data.
const headNodes, headData = 300, 30

// headOfLine simulates [Zaharia10 §3.3.1], and compares skip counts with the formula of §3.5.
func headOfLine(s *study.Study) {
	s.Row("naive fair, data on 10 % of the nodes: node-local",
		headLocality(s, 5, scheduling.LocalityPolicy{}))
	fig := s.Plot("skips")
	simulated, formula := fig.Line("simulated"), fig.Dashed("1 − 0.9^(D+1)")
	for _, skips := range []int{10, 40} {
		got := headLocality(s, 1,
			scheduling.LocalityPolicy{Rule: scheduling.SkipCount, Skips: []int{skips}})
		want := 100 * delaymath.LocalWithin(headData/float64(headNodes), float64(skips+1))
		simulated.AddSample(float64(skips), got)
		formula.Add(float64(skips), want)
		s.Row(fmt.Sprintf("skip count of %d: node-local", skips), got).Expect(want, study.Share(want))
	}
}

// headLocality returns the percentage of node-local maps of small jobs.
func headLocality(s *study.Study, maps int, rule scheduling.LocalityPolicy) study.Sample {
	w := headJobs(study.Pick(s, 30, 200), maps)
	return s.Simulate(simulator.Config{
		Cluster: simulator.Cluster{Nodes: headNodes, MapSlots: 1, Setup: -1},
		Network: simulator.Network{ReadFactor: [3]float64{1, 2, 2}},
		Until:   w.Jobs[len(w.Jobs)-1].Submit,
		Places:  headPlaces(maps),
	}, study.Policy("fair", "fair", func(p *scheduling.Policy) { p.Locality = rule }),
		s.Repeats(2, 10), study.Always(w)).By(study.NodeLocal)
}

// headJobs returns ten endless jobs without data, and small jobs that arrive one after another.
func headJobs(jobs, maps int) workload.Workload {
	many := setup.Tenant{User: "many", Map: 20 * time.Second, Spread: 0.4}
	w := setup.Tenants(slices.Repeat([]setup.Tenant{many}, 10)...)
	for i := range jobs {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprintf("small %d", i), User: "small", Class: "small", Maps: maps,
			Submit:     time.Duration(i+10) * 30 * time.Second,
			InputBytes: int64(maps) * workload.DefaultBlock,
			Map:        workload.Cost{CPU: -1, Time: 10 * time.Second, Spread: 0.4},
		})
	}
	return w
}

// headPlaces puts all blocks of a job on the same random nodes.
func headPlaces(maps int) func(job int) scheduling.Places {
	return func(job int) scheduling.Places {
		nodes := rand.New(rand.NewPCG(uint64(job), 331)).Perm(headNodes)[:headData]
		return setup.Places(maps, func(int) []int { return nodes })
	}
}
