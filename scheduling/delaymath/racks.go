package delaymath

import (
	"math"
	"sort"
)

// Racks is the second level of a network: Q racks, of which C have a given block.
type Racks struct {
	Count    int // Q, 1 or more
	PerBlock int // C, 1 to Q; HDFS puts three replicas into two racks
}

// valid reports whether Count and PerBlock are in their ranges.
func (q Racks) valid() bool { return q.Count >= 1 && q.PerBlock >= 1 && q.PerBlock <= q.Count }

// PreferredPart returns the fraction of the racks in which a job with k remaining tasks (0 or more)
// has data: 1 − (1 − C/Q)^K. It is derived here: the paper gives no formula for racks [Zaharia10
// §3.6], only that D2 is much smaller than D1 because the cluster has fewer racks than nodes. The
// racks of blocks are assumed independent and of equal size.
func (q Racks) PreferredPart(k int) float64 {
	if !q.valid() || k < 0 {
		return math.NaN()
	}
	return LocalWithin(float64(q.PerBlock)/float64(q.Count), float64(k))
}

// WithinRack returns the expected fraction of a job's tasks that run at least rack-local if it
// waits up to d1 offers for a node-local, then up to d2 for a rack-local slot (0 or more):
//
//	(1/N) Σ_{K=1..N} 1 − (1 − p_K)^D1 (1 − C/Q)^(K·D2)
//
// with p_K of PreferredPart; n, m and r as in ExpectedLocality. It is derived here like the paper's
// formula for one wait, with the two waits of [Zaharia10 §3.6].
func (q Racks) WithinRack(d1, d2 float64, n, m, r int) float64 {
	if !q.valid() || !isCount(d1) || !isCount(d2) || n < 1 || m < 1 || r < 1 {
		return math.NaN()
	}
	missed := 0.0
	for k := 1; k <= n; k++ {
		node := 1 - LocalWithin(PreferredPart(k, m, r), d1)
		rack := 1 - LocalWithin(q.PreferredPart(k), d2)
		if node*rack < 1e-18 {
			break
		}
		missed += node * rack
	}
	return 1 - missed/float64(n)
}

// Equation2 is [Zaharia10 Equation 2] with racks instead of nodes. It returns the D2, in offers,
// that suffices for locality lambda (0 to below 1) of the launches that wait for a rack: −(Q/C) ln(
// (1−λ)N / (1 + (1−λ)N) ). It is derived like the form for nodes, since (1 − C/Q)^K ≤ e^(−KC/Q)
// too.
func (q Racks) Equation2(lambda float64, n int) float64 {
	if !q.valid() {
		return math.NaN()
	}
	return Equation2(lambda, n, q.Count, q.PerBlock)
}

// LeastSkips returns the smallest integer D2 with which WithinRack is at least lambda (0 to below
// 1) after d1 offers for a node. It is 0 if d1 alone suffices, and -1 outside these ranges.
func (q Racks) LeastSkips(lambda, d1 float64, n, m, r int) int {
	high := ceil(q.Equation2(lambda, n))
	if high < 0 || math.IsNaN(q.WithinRack(d1, 0, n, m, r)) {
		return -1
	}
	return sort.Search(high, func(d2 int) bool { return q.WithinRack(d1, float64(d2), n, m, r) >= lambda })
}
