package delaymath

import "math"

// StickyBound returns the maximum locality that a job with the fraction f of the slots (0 to 1) can
// expect under naive fair sharing, which returns each freed slot to the job that held it: 1 − (1 −
// f)^(RL), for r replicas and l slots per node (each 1 or more) [Zaharia10 §3.3.2, Figure 3]. With
// J equal jobs f is 1/J.
func StickyBound(f float64, r, l int) float64 {
	if r < 1 || l < 1 {
		return math.NaN()
	}
	return LocalWithin(f, float64(r)*float64(l))
}

// Blocked returns the probability that every slot of every node with a replica of a given block is
// held by a long task, if long tasks hold the fraction phi of the slots (0 to 1): φ^(RL), for r
// replicas and l slots per node (each 1 or more) [Zaharia10 §3.5.1].
func Blocked(phi float64, r, l int) float64 {
	if !isPart(phi) || r < 1 || l < 1 {
		return math.NaN()
	}
	return math.Pow(phi, float64(r)*float64(l))
}
