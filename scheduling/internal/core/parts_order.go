package core

import (
	"math"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// rankedOrder is the Order that asks a custom order for ranks and sorts all jobs before each walk.
type rankedOrder struct {
	FlatOrder
	part    JobOrder
	ranking bool // a walk is sorting; if the part asks for the order meanwhile, it gets the former one
}

func newRankedOrder(c *Core, name string) (Order, error) {
	p, err := part(c.Config.Parts.Orders, "order", name)
	if err != nil {
		return nil, err
	}
	o := &rankedOrder{part: p}
	o.FlatOrder = FlatOrder{BaseOrder: BaseOrder{c}, RankOf: o.rank}
	return o, nil
}

func (o *rankedOrder) rank(j *Job, k model.TaskKind) index.Rank {
	value := o.part.Rank(o.C.View(), j.ID, k)
	if math.IsNaN(value) {
		value = math.Inf(1)
	}
	return index.Rank{Value: value, Tie: int32(j.ID)}
}

// Changed records whether j has a task to launch; the next walk asks for its rank.
func (o *rankedOrder) Changed(j *Job, k model.TaskKind) {
	o.Spots.Put(&o.Lists[k], j, k, func(j *Job, _ model.TaskKind) index.Rank { return index.Rank{Tie: int32(j.ID)} })
}

func (o *rankedOrder) Line(k model.TaskKind, i int) *JobList {
	if i == 0 && !o.ranking {
		o.ranking = true
		for _, j := range o.C.Active {
			if j.Launchable(k) {
				o.FlatOrder.Changed(j, k)
			}
		}
		o.ranking = false
	}
	return o.FlatOrder.Line(k, i)
}

func (o *rankedOrder) Remove(j *Job) {
	o.FlatOrder.Remove(j)
	forget(o.part, j.ID)
}
