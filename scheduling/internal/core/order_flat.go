package core

import (
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// FlatOrder is an order that keeps all jobs in one list per kind, sorted by RankOf. The orders fifo
// and fair add little more than that function.
type FlatOrder struct {
	BaseOrder
	RankOf func(j *Job, k model.TaskKind) index.Rank
	Lists  [model.Kinds]JobList
	Spots  Spots
}

// Changed implements Order.
func (o *FlatOrder) Changed(j *Job, k model.TaskKind) {
	o.Spots.Put(&o.Lists[k], j, k, o.RankOf)
}

// Line implements Order.
func (o *FlatOrder) Line(k model.TaskKind, i int) *JobList {
	if i > 0 {
		return nil
	}
	return &o.Lists[k]
}

// Assign offers the free map slots, then the free reduce slots.
func (o *FlatOrder) Assign(n *NodeState) {
	o.C.Fill(n, model.Map)
	o.C.Fill(n, model.Reduce)
}
