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

// NodeLocal returns the percentage of a result's maps that were node-local.
func NodeLocal(r *simulator.Result) float64 {
	return 100 * r.Report.Maps.Share(scheduling.NodeLocal)
}

// RackLocal returns the percentage of a result's maps that were rack-local or nearer.
func RackLocal(r *simulator.Result) float64 {
	return 100 * r.Report.Maps.Share(scheduling.RackLocal)
}

// Makespan returns a result's makespan in seconds.
func Makespan(r *simulator.Result) float64 { return r.Report.MakespanS }

// MeanSojourn returns a result's mean sojourn time in seconds.
func MeanSojourn(r *simulator.Result) float64 { return r.Report.Sojourn.Mean }

// OffRack returns a result's shuffled bytes that left their rack.
func OffRack(r *simulator.Result) float64 { return float64(r.Report.Shuffle.OffRack) }

// WTND returns a result's weighted total network distance: each shuffled byte times 2 within a rack
// and 4 beyond.
func WTND(r *simulator.Result) float64 { return float64(r.Report.Shuffle.Links()) }

// Sojourns returns the sojourn times in seconds, ascending, of the jobs of some classes, or of all
// jobs if no class is given.
func (r *Runs) Sojourns(classes ...string) []float64 {
	var all []float64
	for _, one := range r.Results {
		for i := range one.Jobs {
			if j := &one.Jobs[i]; j.Done && (len(classes) == 0 || slices.Contains(classes, j.Class)) {
				all = append(all, j.Sojourn().Seconds())
			}
		}
	}
	slices.Sort(all)
	return all
}

// Mean returns the mean sojourn time by seed, in seconds, of the jobs of Sojourns under a policy.
func (c Comparison) Mean(policy int, classes ...string) Sample {
	return c.BySeed(func(one Comparison) float64 { return Average(one[policy].Sojourns(classes...)) })
}

// ClassLocality returns the percentage of a class's maps at a level or nearer, 0 without maps.
func (r *Runs) ClassLocality(class string, level scheduling.Locality) float64 {
	var all simulator.MapPlaces
	for _, one := range r.Results {
		for i := range one.Jobs {
			if j := &one.Jobs[i]; j.Class == class {
				all.Add(j.Maps)
			}
		}
	}
	if all == (simulator.MapPlaces{}) {
		return 0
	}
	return 100 * all.Share(level)
}

// Local returns ClassLocality by seed.
func (r *Runs) Local(class string, level scheduling.Locality) Sample {
	return Comparison{r}.BySeed(func(one Comparison) float64 { return one[0].ClassLocality(class, level) })
}

// Average returns the mean of numbers, 0 without any.
func Average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}

// Median returns the median of ascending numbers, 0 without any.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)/2]
}
