package segment

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// tightFrom is the minimum number of free bytes in a slab for which copying the rest pays.
const tightFrom = largeSlab / 2

// tighten moves the content of the last slabs of index and arena to smaller slabs if half of them
// is free: huge pages take memory for a whole slab, and a map's segments stay until the reduces
// have ended. The next map reuses the large slabs.
func (s *Sorter) tighten() {
	t := s.store
	if from, to := t.shrink(&t.index); to != nil {
		for i := range s.lists {
			l := &s.lists[i]
			for k := range l.blocks {
				l.blocks[k].moved(from, to)
			}
			l.cur.moved(from, to)
		}
	}
	t.shrink(&t.arena)
	t.index, t.arena = arena{}, arena{}
}

// moved makes the block refer to `to` if it was in the region number from, which has moved there.
func (b *block) moved(from uint16, to []byte) {
	if b.region == from && b.bytes != nil {
		b.bytes = to[b.at : int(b.at)+len(b.bytes)]
	}
}

// shrink copies the used part of the last slab of a to a smaller slab and returns its region and
// that; nil if it would save too little. Offsets do not change.
func (s *store) shrink(a *arena) (from uint16, to []byte) {
	if len(a.rest) < tightFrom {
		return a.region, nil
	}
	old := s.regions[a.region]
	used := len(old) - len(a.rest)
	n := memory.SlabSize(used)
	i := slices.IndexFunc(s.slabs, func(b memory.Slab) bool { return &b.Bytes[0] == &old[0] })
	if n == len(old) || !s.acquire(int64(n), false) {
		return a.region, nil
	}
	x := s.pool.Get(used)
	copy(x.Bytes, old[:used])
	s.pool.Put(s.slabs[i])
	s.giveBack(int64(len(old)))
	s.slabs[i], s.regions[a.region] = x, x.Bytes
	return a.region, x.Bytes
}
