// Package tune searches for settings of a policy that improve a goal, in the simulator.
//
//	found, err := tune.Search(ctx, tune.Problem{
//		Start: policy, Goal: tune.MeanSojourn, Run: run, // run simulates a policy with a seed
//	})
//
// The search is simple. It runs all choices of each knob with the same seeds as the current
// settings. It takes the best choice if that is significantly better (95 % interval of the paired
// differences), and repeats this until nothing changes. Then it verifies the result with fresh
// seeds. It undoes each change separately, and drops those that bring no significant gain. Finally
// it compares the remaining changes with the start. If the interval of the gain contains 0, it
// recommends no change.
//
// Reading order: knobs.go, search.go, judge.go.
package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/tarry-mr/tarry/internal/statistics"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// Goal names the figure of a simulation that a search minimizes.
type Goal string

// The goals.
const (
	MeanSojourn Goal = "mean-sojourn" // of the jobs
	P95         Goal = "p95"          // of the jobs' sojourn times
	Locality    Goal = "locality"     // the fraction of the maps that do not run node-local
	OffRack     Goal = "off-rack"     // bytes that reduces fetch from other racks
)

// goals has, for each goal, its figure of a simulation (seconds, a fraction or GB), and the factor
// and the words with which Text shows it.
var goals = map[Goal]struct {
	of    func(*simulator.Figures) float64
	scale float64
	words string
}{
	MeanSojourn: {func(f *simulator.Figures) float64 { return f.Sojourn.Mean }, 1, "s mean sojourn"},
	P95:         {func(f *simulator.Figures) float64 { return f.Sojourn.P95 }, 1, "s of the 95th percentile of sojourns"},
	Locality:    {func(f *simulator.Figures) float64 { return 1 - f.Maps.Share(scheduling.NodeLocal) }, 100, "% of maps not local"},
	OffRack:     {func(f *simulator.Figures) float64 { return float64(f.Shuffle.OffRack) / 1e9 }, 1, "GB shuffled off rack"},
}

// Goals returns all goals.
func Goals() []Goal { return []Goal{MeanSojourn, P95, Locality, OffRack} }

// Text returns a figure of the goal with its unit, such as "0.03 % of maps not local".
func (g Goal) Text(x float64) string {
	in := goals[g]
	return fmt.Sprintf("%.4g %s", in.scale*x, in.words)
}

// Change returns a change of the goal's figure as text, such as "-3.2 ± 0.5 s mean sojourn".
func (g Goal) Change(e simulator.Estimate) string {
	in := goals[g]
	return fmt.Sprintf("%+.4g ± %.2g %s", in.scale*e.Mean, in.scale*e.Half, in.words)
}

// Problem describes what to tune.
type Problem struct {
	Start scheduling.Policy
	Goal  Goal
	Knobs []Knob
	// Run simulates a policy; the same seed must give the same jobs, blocks and task times. It is
	// called concurrently.
	Run func(ctx context.Context, p scheduling.Policy, seed uint64) (*simulator.Figures, error)
	// Seeds is the number of seeds with which the search runs each choice, Fresh the number for the
	// verification. Each is at least 2; 0 means 5 and 10. Seeds are numbered from Seed.
	Seeds, Fresh int
	Seed         uint64
	// Within is the fraction by which the mean sojourn time may rise if it is not the goal; 0 means
	// 0.05.
	Within float64
	// Told, if not nil, is called with a text about each trial, by one goroutine.
	Told func(text string)
}

// maxRounds is the maximum number of times that the search tries all knobs.
const maxRounds = 3

// state is a policy with the figures of its simulations, one per seed, in the order of the seeds.
type state struct {
	policy scheduling.Policy
	runs   []*simulator.Figures
}

// search is the state of a search, with its problem.
type search struct {
	Problem
	runs       int
	nearMisses map[string]Change // by knob: the best choice of the last round that was better, but not significantly
}

