package zaharia10

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// reassign measures [Zaharia10 §3.2 and §4]: how long a job or a pool waits for its share, if it
// waits for slots to become free, and if the scheduler kills maps.
func reassign(s *study.Study) {
	// The time until a new job has its 271 slots, and F T / S, as in §3.2.
	const comes, share, task = 1000 * time.Second, 271, 114400 * time.Millisecond
	many := workload.Job{User: "u", Map: workload.Cost{Time: task, Spread: 1}}
	late := many
	late.Submit, late.Maps = comes, share
	list := append(slices.Repeat([]workload.Job{many}, 10), late)
	runs := s.Simulate(simulator.Config{
		Cluster: simulator.Cluster{Nodes: 310, MapSlots: 10}, Sample: 100 * time.Millisecond,
		Until: comes + 30*time.Second,
	}, study.Policy("fair", "fair"), s.Repeats(2, 10), study.Always(setup.Tenants(list...)))
	took := setup.Reached(runs, comes, 0.98*share, len(list)-1).Times(1 / 0.98)
	s.Row("§3.2: until a new job has 271 of 3,100 slots, by waiting alone", took).
		Expect(share*task.Seconds()/3100, 1)

	// The time until a starved pool has its minimum or its fair share, and the maps killed for it.
	x := newStarved(minimumShares(time.Minute))
	killing := x.simulate(s)
	x.mode = scheduling.PreemptOff
	waiting := x.simulate(s)
	s.Row("T_min = 60 s: until the pool has its minimum share", setup.Reached(killing, x.comes, 40, 1))
	s.Row("T_min = 60 s: maps killed", killing.By(killedMaps))
	s.Row("no preemption: until the pool has its minimum share", setup.Reached(waiting, x.comes, 40, 1))

	x = newStarved(scheduling.Allocations{FairTimeout: 2 * time.Minute})
	runs = x.simulate(s)
	s.Row("T_fair = 120 s: until the pool has its fair share", setup.Reached(runs, x.comes, 50, 1))
	s.Row("T_fair = 120 s: maps killed", runs.By(killedMaps))
	x.mode = scheduling.PreemptLog
	s.Row("T_fair = 120 s, preemption only logged: maps killed", x.simulate(s).By(killedMaps))
	x.mode, x.maps = scheduling.PreemptOn, 70
	s.Row("T_fair = 120 s, the pool has 30 of its 50 slots: maps killed", x.simulate(s).By(killedMaps))

	// How long killed maps had run: the scheduler should kill the newest maps.
	x = newStarved(minimumShares(30 * time.Second))
	x.hog, x.sigma, x.comes = 400*time.Second, 0.5, time.Hour
	// At any time, running maps have run for E[X²] / 2E[X] on average: with sigma 0.5, 0.64 of the
	// mean of 400 s. The row's bound is half of that.
	s.Row("work lost by a map that is killed", x.simulate(s).By(func(r *simulator.Result) float64 {
		return r.Jobs[0].Preempted.LostS / killedMaps(r) // no number if none was killed
	}))
}

// starved is a pool that comes when another pool, the hog, holds the cluster.
type starved struct {
	allocations scheduling.Allocations
	mode        scheduling.PreemptionMode
	hog         time.Duration // length of a map of the hog
	maps        int           // of the hog; 0 is endless
	sigma       float64
	comes       time.Duration
}

// newStarved returns a starved pool under preemption; the maps of its hog take longer than any
// timeout.
func newStarved(a scheduling.Allocations) starved {
	return starved{allocations: a, mode: scheduling.PreemptOn, hog: 600 * time.Second, comes: 100 * time.Second}
}

func (x starved) simulate(s *study.Study) *study.Runs {
	w := setup.Tenants(
		workload.Job{Pool: "hog", User: "u", Maps: x.maps, Map: workload.Cost{Time: x.hog, Spread: x.sigma}},
		workload.Job{Pool: "starved", User: "v", Submit: x.comes, Maps: 100, Map: workload.Cost{Time: x.hog}})
	p := study.Policy("hfs", "hfs", setup.Packed, func(p *scheduling.Policy) {
		p.Pools, p.Preemption.Mode = x.allocations, x.mode
	})
	return s.Simulate(simulator.Config{
		Cluster: simulator.Cluster{Nodes: 25, MapSlots: 4}, Sample: time.Second,
		Until: x.comes + 400*time.Second,
	}, p, s.Repeats(2, 10), study.Always(w))
}

// killedMaps returns how many maps of the hog were killed.
func killedMaps(r *simulator.Result) float64 { return float64(r.Jobs[0].Preempted.Killed) }

// minimumShares returns allocations in which the starved pool has a minimum share of 40 slots.
func minimumShares(timeout time.Duration) scheduling.Allocations {
	return scheduling.Allocations{Pools: []scheduling.PoolConfig{
		{Name: "starved", Min: [2]int{40, 0}, MinTimeout: timeout},
	}}
}
