package segment

import (
	"math"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// maxRecord is the maximum size of a record in bytes: arena offsets have 32 bits.
const maxRecord = math.MaxUint32 - 64

// Sorter collects the records that one attempt emits, and returns them by partition as segments. It
// is not safe for concurrent use.
//
// It indexes the records of each partition separately as they arrive. It sorts when it spills a
// run; the [Merge] sorts records that stay in memory.
type Sorter struct {
	cfg      Config
	lists    []list
	store    *store
	pin      *pin
	region   int // number of pin in store; -1: not adopted yet, -2: refused
	spills   []*Spill
	stats    Stats
	bundles  bundles
	first    int   // size of a partition's first index block in bytes
	minStore int64 // bytes in memory, without pinned ones, below which it does not spill
	largest  int64 // maximum bytes of a record that does not fit in memory
	gate     memory.Gate
}

// minRun is the minimum size of a run, so that an attempt without budget does not write a spill for
// every few records.
const minRun = 1 << 20

const (
	notAdopted = -1
	refused    = -2
)

// NewSorter returns an empty sorter. It allocates little before the first record.
func NewSorter(cfg Config) *Sorter {
	return &Sorter{
		cfg:      cfg,
		lists:    make([]list, cfg.Partitions),
		store:    newStore(cfg.Budget, cfg.Pool),
		bundles:  bundles{from: bundleAfter},
		first:    firstBlockOf(cfg.Partitions),
		minStore: minRun,
		largest:  atMost(cfg.Largest),
		gate:     memory.NewGate(cfg.Budget.Liveness()),
	}
}

// atMost returns the maximum record size: largest if set, but at most maxRecord.
func atMost(largest int64) int64 {
	if largest == 0 {
		return maxRecord
	}
	return min(largest, maxRecord)
}

// Pin makes Add store keys and values inside chunk, typically mapped input, without a copy. The
// chunk must stay unchanged and valid until release (may be nil) is called: once, from any
// goroutine, when nothing refers to the chunk any more, at the earliest at the next Pin, Finish or
// Close. The first reference charges the chunk to the budget; if the budget refuses, records are
// copied. Only the latest pinned chunk counts.
func (s *Sorter) Pin(chunk []byte, release func()) {
	s.pin.drop()
	s.pin, s.region = newPin(chunk, release), notAdopted
}

// Add adds a record to a partition in [0, Partitions). key and value are copied unless both are in
// the pinned chunk. It returns an error if a spill fails or the record is too large, about 4 GiB.
func (s *Sorter) Add(partition int, key, value []byte) error {
	s.gate.Sign()
	prefix := prefixOf(key)
	l := &s.lists[partition]
	if s.stats.Records >= s.bundles.from && s.bundle(partition, prefix, key, value) {
		s.count(l, key, value)
		return nil
	}
	if !s.enlist(l, prefix, key, value, false) {
		if spilled, err := s.addAnyway(partition, prefix, key, value); spilled || err != nil {
			return err
		}
	}
	s.count(l, key, value)
	return nil
}

// count adds a record that was added to l to the statistics.
func (s *Sorter) count(l *list, key, value []byte) {
	n := int64(len(key) + len(value))
	l.records++
	l.bytes += n
	s.stats.Records++
	s.stats.Bytes += n
}

// addAnyway adds a record that the budget refused: it spills the others first. A record of
// megabytes is spilled with them.
func (s *Sorter) addAnyway(partition int, prefix uint64, key, value []byte) (spilled bool, err error) {
	n := len(key) + len(value)
	if err := s.cfg.Budget.CheckHeld("a key with its value", int64(n), s.largest); err != nil {
		return false, err
	}
	if int64(n) >= s.minStore {
		s.stats.Records++
		s.stats.Bytes += int64(n)
		return true, s.spill(&extra{partition, key, value})
	}
	if err := s.makeRoom(); err != nil {
		return false, err
	}
	s.enlist(&s.lists[partition], prefix, key, value, true)
	return false, nil
}

// makeRoom spills the records in memory if they are enough for a run. Afterwards the next record
// may exceed the budget.
func (s *Sorter) makeRoom() error {
	if s.store.charged-s.store.pinned < s.minStore && len(s.store.regions) < maxRegions-2 {
		return nil
	}
	return s.spill(nil)
}

// enlist adds a record to l: as a reference into the pinned chunk, as bytes in the index if it is
// short, or as a reference to a copy in the arena. It returns false if the budget refuses.
func (s *Sorter) enlist(l *list, prefix uint64, key, value []byte, force bool) bool {
	e := entry{prefix: prefix}
	switch {
	case s.refer(&e, key, value):
	case len(key)+len(value) <= inlineMost:
		return l.put(s.store, prefix, key, value, s.first, force)
	case uint64(len(key)+len(value)) > maxRecord || !s.store.copyRecord(&e, key, value, force):
		return false
	}
	return l.push(s.store, &e, s.first, force)
}

// refer sets e to the record's place in the pinned chunk; it returns false if it is not there.
func (s *Sorter) refer(e *entry, key, value []byte) bool {
	if s.pin != nil && s.region != refused && len(key) < bundleKey {
		if k, ok := memory.Within(s.pin.chunk, key); ok {
			v := k
			if len(value) > 0 {
				v, ok = memory.Within(s.pin.chunk, value)
			}
			if ok && s.adopted() {
				e.region, e.klen = uint16(s.region), uint16(len(key))
				e.key, e.value, e.vlen = uint32(k), uint32(v), uint32(len(value))
				return true
			}
		}
	}
	return false
}

// adopted reports whether entries may refer to the pinned chunk. The first call asks the budget.
func (s *Sorter) adopted() bool {
	if s.region == notAdopted {
		r, ok := s.store.adopt(s.pin)
		if !ok {
			r = refused
		}
		s.region = r
	}
	return s.region >= 0
}

// Finish ends the attempt and returns one segment per partition, which the caller must release. It
// spills first if the budget or Config.Stored does not allow the records to stay in memory.
// Afterwards the sorter can only be closed.
func (s *Sorter) Finish() ([]*Segment, Stats, error) {
	s.dropPin()
	s.flush()
	if !s.cfg.Stored {
		s.tighten()
	}
	if s.cfg.Stored || !s.store.keep() {
		if err := s.spill(nil); err != nil {
			s.Close()
			return nil, s.stats, err
		}
	}
	out := make([]*Segment, len(s.lists))
	for p := range out {
		out[p] = s.segment(p)
	}
	s.stats.Output, s.stats.OutputBytes = s.stats.Records, s.stats.Bytes
	stats := s.stats
	s.Close()
	return out, stats, nil
}

// segment returns the segment of partition p: its sections of the spills, and the records in
// memory.
func (s *Sorter) segment(p int) *Segment {
	seg, l := OfSpills(s.spills, p), &s.lists[p]
	if l.records > 0 {
		seg.memory = &run{records: l.records, bytes: l.bytes, store: s.store, entries: l.whole()}
		seg.memory.retain()
		seg.records, seg.bytes = seg.records+l.records, seg.bytes+l.bytes
	}
	return seg
}

// Gate returns the gate that Add passes: while it is shut, Add panics. It is open at first.
func (s *Sorter) Gate() *memory.Gate { return &s.gate }

// Close abandons the attempt and frees its resources, including spill files. After Finish it only
// shuts the gate. A second Close does nothing.
func (s *Sorter) Close() {
	s.gate.Shut()
	s.dropPin()
	s.dropBundles()
	if s.store != nil {
		s.store.drop()
	}
	for _, f := range s.spills {
		f.Release()
	}
	s.store, s.spills, s.lists = nil, nil, nil
}

// dropPin gives up the sorter's reference to the pinned chunk.
func (s *Sorter) dropPin() {
	s.pin.drop()
	s.pin = nil
}
