package segment

import (
	"fmt"
	"os"
	"sync/atomic"
)

// spillFile is a file of sorted sections, one a partition. It is removed when
// the last segment or reader lets go of it.
type spillFile struct {
	f        *os.File
	sections []section
	refs     atomic.Int64
}

// section is the place of one sorted run in a spill file.
type section struct {
	off, size      int64 // in the file
	records, bytes int64 // bytes of keys and values
	raw, packed    int64 // sizes of its largest block: what a reader needs
	ordinals       bool  // each record is preceded by its run's ordinal
}

func newSpillFile(dir, name string) (*spillFile, error) {
	f, err := os.CreateTemp(dir, "spill-"+safeName(name)+"-*")
	if err != nil {
		return nil, fmt.Errorf("segment: creating a spill file: %w", err)
	}
	s := &spillFile{f: f}
	s.refs.Store(1)
	return s, nil
}

// safeName keeps os.CreateTemp from seeing separators or stars.
func safeName(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c == '/' || c == '\\' || c == '*' || c == ':' {
			b[i] = '_'
		}
	}
	return string(b)
}

func (s *spillFile) retain() { s.refs.Add(1) }

func (s *spillFile) drop() {
	if s.refs.Add(-1) > 0 {
		return
	}
	// Nothing depends on a removed file's fate; a leftover only costs space.
	_ = s.f.Close()
	_ = os.Remove(s.f.Name())
}

// spill writes all records in memory as one file with a sorted section for each
// partition and starts an empty store.
func (s *Sorter) spill() error {
	if s.inMemory() == 0 {
		return nil
	}
	f, err := newSpillFile(s.cfg.SpillDir, s.cfg.Name)
	if err != nil {
		return err
	}
	w := newBlockWriter(f.f, s.cfg.Pool, s.cfg.Budget)
	defer w.close()
	for p := range s.lists {
		x, err := s.writeSection(w, &s.lists[p])
		if err != nil {
			f.drop()
			return err
		}
		f.sections = append(f.sections, x)
		s.stats.SpilledRecords += x.records
		s.stats.SpilledBytes += x.bytes
		s.stats.FileBytes += x.size
	}
	s.stats.Spills++
	s.spills = append(s.spills, f)
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

// writeSection sorts one partition and writes it. The copy to sort into is paid
// for by list.push.
func (s *Sorter) writeSection(w *blockWriter, l *list) (section, error) {
	x := section{off: w.offset(), records: int64(l.n), bytes: l.bytes}
	if l.n == 0 {
		return x, nil
	}
	slab := s.cfg.Pool.Get(l.n * entrySize)
	defer s.cfg.Pool.Put(slab)
	c := collector{regions: s.store.regions, pool: s.cfg.Pool}
	for _, b := range l.blocks() {
		c.add(b, 0)
	}
	for rest := c.sortInto(slab); len(rest) > 0; {
		n := min(len(rest), touchAhead)
		s.touched += c.regions.touch(rest[:n])
		for i := range rest[:n] {
			if err := w.record(0, c.regions.key(&rest[i]), c.regions.value(&rest[i])); err != nil {
				return x, err
			}
		}
		rest = rest[n:]
	}
	err := w.end(&x)
	return x, err
}
