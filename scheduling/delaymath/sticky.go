package delaymath

import "math"

// StickyBound is the highest locality that a job holding the part f of the slots (0 to 1) can
// expect of naive fair sharing, which gives each freed slot back to the job that held it: 1 − (1 −
// f)^(RL), for r replicas and l slots a node (each 1 or more) [Zaharia10 §3.3.2, Figure 3]. With J
// equal jobs f is 1/J.
func StickyBound(f float64, r, l int) float64 {
	if r < 1 || l < 1 {
		return math.NaN()
	}
	return LocalWithin(f, float64(r)*float64(l))
}

// Blocked is the chance that every slot of every node with a copy of a given block is held by a
// long task, when long tasks hold the part phi of the slots (0 to 1): φ^(RL), for r replicas and l
// slots a node (each 1 or more) [Zaharia10 §3.5.1].
func Blocked(phi float64, r, l int) float64 {
	if !isPart(phi) || r < 1 || l < 1 {
		return math.NaN()
	}
	return math.Pow(phi, float64(r)*float64(l))
}
