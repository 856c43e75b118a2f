// Package shares divides slots among pools, jobs and users. It works on plain numbers.
package shares

import (
	"cmp"
	"math"
	"slices"
)

// Claim describes a pool or a job to Divide, which sets its share.
type Claim struct {
	Demand float64 // slots it could use, 0 or more
	Min    float64 // slots it is entitled to, if it can use them
	Weight float64 // above 0
	Share  float64 // the result
}

// Divide divides total slots by setting each Share to min(Demand, max(Weight·R, Min)). R is chosen
// so that min(total, sum of demands) slots are assigned. If the minimum shares, limited to the
// demands, exceed the total, they are scaled down in proportion, claims without one get nothing,
// and over is true [Zaharia10 §4]. The result is exact up to rounding and takes O(n log n).
func Divide(claims []Claim, total float64) (over bool) {
	sumDemand, sumMin := 0.0, 0.0
	for i := range claims {
		c := &claims[i]
		c.Min = min(c.Min, c.Demand)
		sumDemand += c.Demand
		sumMin += c.Min
	}
	switch {
	case sumDemand <= total:
		for i := range claims {
			claims[i].Share = claims[i].Demand
		}
		return false
	case sumMin >= total:
		for i := range claims {
			claims[i].Share = 0
			if sumMin > 0 {
				claims[i].Share = claims[i].Min * total / sumMin
			}
		}
		return sumMin > total
	}
	r := waterLevel(claims, total)
	for i := range claims {
		c := &claims[i]
		c.Share = roundShare(min(c.Demand, max(c.Weight*r, c.Min)))
	}
	return false
}

// bend is a value of R in Divide. Beyond it, the sum of shares grows by slope more per unit of R.
type bend struct{ r, slope float64 }

// waterLevel returns R of Divide, where the sum of the shares is total. It walks the bends of that
// sum: a share is Min up to R = Min/Weight, then Weight·R, and Demand from R = Demand/Weight on.
func waterLevel(claims []Claim, total float64) float64 {
	bends := make([]bend, 0, 2*len(claims))
	sum := 0.0
	for _, c := range claims {
		sum += c.Min
		if c.Demand > c.Min {
			bends = append(bends, bend{c.Min / c.Weight, c.Weight}, bend{c.Demand / c.Weight, -c.Weight})
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

// roundShare rounds a share that is a whole number except for arithmetic noise, because preemption
// rounds shares down: 1.9999999 would lose a slot.
func roundShare(s float64) float64 {
	if n := math.Round(s); math.Abs(s-n) < 1e-6 {
		return n
	}
	return s
}

// OfNode returns how many tasks a node may have so that `load` tasks are spread over `total` slots:
// ceil(slots × min(1, diff + load/total)) [Hadoop CapBasedLoadManager].
func OfNode(slots, load, total int, diff float64) int {
	if total <= 0 {
		return slots
	}
	part := diff + float64(load)/float64(total)
	if part >= 1 {
		return slots
	}
	return int(math.Ceil(float64(slots)*part - 1e-9))
}

// OfUser returns the maximum number of slots of one user of a queue: an equal part of its capacity,
// but at least `percent` of it. If the capacity is used up, the slots that the queue will hold
// after its next launch count instead [Hadoop CapacityTaskScheduler].
func OfUser(capacity, occupied, slotsPerTask, users, percent int) int {
	current := capacity
	if occupied >= capacity {
		current = occupied + slotsPerTask
	}
	return max((current+users-1)/users, (percent*current+99)/100)
}
