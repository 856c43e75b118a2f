package segment

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

const (
	firstSlab = 16 << 10
	largeSlab = 2 << 20 // a huge page
)

// store owns the memory of one in-memory run: arena slabs, index blocks and the pinned chunks to
// which its entries refer. The sorter fills it; then it is immutable and shared by the segments of
// all partitions and by readers. The last of them frees it.
type store struct {
	budget  *memory.Budget
	pool    *memory.Pool
	regions regions
	slabs   []memory.Slab
	arena   arena // keys and values
	index   arena // index blocks
	pins    []*pin
	charged int64 // including reserve and pinned
	pinned  int64 // bytes of the pins' chunks
	reserve int64 // charged for the copy that a spill sorts
	kept    bool
	refs    atomic.Int64
}

// arena is the last slab from which a store cuts memory for one use. Slabs double in size, so that
// much data is in huge pages. With a slab for each index block, TeraSort of 1 GiB would have 65,000
// more page faults.
type arena struct {
	rest   []byte // unused
	at     uint32 // offset of rest in its region
	region uint16
	next   int // size of the next slab
}

// pin is a chunk given to Sorter.Pin. The last drop, by the sorter or a store, calls release.
type pin struct {
	chunk   []byte
	release func()
	refs    atomic.Int64
}

func newPin(chunk []byte, release func()) *pin {
	p := &pin{chunk: chunk[:min(uint64(len(chunk)), maxRegion)], release: release}
	p.refs.Store(1)
	return p
}

func (p *pin) drop() {
	if p != nil && p.refs.Add(-1) == 0 && p.release != nil {
		p.release()
	}
}

func newStore(budget *memory.Budget, pool *memory.Pool) *store {
	s := &store{budget: budget, pool: pool, arena: arena{next: firstSlab}, index: arena{next: firstSlab}}
	s.refs.Store(1)
	return s
}

// acquire charges n bytes; it returns false if the budget refuses. force overrules it.
func (s *store) acquire(n int64, force bool) bool {
	ok := s.budget.Charge(n, force)
	if ok {
		s.charged += n
	}
	return ok
}

// giveBack reduces the charge by n bytes.
func (s *store) giveBack(n int64) {
	s.charged -= n
	s.budget.Release(n)
}

// cut returns n unused bytes of a, their region and their offset in it; nil if the budget refuses a
// new slab. They live as long as the store.
func (s *store) cut(a *arena, n int, force bool) (b []byte, region uint16, at uint32) {
	if (n > len(a.rest) || a.rest == nil) && !s.grow(a, n, force) {
		return nil, 0, 0
	}
	b, at = a.rest[:n:n], a.at
	a.rest, a.at = a.rest[n:], a.at+uint32(n)
	return b, a.region, at
}

// grow replaces the slab of a by a new one with at least n bytes; false if the budget refuses.
func (s *store) grow(a *arena, n int, force bool) bool {
	n = max(n, a.next)
	if len(s.regions) == maxRegions || !s.acquire(int64(memory.SlabSize(n)), force) {
		return false
	}
	slab := s.pool.Get(n)
	*a = arena{rest: slab.Bytes, region: uint16(len(s.regions)), next: min(2*a.next, largeSlab)}
	s.slabs = append(s.slabs, slab)
	s.regions = append(s.regions, slab.Bytes)
	return true
}

// indexBlock returns an empty index block of n bytes. It also charges sorting bytes, for the
// entries that a spill will sort.
func (s *store) indexBlock(n int, sorting int64, force bool) (b block, ok bool) {
	if !s.acquire(sorting, force) {
		return block{}, false
	}
	bytes, region, at := s.cut(&s.index, n, force)
	if bytes == nil {
		s.giveBack(sorting)
		return block{}, false
	}
	s.reserve += sorting
	return block{bytes: bytes[:0], at: at, region: region}, true
}

// copyRecord copies key and value into the arena and sets e to their place. It returns false if the
// budget refuses a new slab.
func (s *store) copyRecord(e *entry, key, value []byte, force bool) bool {
	n := len(key) + len(value)
	long := len(key) >= bundleKey
	if long {
		n += longKeySize
	}
	b, region, at := s.cut(&s.arena, n, force)
	if b == nil {
		return false
	}
	e.region, e.klen = region, uint16(len(key))
	if long {
		e.klen = longKey
		putLength(b, len(key))
		b, at = b[longKeySize:], at+longKeySize
	}
	e.key, e.value, e.vlen = at, at+uint32(len(key)), uint32(len(value))
	copy(b[copy(b, key):], value)
	return true
}

// putLength writes a key's length to b, the 4 bytes before the key.
func putLength(b []byte, n int) { binary.LittleEndian.PutUint32(b, uint32(n)) }

// adopt lets entries refer to the pinned chunk, and returns its region. It refuses unless the
// budget has twice the chunk's size, for the chunk and the index of its records. Otherwise, with a
// chunk of the whole budget, every record would be a run of its own.
func (s *store) adopt(p *pin) (int, bool) {
	n := int64(len(p.chunk))
	if len(s.regions) >= maxRegions-1 || s.budget.Available() < 2*n || !s.acquire(n, false) {
		return 0, false
	}
	s.pinned += n
	p.refs.Add(1)
	s.pins = append(s.pins, p)
	s.regions = append(s.regions, p.chunk)
	return len(s.regions) - 1, true
}

// keep lets the records stay in memory after the attempt, without what was charged for sorting. It
// returns false if the budget refuses; then the records must be spilled.
func (s *store) keep() bool {
	if s.kept = s.budget.Keep(s.charged - s.reserve); s.kept {
		s.giveBack(s.reserve)
		s.reserve = 0
	}
	return s.kept
}

func (s *store) drop() {
	if s.refs.Add(-1) > 0 {
		return
	}
	for _, b := range s.slabs {
		s.pool.Put(b)
	}
	for _, p := range s.pins {
		p.drop()
	}
	s.slabs, s.pins, s.regions, s.arena, s.index = nil, nil, nil, arena{}, arena{}
	if s.kept {
		s.budget.ReleaseKept(s.charged)
	} else {
		s.budget.Release(s.charged)
	}
	s.charged, s.pinned = 0, 0
}
