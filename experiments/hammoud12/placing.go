package hammoud12

import (
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// cogrs returns CoGRS with changes, when the outputs of a fraction of the maps are known. Its waits
// are long enough that each node asks ten times before a reduce gives up its center or its rack.
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

// overSeeds draws a problem for each seed and returns a quantity of it.
func overSeeds(
	s *study.Study, seeds int, shape setup.Shape, figure func(p *setup.Placing, r *rand.Rand) float64,
) study.Sample {
	return s.Seeds(seeds, func(seed uint64) []float64 {
		r := rand.New(rand.NewPCG(seed, 7))
		return []float64{figure(setup.DrawPlacing(r, shape), r)}
	})[0]
}

// byCore lets the Core place the reduces of a problem and returns a quantity of the places.
func byCore(
	s *study.Study, rule setup.Rule, figure func(*setup.Placing, []int) float64,
) func(p *setup.Placing, r *rand.Rand) float64 {
	return func(p *setup.Placing, r *rand.Rand) float64 {
		return figure(p, p.ByCore(s.Check, rule, r))
	}
}
