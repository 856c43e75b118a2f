package engine

import (
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// naiveFair is the order "fair": the job with the fewest running tasks first [Zaharia10 Algorithm
// 1]. The printed algorithm has no exit after a launch; one slot launches one task.
type naiveFair struct {
	flatOrder
	stale  bool       // shares must be worked out anew
	shared [kinds]int // the slots that they divide
	of     [kinds][]float64
	claims []shares.Claim
}

func newNaiveFair(c *Core, _ *Policy) (order, error) {
	return &naiveFair{stale: true, flatOrder: flatOrder{simple: simple{c}, rankOf: func(j *job, k TaskKind) index.Rank {
		return index.Rank{Value: float64(j.w[k].running), Tie: int32(j.id)}
	}}}, nil
}

func (o *naiveFair) add(j *job) error {
	o.stale = true
	return o.flatOrder.add(j)
}

func (o *naiveFair) remove(*job) { o.stale = true }

func (o *naiveFair) changed(j *job, k TaskKind) {
	o.stale = true
	o.flatOrder.changed(j, k)
}

// share is what the order leads to as slots become free: an equal part of the slots, or as many as
// the job can use. The order itself does not ask.
func (o *naiveFair) share(j *job, k TaskKind) (share, weight float64) {
	if o.stale || o.shared != o.c.slots {
		o.stale, o.shared = false, o.c.slots
		for k := range TaskKind(kinds) {
			o.divide(k)
		}
	}
	if int(j.index) >= len(o.of[k]) {
		return 0, 1
	}
	return o.of[k][j.index], 1
}

// divide divides the slots of a kind among the jobs.
func (o *naiveFair) divide(k TaskKind) {
	o.claims = o.claims[:0]
	for _, j := range o.c.active {
		if !j.state.Ended() {
			o.of[k] = roomFor(o.of[k], j.index)
			o.claims = append(o.claims, shares.Claim{Demand: float64(j.demand(k) * int(j.slots)), Weight: 1})
		}
	}
	shares.Divide(o.claims, float64(o.c.slots[k]))
	i := 0
	for _, j := range o.c.active {
		if !j.state.Ended() {
			o.of[k][j.index] = o.claims[i].Share
			i++
		}
	}
}
