package hammoud12

import (
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// cogrs returns a changed CoGRS rule that places reduces once the fraction known of the maps have
// ended. A reduce waits for its center, and for its rack, until each node has asked ten times.
func cogrs(known float64, changes ...func(*setup.Rule)) setup.Rule {
	const wait = 10 * setup.BeatEvery
	r := setup.Rule{Known: known, Policy: scheduling.ReducePolicy{
		Rule: scheduling.CoGRS, Waits: [2]time.Duration{wait, wait},
	}}
	for _, change := range changes {
		change(&r)
	}
	return r
}

// overSeeds draws a placement problem for each seed and returns the sample of a figure of theirs.
func overSeeds(
	s *study.Study, seeds int, shape setup.Shape, figure func(p *setup.Placing, r *rand.Rand) float64,
) study.Sample {
	return s.Seeds(seeds, func(seed uint64) []float64 {
		r := rand.New(rand.NewPCG(seed, 7))
		return []float64{figure(setup.DrawPlacing(r, shape), r)}
	})[0]
}

// byCore returns a figure for overSeeds: that of the nodes on which the Core places the reduces.
func byCore(
	s *study.Study, rule setup.Rule, figure func(*setup.Placing, []int) float64,
) func(p *setup.Placing, r *rand.Rand) float64 {
	return func(p *setup.Placing, r *rand.Rand) float64 {
		return figure(p, p.ByCore(s.Check, rule, r))
	}
}
