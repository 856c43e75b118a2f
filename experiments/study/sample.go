package study

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarry-mr/tarry/internal/statistics"
)

// Sample is a measured quantity: a value for each seed, or a single value without randomness.
type Sample struct {
	Values []float64
	// Sure means that every seed gives the same value.
	Sure bool
}

// Sure returns a quantity without randomness.
func Sure(v float64) Sample { return Sample{Values: []float64{v}, Sure: true} }

// BySeed returns a quantity with a value for each seed.
func BySeed(values []float64) Sample { return Sample{Values: values} }

// Samples returns several quantities by seed; run(i) returns the values of all under seed number i.
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

// Seeds is like Samples, but run gets the seed: Seed and the numbers after it.
func (s *Study) Seeds(seeds int, run func(seed uint64) []float64) []Sample {
	return Samples(seeds, func(i int) []float64 { return run(s.Seed + uint64(i)) })
}

// Pair returns figure(a, b), computed seed by seed, so that their common randomness cancels out. a
// and b must have the same seeds.
func Pair(a, b Sample, figure func(a, b float64) float64) Sample {
	values := make([]float64, min(len(a.Values), len(b.Values)))
	for i := range values {
		values[i] = figure(a.Values[i], b.Values[i])
	}
	return Sample{Values: values, Sure: a.Sure && b.Sure}
}

// Over returns s divided by b, seed by seed.
func (s Sample) Over(b Sample) Sample {
	return Pair(s, b, func(a, b float64) float64 { return a / b })
}

// Minus returns s minus b, seed by seed.
func (s Sample) Minus(b Sample) Sample {
	return Pair(s, b, func(a, b float64) float64 { return a - b })
}

// MeanOf returns the mean of at least one quantity, seed by seed.
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

// Times returns s times a factor.
func (s Sample) Times(factor float64) Sample {
	return Pair(s, s, func(a, _ float64) float64 { return a * factor })
}

// ByMean orders samples by their means, for package slices.
func ByMean(a, b Sample) int { return cmp.Compare(a.Mean(), b.Mean()) }

// Part returns the mean of s as a percentage of the mean of whole, for quantities that are near
// zero under some seeds. It linearizes each seed's value, so that the interval is that of the
// ratio.
func (s Sample) Part(whole Sample) Sample {
	part := 100 * s.Mean() / whole.Mean()
	return Pair(s, whole, func(a, b float64) float64 {
		return part + float64(100*a-float64(part*b))/whole.Mean()
	})
}

// Mean returns the mean over the seeds, NaN without any.
func (s Sample) Mean() float64 {
	return statistics.Mean(s.Values)
}

// Interval returns the 95 % interval of the mean (Student's t), or the value itself if it is sure.
// Both ends are NaN for a single random value.
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
