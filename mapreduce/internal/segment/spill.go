package segment

import "bytes"

// extra is a record too large for memory, which is written to a run directly.
type extra struct {
	partition  int
	key, value []byte
}

// spill writes all records in memory, and x if it is not nil, to a spill with a sorted section for
// each partition, and starts an empty store.
func (s *Sorter) spill(x *extra) error {
	s.flush()
	if s.inMemory() == 0 && x == nil {
		return nil
	}
	w, err := NewSpillWriter(s.cfg.Resources, len(s.lists))
	if err != nil {
		return err
	}
	defer w.Close()
	for p := range s.lists {
		var more *extra
		if x != nil && x.partition == p {
			more = x
		}
		if err := s.writePartition(w, p, more); err != nil {
			return err
		}
	}
	s.spills = append(s.spills, w.Spill(&s.stats))
	clear(s.lists)
	s.store.drop()
	s.store = newStore(s.cfg.Budget, s.cfg.Pool)
	if s.pin != nil {
		s.region = notAdopted
	}
	return nil
}

func (s *Sorter) inMemory() (n int) {
	for i := range s.lists {
		n += s.lists[i].n
	}
	return n
}

// writePartition sorts the records of partition p and writes them as a run, with more if it is not
// nil. The copy that it sorts is already charged to the budget, by list.grow.
func (s *Sorter) writePartition(w *SpillWriter, p int, more *extra) error {
	l := &s.lists[p]
	if l.n == 0 && more == nil {
		return w.EndPartition()
	}
	slab := s.cfg.Pool.Get(l.n * entrySize)
	defer s.cfg.Pool.Put(slab)
	from := memorySource([]run{{store: s.store, entries: l.whole()}}, s.cfg.Pool, slab)
	for from.advance(); more != nil || from.state == live; {
		key, value := from.key, from.value
		if more != nil && (from.state == done || bytes.Compare(key, more.key) > 0) {
			key, value, more = more.key, more.value, nil
		} else {
			from.advance()
		}
		if err := w.Add(key, value); err != nil {
			return err
		}
	}
	return w.EndPartition()
}
