package segment

import "github.com/tarry-mr/tarry/mapreduce/internal/memory"

// tightFrom is how many free bytes of a slab are worth copying the others.
const tightFrom = largeSlab / 2

// tighten moves what the last slabs of the index and of the arena hold to smaller ones, where half
// of them is free: huge pages take memory for all of a slab, and the segments of a map stay until
// the reduces have ended. The large slabs serve the next map.
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

// moved has a block of region from lie in to, where the region went.
func (b *block) moved(from int, to []byte) {
	if int(b.region) == from && b.bytes != nil {
		b.bytes = to[b.at : int(b.at)+len(b.bytes)]
	}
}

// shrink moves a region, of which free is what nothing lies in, to a smaller slab, and returns where
// it lies then; nil if it stays. Offsets in it are as before.
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
