package engine

import "github.com/tarry-mr/tarry/scheduling/internal/index"

// flatOrder is an order that is a sorted list: a rank per job and kind. The orders fifo and fair
// are little more than their rank.
type flatOrder struct {
	simple
	rankOf func(j *job, k TaskKind) index.Rank
	lists  [kinds]jobList
	spots  spots
}

func (o *flatOrder) add(j *job) error {
	o.spots.add(j)
	return o.simple.add(j)
}

func (o *flatOrder) changed(j *job, k TaskKind) {
	o.spots.put(&o.lists[k], j, k, o.rankOf)
}

func (o *flatOrder) line(k TaskKind, i int) *jobList {
	if i > 0 {
		return nil
	}
	return &o.lists[k]
}

// assign fills the free map slots, then the free reduce slots.
func (o *flatOrder) assign(n *node) {
	o.c.fill(n, Map)
	o.c.fill(n, Reduce)
}
