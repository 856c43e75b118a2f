package segment

import (
	"bytes"
	"sort"
	"sync/atomic"
)

// spillFile is what one spill wrote: a sorted section per partition, in extents of a file. The
// extents are freed when the last segment or reader releases it.
type spillFile struct {
	files    *Files
	file     *extentFile
	id       uint64 // unique in files
	extents  []uint32
	size     int64
	sections []section
	refs     atomic.Int64
	of       *spillFile // owner of these extents; nil if it is this spill
}

// section says where a spill file has one sorted run, and its sizes.
type section struct {
	off, size      int64 // in the file
	records, bytes int64 // bytes of keys and values
	raw, packed    int64 // sizes of its largest block, for a reader's buffers
	id             uint64
	shift          int64 // of an imported run: its original offset minus off
	ordinals       bool  // each record is preceded by its run's ordinal
}

// create returns a new empty spill in files, or in a separate file in dir if files is nil.
func create(files *Files, dir string) (*spillFile, error) {
	if files == nil {
		files = NewFiles(dir)
	}
	return files.create()
}

// Spill is what an attempt wrote to disk at one time: a sorted run per partition, or other bytes.
type Spill = spillFile

// NewSpill returns an empty spill for any bytes, with Write and ReadAt, in files, or in a separate
// file in dir if files is nil. The bytes have no checksums; readers must verify them.
func NewSpill(files *Files, dir string) (*Spill, error) { return create(files, dir) }

// Release gives up one reference to the spill; the last one frees its bytes.
func (s *spillFile) Release() { s.drop() }

func (s *spillFile) retain() { s.refs.Add(1) }

func (s *spillFile) drop() {
	if s.refs.Add(-1) > 0 {
		return
	}
	if s.of != nil {
		s.of.drop()
		return
	}
	s.files.remove(s)
}

// extra is a record too large for memory, which is written to a run directly.
type extra struct {
	partition  int
	key, value []byte
}

// of returns x if it is a record of the partition, otherwise nil.
func (x *extra) of(partition int) *extra {
	if x != nil && x.partition == partition {
		return x
	}
	return nil
}

// spill writes all records in memory, and x if it is not nil, to a spill with a sorted section for
// each partition, and starts an empty store.
func (s *Sorter) spill(x *extra) error {
	s.flush()
	if s.inMemory() == 0 && x == nil {
		return nil
	}
	w, err := NewSpillWriter(s.cfg)
	if err != nil {
		return err
	}
	defer w.Close()
	for p := range s.lists {
		if err := s.writePartition(w, p, x.of(p)); err != nil {
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
	if s.lists[p].n == 0 && more == nil {
		return w.EndPartition()
	}
	slab := s.cfg.Pool.Get(s.lists[p].n * entrySize)
	defer s.cfg.Pool.Put(slab)
	var c collector
	entries := s.lists[p].whole()
	c.add(&entries, 0)
	regions := s.store.regions
	sorted := c.sortInto(regions, s.cfg.Pool, slab)
	if more != nil {
		at := sort.Search(len(sorted),
			func(i int) bool { return bytes.Compare(regions.key(&sorted[i]), more.key) > 0 })
		if err := s.write(w, regions, sorted[:at]); err != nil {
			return err
		}
		if err := w.Add(more.key, more.value); err != nil {
			return err
		}
		sorted = sorted[at:]
	}
	if err := s.write(w, regions, sorted); err != nil {
		return err
	}
	return w.EndPartition()
}

// write writes the records of sorted entries, in that order.
func (s *Sorter) write(w *SpillWriter, r regions, sorted []entry) error {
	for rest := sorted; len(rest) > 0; {
		n := min(len(rest), touchAhead)
		s.touched += r.touch(rest[:n])
		for i := range rest[:n] {
			e := &rest[i]
			value, bundle := r.value(e), []byte(nil)
			if e.klen == bundleKey {
				value, bundle = cutValue(value)
			}
			for {
				if err := w.Add(r.key(e), value); err != nil {
					return err
				}
				if len(bundle) == 0 {
					break
				}
				value, bundle = cutValue(bundle)
			}
		}
		rest = rest[n:]
	}
	return nil
}
