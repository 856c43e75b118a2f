package own

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/examples/offers"
	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The names of the two frameworks, or pools. Jobs belong to them in turn.
var pools = [2]string{"production", "research"}

// sharing is a way to share the cluster between the two pools: a policy and its custom parts.
type sharing struct {
	policy simulator.Contender
	parts  scheduling.Parts
}

// pooled returns hfs with the two pools; jobs wait for a node-local slot for the time wait.
func pooled(name string, wait time.Duration) sharing {
	return sharing{policy: study.Policy(name, "hfs", setup.Waits(wait, 0), setup.Packed,
		func(p *scheduling.Policy) {
			p.Pools = scheduling.Allocations{Pools: []scheduling.PoolConfig{
				{Name: pools[0], Mode: scheduling.FIFOMode},
				{Name: pools[1], Mode: scheduling.FairMode},
			}}
		})}
}

// offered returns a master that offers slots to two frameworks, which wait first and second.
func offered(name string, filter, first, second time.Duration) sharing {
	return sharing{
		simulator.Contender{Name: name, Policy: offers.Policy()},
		offers.Parts(offers.Config{Filter: filter, Frameworks: []offers.Framework{
			{Name: pools[0], FIFO: true, Waits: []time.Duration{first}},
			{Name: pools[1], Waits: []time.Duration{second}},
		}}),
	}
}

// frameworks measures delay scheduling by each framework on its own: a master offers it a slot,
// which it accepts or refuses. It compares this with one scheduler with the same two pools.
func frameworks(s *study.Study) {
	const wait = 5 * time.Second
	local := s.Plot("locality")
	cfg := setup.EC2()
	cfg.Sample = time.Second
	load := setup.Capped(s, 10, func(r *rand.Rand) workload.Workload {
		w := workload.FacebookIO(r)
		for i := range w.Jobs {
			w.Jobs[i].Pool, w.Jobs[i].Class = pools[i%2], pools[i%2]
		}
		return w
	})
	var all study.Comparison
	for _, x := range []sharing{
		pooled("hfs, no wait", 0), pooled("hfs, 5 s", wait),
		offered("offers, no wait", 0, 0, 0), offered("offers, 5 s", 0, wait, wait),
		offered("offers, 5 s, filter 5 s", 5*time.Second, wait, wait),
		offered("offers, 5 s, filter 60 s", time.Minute, wait, wait),
		offered("offers, only research waits", 0, 0, wait),
	} {
		cfg.Core.Parts = x.parts
		r := s.Simulate(cfg, x.policy, s.Repeats(1, 10), load)
		all = append(all, r)
		s.Row(r.Name+": node-local", r.By(study.NodeLocal))
		s.Row(r.Name+": mean sojourn", r.By(study.MeanSojourn))
		s.Row(r.Name+": map slots of the pools apart, while both have jobs", r.By(apartness))
		for _, pool := range pools {
			local.Bar(pool, r.Name, r.Local(pool, scheduling.NodeLocal).Mean())
		}
	}
	const hfs, greedy, waiting, filtered, picky = 1, 2, 3, 5, 6
	s.Row("node-local maps, offers less hfs, each with 5 s",
		all.Less(waiting, hfs, study.NodeLocal))
	s.Row("offers: node-local maps that waiting adds", all.Less(waiting, greedy, study.NodeLocal))
	s.Row("mean sojourn, offers over hfs, each with 5 s", all.Over(waiting, hfs, study.MeanSojourn))
	s.Row("mean sojourn, filter 60 s over no filter",
		all.Over(filtered, waiting, study.MeanSojourn))
	s.Row("only research waits: its node-local maps less those of production",
		all[picky].Local(pools[1], scheduling.NodeLocal).
			Minus(all[picky].Local(pools[0], scheduling.NodeLocal)))
}

// apartness returns the difference between the map slots of both pools, as a percentage of their
// sum, averaged over the time in which both have jobs.
func apartness(r *simulator.Result) float64 {
	var apart []float64
	for _, s := range r.Samples {
		var open [2]bool
		for i := range r.Jobs {
			if j := &r.Jobs[i]; j.Arrived <= s.At && s.At < j.Ended {
				open[i%2] = true
			}
		}
		var held [2]float64
		for _, j := range s.Jobs {
			held[j.Job%2] += float64(j.Slots[0])
		}
		if both := held[0] + held[1]; open[0] && open[1] && both > 0 {
			apart = append(apart, 100*math.Abs(held[0]-held[1])/both)
		}
	}
	return study.Average(apart)
}
