package engine

import (
	"math"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// rankedOrder is an order from outside: a list that is sorted anew before each walk.
type rankedOrder struct {
	flatOrder
	part    JobOrder
	ranking bool // in a walk that begins; a part that asks for the order meanwhile gets the former
}

func newRankedOrder(c *Core, name string) (order, error) {
	p, err := part(c.cfg.Parts.Orders, "order", name)
	if err != nil {
		return nil, err
	}
	o := &rankedOrder{part: p}
	o.flatOrder = flatOrder{simple: simple{c}, rankOf: o.rank}
	return o, nil
}

func (o *rankedOrder) rank(j *job, k TaskKind) index.Rank {
	value := o.part.Rank(o.c.View(), j.id, k)
	if math.IsNaN(value) {
		value = math.Inf(1)
	}
	return index.Rank{Value: value, Tie: int32(j.id)}
}

// changed notes whether j has a task to launch; where it stands the next walk asks.
func (o *rankedOrder) changed(j *job, k TaskKind) {
	o.spots.put(&o.lists[k], j, k, func(j *job, _ TaskKind) index.Rank { return index.Rank{Tie: int32(j.id)} })
}

func (o *rankedOrder) line(k TaskKind, i int) *jobList {
	if i == 0 && !o.ranking {
		o.ranking = true
		for _, j := range o.c.active {
			if j.launchable(k) {
				o.flatOrder.changed(j, k)
			}
		}
		o.ranking = false
	}
	return o.flatOrder.line(k, i)
}

func (o *rankedOrder) remove(j *job) {
	o.flatOrder.remove(j)
	forget(o.part, j.id)
}
