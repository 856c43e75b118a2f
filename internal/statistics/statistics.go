// Package statistics computes means and their confidence intervals.
package statistics

import "math"

// Mean returns the mean of values; NaN if there are none.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Half returns half the width of the 95 % confidence interval of the mean (Student's t); NaN for
// fewer than two values.
func Half(values []float64) float64 {
	if len(values) < 2 {
		return math.NaN()
	}
	mean, squares := Mean(values), 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean)) // rounded, lest a machine fuse it with the sum
	}
	n := float64(len(values))
	return float64(Student95(len(values)-1) * math.Sqrt(squares/(n-1)/n))
}

// Student95 returns the two-sided 95 % quantile of Student's t with f degrees of freedom, f ≥ 1. Up
// to 30 it is from a table, beyond it is 1.96 + 2.4/f (error within 0.1 %).
func Student95(f int) float64 {
	table := [...]float64{
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
		2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
		2.052, 2.048, 2.045, 2.042,
	}
	if f <= len(table) {
		return table[f-1]
	}
	return 1.96 + 2.4/float64(f)
}
