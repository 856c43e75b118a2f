package combine

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// spill writes all n pairs of s to a new spill, one sorted run per partition, and puts the slab of
// s back. The charge of hash table and dense array pays for the slabs.
func (a *accumulator) spill(s *sorted, n int) error {
	defer a.opt.Pool.Put(s.slab)
	w, err := segment.NewSpillWriter(a.opt.Resources, a.opt.Partitions)
	if err != nil {
		return err
	}
	defer w.Close()
	slab := a.opt.Pool.Get(8 * n)
	defer a.opt.Pool.Put(slab)
	order, ends := a.byPartition(s, memory.Cast[uint32](slab.Bytes)[:2*n])
	start := uint32(0)
	for _, end := range ends {
		if err := a.write(w, s, order[start:end]); err != nil {
			return err
		}
		start = end
	}
	a.spills = append(a.spills, w.Spill(&a.stats))
	return nil
}

// byPartition returns the numbers of all pairs grouped by partition, each group sorted by key, and
// where each group ends. space is scratch, two numbers per key; order is part of it.
func (a *accumulator) byPartition(s *sorted, space []uint32) (order, ends []uint32) {
	order, parts := space[:len(space)/2], space[len(space)/2:]
	ends = make([]uint32, a.opt.Partitions)
	for i := range parts {
		id, _ := s.next()
		key, _ := s.pair(id)
		parts[i] = uint32(a.opt.partition(key))
		ends[parts[i]]++
	}
	segment.StartsOf(ends)
	s.begin()
	for _, p := range parts {
		order[ends[p]], _ = s.next()
		ends[p]++
	}
	return order, ends
}

// write writes one partition's run: the pairs with the numbers in order.
func (a *accumulator) write(w *segment.SpillWriter, s *sorted, order []uint32) error {
	var value []byte
	for n, id := range order {
		if n%touchAhead == 0 {
			s.touch(order[n:min(n+touchAhead, len(order))])
		}
		key, v := s.pair(id)
		value = a.form.Append(value[:0], v)
		if err := a.opt.checkPair(key, value); err != nil {
			return err
		}
		if err := w.Add(key, value); err != nil {
			return err
		}
	}
	return w.EndPartition()
}
