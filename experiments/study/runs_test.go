package study

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// ofMakespans returns runs with these makespans.
func ofMakespans(name string, list ...float64) *Runs {
	r := &Runs{Name: name}
	for _, v := range list {
		one := &simulator.Result{}
		one.Report.MakespanS = v
		r.Results = append(r.Results, one)
	}
	return r
}

// Policies are compared seed by seed, not by their means.
func TestComparisonIsBySeed(t *testing.T) {
	c := Comparison{ofMakespans("a", 10, 40), ofMakespans("b", 20, 20)}
	require.Equal(t, []float64{10, 40}, c[0].By(Makespan).Values)
	require.Equal(t, []float64{0.5, 2}, c.Over(0, 1, Makespan).Values)
	require.Equal(t, []float64{-10, 20}, c.Less(0, 1, Makespan).Values)
	require.Equal(t, []float64{50, -100}, c.Saved(0, 1, Makespan).Values)
	best := c.BySeed(func(one Comparison) float64 {
		require.Len(t, one[1].Results, 1)
		return min(Makespan(one[0].Results[0]), Makespan(one[1].Results[0]))
	})
	require.Equal(t, []float64{10, 20}, best.Values)
	both := c[0].Each(func(r *simulator.Result) []float64 { return []float64{Makespan(r), 1} })
	require.Equal(t, []float64{10, 40}, both[0].Values)
	require.Equal(t, []float64{1, 1}, both[1].Values)
}

// Under one seed, all policies get the same jobs; under other seeds, they get others. A policy has
// the same results alone as in a comparison.
func TestCommonRandomNumbers(t *testing.T) {
	s := &Study{Options: Options{Seed: 5}, ctx: context.Background()}
	load := func(r *rand.Rand) workload.Workload { return workload.Scans(1+r.IntN(1000), 1, 0) }
	cfg := simulator.Config{Cluster: simulator.Cluster{Nodes: 3}}
	jobs := func(r *simulator.Result) float64 { return float64(len(r.Jobs)) }
	c := s.Compare(cfg, Contenders{Policy("one", "fifo"), Policy("two", "fair")}, 3, load)
	require.Equal(t, c[0].By(jobs), c[1].By(jobs))
	require.NotEqual(t, jobs(c[0].Results[0]), jobs(c[0].Results[1]))
	require.Equal(t, "two", c[1].Name)
	require.Equal(t, c[1].By(Makespan), s.Simulate(cfg, Policy("two", "fair"), 3, load).By(Makespan))
	cfg.Seed = 1 // beside that of the study
	require.Equal(t, c[1].By(jobs).Values[1:], s.Simulate(cfg, Policy("two", "fair"), 2, load).By(jobs).Values)
	seeds := s.Seeds(2, func(seed uint64) []float64 { return []float64{float64(seed)} })
	require.Equal(t, []float64{5, 6}, seeds[0].Values)
}

// Changed does not modify the original load.
func TestChanged(t *testing.T) {
	base := Always(workload.Scans(2, 1, 0))
	more := Changed(base, func(j *workload.Job) { j.Maps += 5 })
	for range 2 {
		require.Equal(t, 6, more(nil).Jobs[1].Maps)
		require.Equal(t, 1, base(nil).Jobs[1].Maps)
	}
}

func TestPolicy(t *testing.T) {
	p := Policy("mine", "fair", func(p *scheduling.Policy) { p.Spread = true }, func(p *scheduling.Policy) { p.OneTask = p.Spread })
	require.Equal(t, "mine", p.Name)
	require.True(t, p.Policy.OneTask)
	require.Panics(t, func() { Policy("x", "no such preset") })
}
