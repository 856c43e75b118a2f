package scheduling

import (
	"cmp"
	"math"
	"slices"
)

// claim is what one pool or job brings into the division of the slots.
type claim struct {
	demand float64 // slots it could use, 0 or more
	min    float64 // slots it is entitled to as far as it can use them
	weight float64 // above 0
	share  float64 // the result
}

// fairShares divides total slots: claim i gets min(demand, max(weight·R, min)) for the R that hands
// out min(total, sum of demands). If the minimum shares alone, cut to the demands, exceed the
// total, each is scaled down in proportion and the others get nothing; over then is true [Zaharia10
// §4]. It is exact up to rounding and takes O(n log n).
func fairShares(claims []claim, total float64) (over bool) {
	sumDemand, sumMin := 0.0, 0.0
	for i := range claims {
		c := &claims[i]
		c.min = min(c.min, c.demand)
		sumDemand += c.demand
		sumMin += c.min
	}
	switch {
	case sumDemand <= total:
		for i := range claims {
			claims[i].share = claims[i].demand
		}
		return false
	case sumMin >= total:
		for i := range claims {
			claims[i].share = 0
			if sumMin > 0 {
				claims[i].share = claims[i].min * total / sumMin
			}
		}
		return sumMin > total
	}
	r := waterLevel(claims, total)
	for i := range claims {
		c := &claims[i]
		c.share = roundShare(min(c.demand, max(c.weight*r, c.min)))
	}
	return false
}

// bend is a point where the sum of shares, as a function of R, changes its slope.
type bend struct{ r, slope float64 }

// waterLevel finds R by walking the bends of the sum in ascending order: a claim's share is flat up
// to min/weight, rises with its weight up to demand/weight, and is flat again.
func waterLevel(claims []claim, total float64) float64 {
	bends := make([]bend, 0, 2*len(claims))
	sum := 0.0
	for _, c := range claims {
		sum += c.min
		if c.demand > c.min {
			bends = append(bends, bend{c.min / c.weight, c.weight}, bend{c.demand / c.weight, -c.weight})
		}
	}
	slices.SortFunc(bends, func(a, b bend) int {
		return cmp.Or(cmp.Compare(a.r, b.r), cmp.Compare(b.slope, a.slope))
	})
	r, slope := 0.0, 0.0
	for _, b := range bends {
		if next := sum + slope*(b.r-r); next >= total && slope > 0 {
			return r + (total-sum)/slope
		} else {
			sum, r = next, b.r
		}
		slope += b.slope
	}
	return r
}

// roundShare takes off the noise of the arithmetic where a whole number is meant, because
// preemption cuts shares down to whole slots: 1.9999999 would lose one.
func roundShare(s float64) float64 {
	if n := math.Round(s); math.Abs(s-n) < 1e-6 {
		return n
	}
	return s
}
