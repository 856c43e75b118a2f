package segment

import "github.com/tarry-mr/tarry/mapreduce/internal/memory"

// tightFrom is the minimum number of free bytes in a slab for which copying the rest pays.
const tightFrom = largeSlab / 2

// tighten moves the content of the last slabs of index and arena to smaller slabs if half of them
// is free: huge pages take memory for a whole slab, and a map's segments stay until the reduces
// have ended. The next map reuses the large slabs.
func (s *Sorter) tighten() {
	t := s.store
	if from, to := t.shrink(t.indexLast, t.index); to != nil {
		for i := range s.lists {
			l := &s.lists[i]
			for k := range l.blocks {
				l.blocks[k].moved(from, to)
			}
			l.cur.moved(from, to)
		}
	}
	t.shrink(t.last, t.arena)
	t.index, t.arena = nil, nil
}

// moved makes the block refer to `to` if it was in the region number from, which has moved there.
func (b *block) moved(from int, to []byte) {
	if int(b.region) == from && b.bytes != nil {
		b.bytes = to[b.at : int(b.at)+len(b.bytes)]
	}
}

// shrink copies a region, of which free is unused, to a smaller slab and returns that; nil if it
// would save too little. Offsets do not change.
func (s *store) shrink(region int, free []byte) (from int, to []byte) {
	if len(free) < tightFrom {
		return region, nil
	}
	old := s.regions[region]
	used := len(old) - len(free)
	n := memory.SlabSize(used)
	if n == len(old) {
		return region, nil
	}
	for i, b := range s.slabs {
		if &b.Bytes[0] != &old[0] {
			continue
		}
		if !s.acquire(int64(n), false) {
			break
		}
		x := s.pool.Get(used)
		copy(x.Bytes, old[:used])
		s.slabs[i], s.regions[region] = x, x.Bytes
		s.pool.Put(b)
		s.giveBack(int64(len(b.Bytes)))
		return region, x.Bytes
	}
	return region, nil
}
