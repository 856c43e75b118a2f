package bench

import (
	"slices"
)

// Summary is the median of some values and their range.
type Summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	N      int     `json:"n"` // number of values; 0: nothing is known and the rest is 0
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

// of returns the summary of f over the samples.
func of(samples []Sample, f func(Sample) float64) Summary {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = f(s)
	}
	return Summarize(values)
}

// ratios returns the summary of f of a's runs divided by f of b's runs, round by round, over the
// rounds in which both ran. It skips runs in which f of b is 0.
func ratios(a, b []Sample, f func(Sample) float64) Summary {
	var values []float64
	for i := range min(len(a), len(b)) {
		if divisor := f(b[i]); divisor > 0 {
			values = append(values, f(a[i])/divisor)
		}
	}
	return Summarize(values)
}

// The quantities of a sample. CPU time depends less on other users of the machine than wall time.
func wall(s Sample) float64    { return s.Wall }
func cpu(s Sample) float64     { return s.CPU }
func rss(s Sample) float64     { return float64(s.PeakRSS) }
func private(s Sample) float64 { return float64(s.Private) }
