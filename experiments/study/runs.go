package study

import (
	"fmt"
	"math/rand/v2"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Load draws a workload.
type Load = func(r *rand.Rand) workload.Workload

// Always is the load that is one workload whatever is drawn.
func Always(w workload.Workload) Load { return func(*rand.Rand) workload.Workload { return w } }

// Metric is a figure of one run.
type Metric = func(*simulator.Result) float64

// Runs are those of one policy, one under each seed.
type Runs struct {
	Name    string
	Results []*simulator.Result
}

// Comparison is what some policies came to under the same seeds: under each seed all met the same
// jobs, blocks and task times, so that figures are compared seed by seed.
type Comparison []*Runs

// Contender is a policy under a name of its own: a preset of scheduling with changes. The names of
// presets are constants of a program, so that one that does not exist is a panic.
func Contender(name, preset string, changes ...func(*scheduling.Policy)) simulator.Contender {
	p, err := scheduling.Preset(preset)
	if err != nil {
		panic(err)
	}
	for _, change := range changes {
		change(&p)
	}
	return simulator.Contender{Name: name, Policy: p}
}

// Compare runs policies over so many seeds of a load, from Seed + cfg.Seed on, in parallel.
func (s *Study) Compare(
	cfg simulator.Config, list []simulator.Contender, seeds int, load Load,
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

// Simulate runs one policy over so many seeds of a load.
func (s *Study) Simulate(cfg simulator.Config, p simulator.Contender, seeds int, load Load) *Runs {
	return s.Compare(cfg, []simulator.Contender{p}, seeds, load)[0]
}

// By gives a figure of the runs by seed.
func (r *Runs) By(m Metric) Sample {
	values := make([]float64, len(r.Results))
	for i, one := range r.Results {
		values[i] = m(one)
	}
	return BySeed(values)
}

// BySeed works out a figure of all policies for each seed apart: one has the runs of that seed.
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

// Over is a figure of policy a over that of policy b.
func (c Comparison) Over(a, b int, m Metric) Sample { return c[a].By(m).Over(c[b].By(m)) }

// Less is a figure of policy a less that of policy b.
func (c Comparison) Less(a, b int, m Metric) Sample { return c[a].By(m).Minus(c[b].By(m)) }

// Saved is what policy a saves of a figure of policy b, in per cent.
func (c Comparison) Saved(a, b int, m Metric) Sample {
	return Pair(c[a].By(m), c[b].By(m), func(a, b float64) float64 { return 100 * (1 - a/b) })
}
