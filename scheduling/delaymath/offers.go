package delaymath

import (
	"math"
	"time"
)

// LocalWithin returns the probability that a job with data on the fraction p of the nodes (0 to 1)
// finds a local slot among d offers (0 or more): 1 − (1 − p)^D [Zaharia10 §3.5, first question].
func LocalWithin(p, d float64) float64 {
	if !isPart(p) || !isCount(d) {
		return math.NaN()
	}
	if d == 0 {
		return 0 // even if p is 1: 0·ln 0 is not a number
	}
	return -math.Expm1(d * math.Log1p(-p))
}

// PreferredPart returns p, the fraction of the nodes with data of a job's k remaining tasks (0 or
// more). On m nodes with r replicas it is 1 − (1 − K/M)^R, and 1 if K ≥ M [Zaharia10 §3.5].
func PreferredPart(k, m, r int) float64 {
	if k < 0 || m < 1 || r < 1 {
		return math.NaN()
	}
	if k >= m {
		return 1
	}
	return -math.Expm1(float64(r) * math.Log1p(-float64(k)/float64(m)))
}

// Rate returns the number of slots of a busy cluster that become free per second when its slots (1
// or more) run tasks of length t (above 0): S/T [Zaharia10 §3.2].
func Rate(slots int, t time.Duration) float64 {
	if slots < 1 || t <= 0 {
		return math.NaN()
	}
	return float64(slots) / t.Seconds()
}

// Offers returns the number of slots that become free in a wait (0 or more) at a rate of slots per
// second (above 0): rate · W. It converts W1 to D [Zaharia10 §4.1]: 27 slots/s for 10 s are D =
// 270.
func Offers(wait time.Duration, rate float64) float64 {
	if wait < 0 || !isRate(rate) {
		return math.NaN()
	}
	return wait.Seconds() * rate
}

// Wait returns how long d offers (0 or more) take at a rate of slots per second (above 0): D/rate.
// With Rate(S, T) that is the paper's maximum wait (D/S)·T before a job at the head of the queue
// may launch a map that is not local [Zaharia10 §3.5, second question]; with d slots it is the time
// until a job has received them as its share [§3.2, Equation 1]. It is rounded to the nearest
// nanosecond and limited to the maximum Duration, 292 years.
func Wait(d, rate float64) time.Duration {
	if !isCount(d) || !isRate(rate) {
		return -1
	}
	return duration(d / rate)
}

// duration converts non-negative seconds to a Duration.
func duration(seconds float64) time.Duration {
	ns := math.Round(seconds * float64(time.Second))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// isPart reports whether x is a fraction: 0 to 1 and not NaN.
func isPart(x float64) bool { return x >= 0 && x <= 1 }

// isCount reports whether x is finite and not negative.
func isCount(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// isRate reports whether x is a valid divisor: positive and finite.
func isRate(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

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
