package bench

import (
	"cmp"
	"slices"
)

// Summary is the median of some values and their range.
type Summary struct {
	Median, Min, Max float64
	N                int // number of values; 0: nothing is known and the rest is 0
}

// Summarize returns the summary of values, which it does not change. The median of an even number
// of values is the mean of the middle two.
func Summarize(values []float64) Summary {
	n := len(values)
	if n == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(values))
	median := sorted[n/2]
	if n%2 == 0 {
		median = (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return Summary{Median: median, Min: sorted[0], Max: sorted[n-1], N: n}
}

// Walls returns the summary of the samples' wall times in seconds.
func Walls(samples []Sample) Summary {
	return Summarize(each(samples, func(s Sample) float64 { return s.Wall.Seconds() }))
}

// CPUs returns the summary of the samples' CPU times in seconds.
func CPUs(samples []Sample) Summary {
	return Summarize(each(samples, func(s Sample) float64 { return s.CPU.Seconds() }))
}

// Ratios returns the summary of a's wall times divided by b's, round by round, over the rounds in
// which both ran.
func Ratios(a, b []Sample) Summary {
	return ratios(a, b, func(s Sample) float64 { return s.Wall.Seconds() })
}

// CPURatios is like Ratios for CPU times, which depend less on other users of the machine.
func CPURatios(a, b []Sample) Summary {
	return ratios(a, b, func(s Sample) float64 { return s.CPU.Seconds() })
}

// ratios divides f of a's runs by f of b's runs. It skips runs in which f of b is 0.
func ratios(a, b []Sample, f func(Sample) float64) Summary {
	var values []float64
	for i := range min(len(a), len(b)) {
		if divisor := f(b[i]); divisor > 0 {
			values = append(values, f(a[i])/divisor)
		}
	}
	return Summarize(values)
}

// most returns the maximum of f over the samples, 0 without samples.
func most[T cmp.Ordered](samples []Sample, f func(Sample) T) T {
	var m T
	for _, s := range samples {
		m = max(m, f(s))
	}
	return m
}

func each(samples []Sample, f func(Sample) float64) []float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = f(s)
	}
	return values
}
