package simulator

import "math"

// mix is the finalizer of splitmix64: neighboring inputs give unrelated outputs.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// draw derives a random number from a seed and the parts of a name. The numbers of a task depend
// only on the seed, its job and its number, not on when or where it runs: all schedulers have the
// same tasks, and differences are due to the schedulers.
func draw(seed uint64, parts ...uint64) uint64 {
	for _, p := range parts {
		seed = mix(seed ^ p)
	}
	return mix(seed)
}

// The purposes of random numbers, the first part that draw gets: numbers for one purpose do not
// affect those for another.
const (
	forPhase     = 1 // of a node's heartbeats
	forSlowness  = 2 // of a node
	forFailure   = 3 // of a node
	forFile      = 4 // the places of its blocks
	forInput     = 5 // the places of a job's own
	forFault     = 6 // of an attempt
	forSpread    = 7 // of an attempt's computing
	forStraggler = 8
	forSizes     = 9  // of a job's outputs
	forReplica   = 10 // and following numbers: which of several equally near replicas is read
	forSource    = 11 // which node a reduce fetches from next
	forSizeError = 12

	forStraggling = 13 // how much longer a straggler computes
	forJitter     = 14 // how late a heartbeat is
)

// unit converts a number of draw to one that is uniform in [0, 1).
func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// normal converts a number of draw to one of the standard normal distribution (Box-Muller).
func normal(x uint64) float64 {
	u := 1 - unit(x)
	v := unit(mix(x))
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}

// lognormal converts a number of draw to a lognormal factor of mean 1; sigma 0 gives 1.
func lognormal(x uint64, sigma float64) float64 {
	if sigma == 0 {
		return 1
	}
	return math.Exp(float64(sigma*normal(x)) - float64(sigma*sigma)/2)
}
