package study

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarry-mr/tarry/internal/statistics"
)

// Sample is a quantity as it was found: one value a seed, or a single one that has no chance in it.
type Sample struct {
	Values []float64
	// Sure says that other seeds give the same value.
	Sure bool
}

// Sure is a quantity without chance.
func Sure(v float64) Sample { return Sample{Values: []float64{v}, Sure: true} }

// BySeed is a quantity that each seed gave a value of.
func BySeed(values []float64) Sample { return Sample{Values: values} }

// Samples gives several quantities by seed: run gives one value of each for the i-th seed.
func Samples(seeds int, run func(i int) []float64) []Sample {
	var all []Sample
	for i := range seeds {
		values := run(i)
		if i == 0 {
			all = make([]Sample, len(values))
		}
		for k, v := range values {
			all[k].Values = append(all[k].Values, v)
		}
	}
	return all
}

// Seeds gives several quantities of something that is run under each seed.
func (s *Study) Seeds(seeds int, run func(seed uint64) []float64) []Sample {
	return Samples(seeds, func(i int) []float64 { return run(s.Seed + uint64(i)) })
}

// Pair works out a quantity of two others for each seed apart, so that what is chance in both drops
// out: the seeds of a and b are the same.
func Pair(a, b Sample, figure func(a, b float64) float64) Sample {
	values := make([]float64, min(len(a.Values), len(b.Values)))
	for i := range values {
		values[i] = figure(a.Values[i], b.Values[i])
	}
	return Sample{Values: values, Sure: a.Sure && b.Sure}
}

// Over is a over b for each seed apart.
func (s Sample) Over(b Sample) Sample {
	return Pair(s, b, func(a, b float64) float64 { return a / b })
}

// Minus is a less b for each seed apart.
func (s Sample) Minus(b Sample) Sample {
	return Pair(s, b, func(a, b float64) float64 { return a - b })
}

// MeanOf is the mean of several quantities for each seed apart; there must be one at least.
func MeanOf(all []Sample) Sample {
	sum := Sample{Values: slices.Clone(all[0].Values), Sure: all[0].Sure}
	for _, s := range all[1:] {
		sum = Pair(sum, s, func(a, b float64) float64 { return a + b })
	}
	for i := range sum.Values {
		sum.Values[i] /= float64(len(all))
	}
	return sum
}

// Times is s times a factor.
func (s Sample) Times(factor float64) Sample {
	return Pair(s, s, func(a, _ float64) float64 { return a * factor })
}

// Inverse is 1 over s for each seed apart.
func (s Sample) Inverse() Sample { return Pair(s, s, func(a, _ float64) float64 { return 1 / a }) }

// ByMean orders samples by their means, for package slices.
func ByMean(a, b Sample) int { return cmp.Compare(a.Mean(), b.Mean()) }

// Part is the mean of s over the mean of whole, in per cent: for quantities that are near nothing
// under some seeds. Each seed's value is linearized, so that the interval is that of the ratio.
func (s Sample) Part(whole Sample) Sample {
	part := 100 * s.Mean() / whole.Mean()
	return Pair(s, whole, func(a, b float64) float64 {
		return part + float64(100*a-float64(part*b))/whole.Mean()
	})
}

// Mean is the mean over the seeds, NaN of none.
func (s Sample) Mean() float64 {
	return statistics.Mean(s.Values)
}

// Interval is the 95 % interval of the mean (Student's t), the value itself if there is no chance
// in it. One value by chance has no interval: both ends are NaN.
func (s Sample) Interval() (low, high float64) {
	mean := s.Mean()
	switch {
	case s.Sure:
		return mean, mean
	case len(s.Values) < 2:
		return math.NaN(), math.NaN()
	}
	half := statistics.Half(s.Values)
	return mean - half, mean + half
}
