package delaymath

import "math"

// ExpectedLocality returns the expected fraction of node-local tasks over the life of a job of n
// tasks (1 or more) on m nodes (1 or more) with r replicas (1 or more) that waits for up to d
// offers (0 or more) at each launch:
//
//	(1/N) Σ_{K=1..N} 1 − (1 − K/M)^(RD)
//
// the average of [Zaharia10 §3.5], before it is bounded. Two simplifications are those of that
// analysis. The nodes with data of different tasks are independent, and the last offer of a wait
// counts as not local. After a launch that is not local the job waits as before (footnote 4;
// Algorithm 2 waits only after its next local launch).
func ExpectedLocality(d float64, n, m, r int) float64 {
	return meanLocal(d, n, m, r, func(k int) float64 {
		if k >= m {
			return math.Inf(-1)
		}
		return float64(r) * math.Log1p(-float64(k)/float64(m))
	})
}

// LocalitySum returns a lower bound of ExpectedLocality for the same arguments. It has e^(−K/M) in
// place of 1 − K/M:
//
//	l(D) = 1 − (1/N) Σ_{K=1..N} e^(−RDK/M)
//
// [Zaharia10 §3.5, the formula before Equation 2]. With n = 1 it is the paper's 1 − e^(−RDK/M) for
// K = 1.
func LocalitySum(d float64, n, m, r int) float64 {
	x := float64(r) / float64(m)
	return meanLocal(d, n, m, r, func(k int) float64 { return -x * float64(k) })
}

// LocalityBound returns a lower bound of LocalitySum for the same arguments. It has no sum, so that
// Equation 2 can solve it for D:
//
//	1 − e^(−RD/M) / (N (1 − e^(−RD/M)))
//
// [Zaharia10 §3.5, the last line before Equation 2]. For small D the bound is negative and says
// nothing; the result is then 0.
func LocalityBound(d float64, n, m, r int) float64 {
	if !isCount(d) || n < 1 || m < 1 || r < 1 {
		return math.NaN()
	}
	x := float64(r) * d / float64(m)
	return max(0, 1-1/(float64(n)*math.Expm1(x))) // e^−x/(1−e^−x) = 1/(e^x−1)
}

// MeanSkips returns the mean number of offers, between 0 and d, that a job refuses before a launch:
//
//	(1/N) Σ_{K=1..N} Σ_{i=1..D} (1 − K/M)^(Ri)
//
// for an integer d of 0 or more and the other arguments of ExpectedLocality. The paper bounds the
// wait by D; this is the mean that corresponds to ExpectedLocality, under the same simplifications.
func MeanSkips(d, n, m, r int) float64 {
	if d < 0 || n < 1 || m < 1 || r < 1 {
		return math.NaN()
	}
	sum := 0.0
	for k := 1; k <= n && k < m; k++ {
		p := PreferredPart(k, m, r)
		sum += (1 - p) / p * LocalWithin(p, float64(d))
	}
	return sum / float64(n)
}

// meanLocal returns 1 − q(k)^d averaged over k = 1..n: the probability that one of d offers is
// local with k tasks left. lnq returns ln q(k), which decreases with k, so small terms end the sum.
// It is NaN for arguments outside the range of ExpectedLocality.
func meanLocal(d float64, n, m, r int, lnq func(k int) float64) float64 {
	if !isCount(d) || n < 1 || m < 1 || r < 1 {
		return math.NaN()
	}
	if d == 0 {
		return 0
	}
	missed := 0.0
	for k := 1; k <= n; k++ {
		term := math.Exp(d * lnq(k))
		if term < 1e-18 {
			break
		}
		missed += term
	}
	return 1 - missed/float64(n)
}

// Algorithm2Locality returns the expected fraction of node-local tasks under Algorithm 2 as
// printed. d is an integer skip count of 0 or more; n, m, r are as in ExpectedLocality. It avoids
// two simplifications of the paper's analysis. The last offer of a wait may be local too. After a
// launch that is not local, the job takes every offer until one happens to be local [Zaharia10
// §3.4, and footnote 4 of §3.5]. w(K) and f(K) are the expected local launches of a job with K
// remaining tasks that waits, or takes any offer. With p_K of PreferredPart and a = 1 − (1 −
// p_K)^(D+1):
//
//	w(K) = a (1 + w(K−1)) + (1 − a) f(K−1)        f(K) = p_K (1 + w(K−1)) + (1 − p_K) f(K−1)
//
// and the result is w(N)/N (derived here). For small jobs and moderate D it is well below
// ExpectedLocality: 58 %, not 68 %, for 4 tasks on 100 nodes and D = 17. For large D both agree.
// For D = 0 it is the locality without waiting, where ExpectedLocality is 0.
func Algorithm2Locality(d, n, m, r int) float64 {
	if d < 0 || n < 1 || m < 1 || r < 1 {
		return math.NaN()
	}
	waits, takesAny := 0.0, 0.0 // expected local launches of a job with k remaining tasks
	for k := 1; k <= n; k++ {
		p := PreferredPart(k, m, r)
		a := LocalWithin(p, float64(d)+1)
		waits, takesAny = a*(1+waits)+(1-a)*takesAny, p*(1+waits)+(1-p)*takesAny
	}
	return waits / float64(n)
}

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
