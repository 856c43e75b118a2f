package own

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The cluster on which shares are measured.
const (
	shareSlots = 100
	shareEvery = time.Second // between samples
	shareEnd   = 400 * time.Second
	shareFrom  = 100 * time.Second // shares are settled
	shareMap   = 10 * time.Second
)

// FairFeatures is what the guide of Hadoop's Fair Scheduler says of weights and limits, measured.
func FairFeatures(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: []string{
		"100 map slots on 25 nodes, order pools, event drive; jobs with more maps than they can " +
			"run, of 10 s with a lognormal factor of sigma 0.3, without data.",
		"Slots held are means from 100 to 400 s, unless said; the most is of samples each second.",
		"What is claimed is the guide's.",
	}}
	if err := r.AddRows(ctx, o, fairWeights, fairSizes, fairBoost, fairLimits); err != nil {
		return nil, err
	}
	return r, nil
}

// shared runs tenants under the order pools with some allocations.
func shared(
	ctx context.Context, o study.Options, a scheduling.Allocations, until time.Duration,
	w workload.Workload,
) (*simulator.Contest, error) {
	p := setup.Preset("hfs", func(p *scheduling.Policy) { p.Pools, p.Spread = a, false })
	return setup.Contest(ctx, simulator.Config{
		Cluster: simulator.Cluster{Nodes: shareSlots / 4}, Seed: o.Seed, Sample: shareEvery,
		Until: until,
	}, p, o.Repeats(2, 10), func(*rand.Rand) workload.Workload { return w })
}

// tenant is an endless job of a pool.
func tenant(pool string) setup.Tenant {
	return setup.Tenant{Pool: pool, User: pool, Map: shareMap, Spread: 0.3}
}

// heldOver is how many times as many slots one of two jobs holds as the other.
func heldOver(c *simulator.Contest, from, to time.Duration, a, b int) study.Sample {
	return setup.OldTimelines(c, 2, shareEvery, func(t setup.Timeline) float64 {
		return t.Mean(from, to, a) / t.Mean(from, to, b)
	})
}

// fairWeights measures the weights of pools, and of priorities, which are jobs' weights in a pool.
func fairWeights(ctx context.Context, o study.Options) ([]study.Row, error) {
	w := setup.Tenants(tenant("heavy"), tenant("light"))
	pools := scheduling.Allocations{
		Pools: []scheduling.PoolConfig{{Name: "heavy", Weight: 2}},
	}
	c, err := shared(ctx, o, pools, shareEnd, w)
	if err != nil {
		return nil, err
	}
	rows := []study.Row{study.OwnRow("pool of weight 2: slots over those of weight 1", "×",
		"2 times the share", study.Between(1.95, 2.05),
		heldOver(c, shareFrom, shareEnd, 0, 1))}
	w = setup.Tenants(tenant("one"), tenant("one"))
	w.Jobs[0].Priority = scheduling.High
	if c, err = shared(ctx, o, scheduling.Allocations{}, shareEnd, w); err != nil {
		return nil, err
	}
	return append(rows, study.OwnRow("job of high priority: slots over one of normal priority",
		"×", "priorities are weights: 2", study.Between(1.95, 2.05),
		heldOver(c, shareFrom, shareEnd, 0, 1))), nil
}

// fairSizes measures weights by size: a job of 100,000 maps beside one of 3,000.
func fairSizes(ctx context.Context, o study.Options) ([]study.Row, error) {
	const few = 3000
	small := tenant("one")
	small.Maps = few
	c, err := shared(ctx, o, scheduling.Allocations{SizeBasedWeight: true}, shareEnd,
		setup.Tenants(tenant("one"), small))
	if err != nil {
		return nil, err
	}
	want := math.Log2(1+setup.Endless) / math.Log2(1+few) // as few runs out the ratio rises a little
	return []study.Row{study.OwnRow("weights by size: slots of 100,000 maps over those of 3,000",
		"×", "logarithm of the maps: 1.44", study.Between(0.95*want, 1.1*want),
		heldOver(c, shareFrom, shareEnd, 0, 1))}, nil
}

// fairBoost measures the weight of new jobs, which is larger for some time.
func fairBoost(ctx context.Context, o study.Options) ([]study.Row, error) {
	const comes, boost = 300 * time.Second, 200 * time.Second
	const gone = comes + boost
	young := tenant("one")
	young.At = comes
	c, err := shared(ctx, o, scheduling.Allocations{BoostFactor: 3, BoostTime: boost},
		gone+boost, setup.Tenants(tenant("one"), young))
	if err != nil {
		return nil, err
	}
	settle := 3 * shareMap
	return []study.Row{
		study.OwnRow("job new for 200 s, boost of 3: slots over those of an old job", "×",
			"the factor, 3", study.Between(2.85, 3.15),
			heldOver(c, comes+settle, gone, 1, 0)),
		study.Shown("the same job afterwards", "×", heldOver(c, gone+settle, gone+boost, 1, 0)),
	}, nil
}

// fairLimits measures limits on running jobs, of a pool and of a user, and on a pool's slots.
func fairLimits(ctx context.Context, o study.Options) ([]study.Row, error) {
	const few = 400 // maps of the jobs that are limited in number
	var list []setup.Tenant
	for range 5 {
		one := tenant("limited")
		one.Maps = few
		list = append(list, one)
	}
	running := func(c *simulator.Contest) study.Sample {
		return setup.Each(c, func(r *simulator.Result) float64 {
			most := 0
			for _, s := range r.Samples {
				most = max(most, len(s.Jobs))
			}
			return float64(most)
		})
	}
	jobs := setup.Tenants(list...)
	byPool, err := shared(ctx, o, scheduling.Allocations{
		Pools: []scheduling.PoolConfig{{Name: "limited", MaxJobs: 2}},
	}, shareEnd, jobs)
	if err != nil {
		return nil, err
	}
	byUser, err := shared(ctx, o, scheduling.Allocations{UserMaxJobs: 3}, shareEnd, jobs)
	if err != nil {
		return nil, err
	}
	slots, err := shared(ctx, o, scheduling.Allocations{
		Pools: []scheduling.PoolConfig{{Name: "capped", Max: [2]int{25, 25}}},
	}, shareEnd, setup.Tenants(tenant("capped"), tenant("free")))
	if err != nil {
		return nil, err
	}
	most := func(job int) study.Sample {
		return setup.OldTimelines(slots, 2, shareEvery,
			func(t setup.Timeline) float64 { return t.Most(job) })
	}
	return []study.Row{
		study.OwnRow("limit of 2 jobs of a pool: most of 5 that run at once", "", "2",
			study.Between(1.5, 2.5), running(byPool)),
		study.OwnRow("limit of 3 jobs of a user: most of 5 that run at once", "", "3",
			study.Between(2.5, 3.5), running(byUser)),
		study.OwnRow("pool with at most 25 slots: most that it holds", "slots", "25",
			study.Between(24.5, 25.5), most(0)),
		study.OwnRow("the pool beside it: most that it holds", "slots", "what is left, 75",
			study.Between(74.5, 75.5), most(1)),
	}, nil
}
