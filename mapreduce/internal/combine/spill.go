package combine

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// spill writes the pairs of s to a new spill, one sorted run per partition, and puts the slab of s
// back. The charge of hash table and dense array pays for the entries.
func (a *accumulator) spill(s *sorted) error {
	defer a.opt.Pool.Put(s.slab)
	w, err := segment.NewSpillWriter(a.opt.Resources, a.opt.Partitions)
	if err != nil {
		return err
	}
	defer w.Close()
	slab := a.opt.Pool.Get(8 * len(s.list))
	defer a.opt.Pool.Put(slab)
	order, ends := a.byPartition(s, memory.Cast[uint32](slab.Bytes)[:2*len(s.list)])
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

// byPartition returns the indexes of s.list grouped by partition, each group sorted by key, and
// where each group ends. space is scratch, two numbers per key; order is part of it.
func (a *accumulator) byPartition(s *sorted, space []uint32) (order, ends []uint32) {
	n := len(s.list)
	order, parts := space[:n], space[n:]
	ends = make([]uint32, a.opt.Partitions)
	for i := range s.list {
		if i%touchAhead == 0 {
			s.touch(s.list[i:min(i+touchAhead, n)])
		}
		key, _ := s.pair(&s.list[i])
		parts[i] = uint32(a.opt.partition(key))
		ends[parts[i]]++
	}
	segment.StartsOf(ends)
	for i, p := range parts {
		order[ends[p]] = uint32(i)
		ends[p]++
	}
	return order, ends
}

// write writes one partition's run: the pairs with the indexes order.
func (a *accumulator) write(w *segment.SpillWriter, s *sorted, order []uint32) error {
	var value []byte
	var batch [touchAhead]segment.Entry
	for n := range order {
		if n%touchAhead == 0 {
			next := order[n:min(n+touchAhead, len(order))]
			for k, i := range next {
				batch[k] = s.list[i]
			}
			s.touch(batch[:len(next)])
		}
		key, v := s.pair(&batch[n%touchAhead])
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
