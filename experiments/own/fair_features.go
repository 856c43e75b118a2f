package own

import (
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The times of the measurement of shares of slots.
const (
	shareEnd  = 400 * time.Second
	shareFrom = 100 * time.Second // from here on, shares are stable
	shareMap  = 10 * time.Second
)

// fairFeatures measures what the guide of Hadoop's Fair Scheduler says about weights and limits.
func fairFeatures(s *study.Study) {
	fairWeights(s)
	fairLimits(s)
}

// sharedBy simulates the jobs w under a policy on 100 map slots, until the given time.
func sharedBy(
	s *study.Study, p simulator.Contender, until time.Duration, w workload.Workload,
) *study.Runs {
	return s.Simulate(simulator.Config{
		Cluster: simulator.Cluster{Nodes: 25}, Sample: time.Second, Until: until,
	}, p, s.Repeats(2, 10), study.Always(w))
}

// shared is like sharedBy, under the Fair Scheduler (hfs) with pools a.
func shared(
	s *study.Study, a scheduling.Allocations, until time.Duration, w workload.Workload,
) *study.Runs {
	return sharedBy(s, study.Policy("hfs", "hfs", setup.Packed,
		func(p *scheduling.Policy) { p.Pools = a }), until, w)
}

// tenant returns a job of a pool that has maps until the end of the simulation.
func tenant(pool string) workload.Job {
	return workload.Job{Pool: pool, User: pool, Map: workload.Cost{Time: shareMap, Spread: 0.3}}
}

// share returns the mean slots of a job once shares are stable.
func share(r *study.Runs, job int) study.Sample { return setup.Held(r, shareFrom, shareEnd, job) }

// fairWeights measures slots by the weight of pools, by the priority of jobs, which is their weight
// in the pool, by the size of jobs, and by the larger weight that a new job has for some time.
func fairWeights(s *study.Study) {
	over := func(a scheduling.Allocations, jobs ...workload.Job) study.Sample {
		r := shared(s, a, shareEnd, setup.Tenants(jobs...))
		return share(r, 0).Over(share(r, 1))
	}
	pool := scheduling.Allocations{Pools: []scheduling.PoolConfig{{Name: "heavy", Weight: 2}}}
	s.Row("pool of weight 2: slots over those of weight 1", over(pool, tenant("heavy"), tenant("light")))
	high := tenant("one")
	high.Priority = scheduling.High
	s.Row("job of high priority: slots over one of normal priority",
		over(scheduling.Allocations{}, high, tenant("one")))
	const few = 3000
	small := tenant("one")
	small.Maps = few
	want := math.Log2(1+setup.Endless) / math.Log2(1+few) // more once the small job runs out
	row := s.Row("weights by size: slots of 100,000 maps over those of 3,000",
		over(scheduling.Allocations{SizeBasedWeight: true}, tenant("one"), small))
	row.Bounds = study.Bounds{Low: 0.95 * want, High: 1.1 * want, Strict: true}

	const comes, boost, settle = 300 * time.Second, 200 * time.Second, 3 * shareMap
	const gone = comes + boost
	young := tenant("one")
	young.Submit = comes
	r := shared(s, scheduling.Allocations{BoostFactor: 3, BoostTime: boost}, gone+boost,
		setup.Tenants(tenant("one"), young))
	s.Row("job new for 200 s, boost of 3: slots over those of an old job",
		setup.Held(r, comes+settle, gone, 1).Over(setup.Held(r, comes+settle, gone, 0)))
	s.Row("the same job afterwards",
		setup.Held(r, gone+settle, gone+boost, 1).Over(setup.Held(r, gone+settle, gone+boost, 0)))
}

// fairLimits measures limits on running jobs, of a pool and of a user, and on a pool's slots.
func fairLimits(s *study.Study) {
	one := tenant("limited")
	one.Maps = 400
	jobs := setup.Tenants(slices.Repeat([]workload.Job{one}, 5)...)
	running := func(a scheduling.Allocations) study.Sample {
		return shared(s, a, shareEnd, jobs).By(func(r *simulator.Result) float64 {
			most := 0
			for _, sample := range r.Samples {
				most = max(most, len(sample.Jobs))
			}
			return float64(most)
		})
	}
	s.Row("limit of 2 jobs of a pool: most of 5 that run at once",
		running(scheduling.Allocations{
			Pools: []scheduling.PoolConfig{{Name: "limited", MaxJobs: 2}},
		}))
	s.Row("limit of 3 jobs of a user: most of 5 that run at once",
		running(scheduling.Allocations{UserMaxJobs: 3}))
	slots := shared(s, scheduling.Allocations{
		Pools: []scheduling.PoolConfig{{Name: "capped", Max: [2]int{25, 25}}},
	}, shareEnd, setup.Tenants(tenant("capped"), tenant("free")))
	most := func(job int) study.Sample {
		return setup.Timelines(slots, func(t setup.Timeline) float64 {
			return slices.Max(t.Between(0, shareEnd, []int{job}))
		})
	}
	s.Row("pool with at most 25 slots: most that it holds", most(0))
	s.Row("the pool beside it: most that it holds", most(1))
}
