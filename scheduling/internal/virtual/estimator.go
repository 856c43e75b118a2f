package virtual

import (
	"math"
	"slices"
	"time"
)

// Estimator estimates the sum of the durations of n tasks from the durations of a sample.
type Estimator func(sample []time.Duration, n int) time.Duration

// Mean is the Estimator that returns n times the mean of the sample [HFSP §3.2.1].
func Mean(sample []time.Duration, n int) time.Duration {
	var sum time.Duration
	for _, d := range sample {
		sum += d
	}
	return time.Duration(float64(sum) / float64(len(sample)) * float64(n))
}

// LogNormal is the Estimator that fits a log-normal distribution to the sample's quantiles by least
// squares and adds up n quantiles of the fit. It accounts for the long tail that the mean of a
// small sample usually misses.
func LogNormal(sample []time.Duration, n int) time.Duration {
	if len(sample) < 3 {
		return Mean(sample, n)
	}
	s := slices.Clone(sample)
	slices.Sort(s)
	var sy, sxx, sxy float64 // the quantiles x have sum 0
	for i, d := range s {
		x, y := normalQuantile((float64(i)+0.5)/float64(len(s))), math.Log(math.Max(1, float64(d)))
		sy, sxx, sxy = sy+y, sxx+x*x, sxy+x*y
	}
	slope, base := sxy/sxx, sy/float64(len(s))
	sum := 0.0
	for i := range n {
		sum += math.Exp(base + slope*normalQuantile((float64(i)+0.5)/float64(n)))
	}
	return time.Duration(sum)
}

// normalQuantile returns the p-quantile of the standard normal distribution.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