// withDefaults returns p with its defaults filled in, or an error if p is invalid.
func (p Problem) withDefaults() (Problem, error) {
	p.Seeds, p.Fresh, p.Within = cmp.Or(p.Seeds, 5), cmp.Or(p.Fresh, 10), cmp.Or(p.Within, 0.05)
	if p.Told == nil {
		p.Told = func(string) {}
	}
	if p.Seeds < 2 || p.Fresh < 2 || p.Within < 0 || p.Run == nil {
		return p, fmt.Errorf("tune: %d seeds and %d fresh ones, want 2 or more", p.Seeds, p.Fresh)
	}
	return p, nil
}

// Search searches for settings that improve the goal. If the start policy cannot run, it returns
// the error of Problem.Run; a choice that cannot run is not taken.
func Search(ctx context.Context, p Problem) (*Found, error) {
	p, err := p.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &search{Problem: p, nearMisses: map[string]Change{}}
	now, err := s.run(ctx, p.Start, p.Seed, p.Seeds)
	if err != nil {
		return nil, err
	}
	start := now
	taken := map[int]Choice{}
	for round := range maxRounds {
		changed := false
		for k := range p.Knobs {
			best, c, err := s.turn(ctx, start, now, &p.Knobs[k])
			if err != nil {
				return nil, err
			}
			if c != nil {
				now, taken[k], changed = best, *c, true
			}
		}
		if !changed {
			p.Told(fmt.Sprintf("nothing better in round %d", round+1))
			break
		}
	}
	return s.judge(ctx, taken)
}

// turn returns the knob's choice that improves the goal most and significantly; nil if none does.
func (s *search) turn(ctx context.Context, start, now state, k *Knob) (best state, taken *Choice, err error) {
	least := math.Inf(1)
	delete(s.nearMisses, k.Name)
	for i := range k.Choices {
		c := &k.Choices[i]
		policy := now.policy
		if err := c.apply(&policy); err != nil || policy.Validate() != nil || reflect.DeepEqual(policy, now.policy) {
			continue // has no effect
		}
		got, err := s.run(ctx, policy, s.Seed, s.Seeds)
		if ctx.Err() != nil {
			return best, nil, ctx.Err()
		}
		if err != nil {
			s.Told(fmt.Sprintf("%s: %v", c.Text, err))
			continue
		}
		gain := s.minus(got, now, s.Goal)
		s.Told(fmt.Sprintf("%s: %s", c.Text, s.Goal.Change(gain)))
		if m, there := s.nearMisses[k.Name]; !gain.Below() && gain.Mean < 0 && (!there || gain.Mean < m.Worth.Mean) {
			s.nearMisses[k.Name] = Change{k.Name, c.Text, gain}
		}
		if gain.Below() && gain.Mean < least && s.allowed(start, got) {
			best, taken, least = got, c, gain.Mean
		}
	}
	if taken != nil {
		delete(s.nearMisses, k.Name)
	}
	return best, taken, nil
}

// allowed reports whether the mean sojourn time has risen by at most Within, or is the goal.
func (s *search) allowed(start, now state) bool {
	if s.Goal == MeanSojourn {
		return true
	}
	return mean(now.runs, MeanSojourn) <= (1+s.Within)*mean(start.runs, MeanSojourn)
}

// mean returns the mean of the goal's figure over the runs.
func mean(runs []*simulator.Figures, g Goal) float64 { return statistics.Mean(values(runs, g)) }

func values(runs []*simulator.Figures, g Goal) []float64 {
	list := make([]float64, len(runs))
	for i := range runs {
		list[i] = goals[g].of(runs[i])
	}
	return list
}

// minus returns the goal's mean figure of a minus that of b, with runs paired by their seed.
func (s *search) minus(a, b state, g Goal) simulator.Estimate {
	list := values(a.runs, g)
	for i, v := range values(b.runs, g) {
		list[i] -= v
	}
	return simulator.EstimateOf(list)
}

// run simulates a policy with n seeds, on all processors.
func (s *search) run(ctx context.Context, p scheduling.Policy, seed uint64, n int) (state, error) {
	out := state{policy: p, runs: make([]*simulator.Figures, n)}
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() (err error) {
			out.runs[i], err = s.Run(ctx, p, seed+uint64(i))
			return err
		})
	}
	s.runs += n
	return out, all.Wait()
}
