// Package flat has the orders that are a single list: "fifo" (priority and age) and "fair" (fewest
// running tasks).
package flat

import (
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// fair is the order "fair": the job with the fewest running tasks first [Zaharia10 Algorithm 1].
// The printed algorithm lacks an exit after a launch; here one slot launches one task.
type fair struct {
	core.FlatOrder
	stale       bool             // shares must be recomputed
	sharedSlots [model.Kinds]int // the slots that the shares divide
	shareOf     core.Records[[model.Kinds]float64]
	claims      []shares.Claim
}

// NewFair returns the order "fair".
func NewFair(c *core.Core, _ *model.Policy) (core.Order, error) {
	return &fair{stale: true, FlatOrder: core.FlatOrder{BaseOrder: core.BaseOrder{C: c}, RankOf: func(j *core.Job, k model.TaskKind) index.Rank {
		return index.Rank{Value: float64(j.Work[k].Running), Tie: int32(j.ID)}
	}}}, nil
}

// Add implements core.Order.
func (o *fair) Add(j *core.Job) error {
	o.stale = true
	return o.FlatOrder.Add(j)
}

// Remove implements core.Order.
func (o *fair) Remove(*core.Job) { o.stale = true }

// Changed implements core.Order.
func (o *fair) Changed(j *core.Job, k model.TaskKind) {
	o.stale = true
	o.FlatOrder.Changed(j, k)
}

// Share returns the slots that j will hold once enough slots become free. That is an equal part of
// all slots, or as many as it can use. Only views and events need it: the order does not use it.
func (o *fair) Share(j *core.Job, k model.TaskKind) (share, weight float64) {
	if o.stale || o.sharedSlots != o.C.Slots {
		o.stale, o.sharedSlots = false, o.C.Slots
		for k := range model.TaskKind(model.Kinds) {
			o.divide(k)
		}
	}
	return o.shareOf.Of(j)[k], 1
}

// divide sets each unfinished job's share of the slots of kind k.
func (o *fair) divide(k model.TaskKind) {
	o.claims = o.claims[:0]
	for _, j := range o.C.Active {
		o.claims = append(o.claims, shares.Claim{Demand: float64(j.Demand(k) * int(j.Slots)), Weight: 1})
	}
	shares.Divide(o.claims, float64(o.C.Slots[k]))
	for i, j := range o.C.Active {
		o.shareOf.Of(j)[k] = o.claims[i].Share
	}
}
