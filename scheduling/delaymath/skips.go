package delaymath

import "math"

// Equation2 returns the skip count that suffices for locality lambda (0 to below 1) in jobs of n
// tasks on m nodes with r replicas (each 1 or more):
//
//	D ≥ −(M/R) ln( (1−λ)N / (1 + (1−λ)N) )
//
// [Zaharia10 Equation 2], in offers, not rounded. There LocalityBound is lambda. As
// ExpectedLocality is at least that bound, fewer offers may suffice.
func Equation2(lambda float64, n, m, r int) float64 {
	if !(lambda >= 0 && lambda < 1) || n < 1 || m < 1 || r < 1 {
		return math.NaN()
	}
	missed := (1 - lambda) * float64(n) // tasks that need not run local
	return float64(m) / float64(r) * math.Log1p(1/missed)
}

// Skips returns Equation2 rounded up to an integer skip count, at most 2^62; -1 outside its range.
func Skips(lambda float64, n, m, r int) int {
	return ceil(Equation2(lambda, n, m, r))
}

// ceil rounds up to an int, at most 2^62; NaN becomes -1.
func ceil(x float64) int {
	if math.IsNaN(x) {
		return -1
	}
	return int(math.Ceil(min(x, 1<<62)))
}
