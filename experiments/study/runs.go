package study

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Load draws a workload.
type Load = func(r *rand.Rand) workload.Workload

// Always returns a load that is always the same workload.
func Always(w workload.Workload) Load { return func(*rand.Rand) workload.Workload { return w } }

// Changed returns a load that draws the workload of load and applies change to each of its jobs.
func Changed(load Load, change func(j *workload.Job)) Load {
	return func(r *rand.Rand) workload.Workload {
		w := load(r)
		w.Jobs = slices.Clone(w.Jobs)
		for i := range w.Jobs {
			change(&w.Jobs[i])
		}
		return w
	}
}

// Metric returns a quantity of one run.
type Metric = func(*simulator.Result) float64

// Runs are the runs of one policy, one for each seed.
type Runs struct {
	Name    string
	Results []*simulator.Result
}

// Comparison is the runs of several policies under the same seeds. Under each seed, all policies
// get the same jobs, blocks and task times, so that quantities can be compared seed by seed.
type Comparison []*Runs

// Contenders are policies with unique names.
type Contenders = []simulator.Contender

// Change changes a policy.
type Change = func(*scheduling.Policy)

// Policy returns a named preset of package scheduling with changes. It panics if the preset does
// not exist.
func Policy(name, preset string, changes ...Change) simulator.Contender {
	p, err := scheduling.Preset(preset)
	if err != nil {
		panic(err)
	}
	for _, change := range changes {
		change(&p)
	}
	return simulator.Contender{Name: name, Policy: p}
}

// Compare simulates load under each policy with seeds from Seed + cfg.Seed on, in parallel.
func (s *Study) Compare(
	cfg simulator.Config, list Contenders, seeds int, load Load,
) Comparison {
	cfg.Seed += s.Seed
	all, err := simulator.Compare(s.ctx, cfg, list, seeds, func(seed uint64) (*workload.Workload, error) {
		w := load(rand.New(rand.NewPCG(seed, 0)))
		return &w, nil
	})
	if err != nil {
		s.Check(fmt.Errorf("simulation: %w", err))
	}
	c := make(Comparison, len(all))
	for i, contest := range all {
		c[i] = &Runs{contest.Name, contest.Results}
	}
	return c
}

// Simulate is like Compare for a single policy.
func (s *Study) Simulate(cfg simulator.Config, p simulator.Contender, seeds int, load Load) *Runs {
	return s.Compare(cfg, Contenders{p}, seeds, load)[0]
}

// Run runs one simulation, as simulator.Run does.
func (s *Study) Run(cfg simulator.Config, w *workload.Workload) *simulator.Result {
	r, err := simulator.Run(s.ctx, cfg, w)
	s.Check(err)
	return r
}

// By returns a quantity of the runs, a value per seed.
func (r *Runs) By(m Metric) Sample {
	values := make([]float64, len(r.Results))
	for i, one := range r.Results {
		values[i] = m(one)
	}
	return BySeed(values)
}

// Each returns several quantities of the runs, a value per seed of each; figures returns them all.
func (r *Runs) Each(figures func(*simulator.Result) []float64) []Sample {
	return Samples(len(r.Results), func(i int) []float64 { return figures(r.Results[i]) })
}

// BySeed returns a quantity that figure computes from all policies' runs with the same seed (one).
func (c Comparison) BySeed(figure func(one Comparison) float64) Sample {
	values := make([]float64, len(c[0].Results))
	for n := range values {
		one := make(Comparison, len(c))
		for i, r := range c {
			one[i] = &Runs{r.Name, r.Results[n : n+1]}
		}
		values[n] = figure(one)
	}
	return BySeed(values)
}

// Over returns a quantity of policy a divided by that of policy b.
func (c Comparison) Over(a, b int, m Metric) Sample { return c[a].By(m).Over(c[b].By(m)) }

// Less returns a quantity of policy a minus that of policy b.
func (c Comparison) Less(a, b int, m Metric) Sample { return c[a].By(m).Minus(c[b].By(m)) }

// Saved returns the percentage of a quantity of policy b that policy a saves.
func (c Comparison) Saved(a, b int, m Metric) Sample {
	return Pair(c[a].By(m), c[b].By(m), func(a, b float64) float64 { return 100 * (1 - a/b) })
}
