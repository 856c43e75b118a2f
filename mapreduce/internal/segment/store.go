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
	budget    *memory.Budget
	pool      *memory.Pool
	regions   regions
	slabs     []memory.Slab
	arena     []byte // unused rest of the last arena slab
	at        uint32 // offset of arena in its region
	last      int    // region of arena
	next      int    // size of the next arena slab
	index     []byte // unused rest of the last index slab
	indexAt   uint32 // offset of index in its region
	indexLast int    // region of index
	nextIndex int    // size of the next index slab
	pins      []*pin
	charged   int64 // including reserve and pinned
	pinned    int64 // bytes of the pins' chunks
	reserve   int64 // charged for the copy that a spill sorts
	kept      bool
	refs      atomic.Int64
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
	s := &store{budget: budget, pool: pool, next: firstSlab, nextIndex: firstSlab}
	s.refs.Store(1)
	return s
}

// acquire charges n bytes; it returns false if the budget refuses. force overrules it.
func (s *store) acquire(n int64, force bool) bool {
	if force {
		s.budget.Acquire(n)
	} else if !s.budget.TryAcquire(n) {
		return false
	}
	s.charged += n
	return true
}

// giveBack reduces the charge by n bytes.
func (s *store) giveBack(n int64) {
	s.charged -= n
	s.budget.Release(n)
}

// slab returns n bytes that live as long as the store; false if the budget refuses.
func (s *store) slab(n int, force bool) ([]byte, bool) {
	if !s.acquire(int64(memory.SlabSize(n)), force) {
		return nil, false
	}
	b := s.pool.Get(n)
	s.slabs = append(s.slabs, b)
	return b.Bytes, true
}

// indexBlock returns an empty index block of n bytes. It also charges sorting bytes, for the
// entries that a spill will sort. Blocks are cut from slabs that double in size, so that a large
// index is in huge pages. With a slab for each block, TeraSort of 1 GiB would have 65,000 more page
// faults.
func (s *store) indexBlock(n int, sorting int64, force bool) (b block, ok bool) {
	if !s.acquire(sorting, force) {
		return block{}, false
	}
	if n > len(s.index) && !s.growIndex(n, force) {
		s.giveBack(sorting)
		return block{}, false
	}
	s.reserve += sorting
	b = block{bytes: s.index[:0:n], at: s.indexAt, region: uint16(s.indexLast)}
	s.index, s.indexAt = s.index[n:], s.indexAt+uint32(n)
	return b, true
}

func (s *store) growIndex(n int, force bool) bool {
	if len(s.regions) == maxRegions {
		return false
	}
	b, ok := s.slab(max(n, s.nextIndex), force)
	if !ok {
		return false
	}
	s.nextIndex = min(2*s.nextIndex, largeSlab)
	s.indexLast, s.indexAt, s.index = len(s.regions), 0, b
	s.regions = append(s.regions, b)
	return true
}

// copyRecord copies key and value into the arena and sets e to their place. It returns false if the
// budget refuses a new slab.
func (s *store) copyRecord(e *entry, key, value []byte, force bool) bool {
	n := len(key) + len(value)
	long := len(key) >= bundleKey
	if long {
		n += longKeySize
	}
	region, at, b := s.room(n, force)
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

// room returns n unused bytes of the arena and their place; nil if the budget refuses a new slab.
func (s *store) room(n int, force bool) (region uint16, at uint32, b []byte) {
	if (n > len(s.arena) || s.arena == nil) && !s.grow(n, force) {
		return 0, 0, nil
	}
	b, at = s.arena[:n:n], s.at
	s.arena, s.at = s.arena[n:], s.at+uint32(n)
	return uint16(s.last), at, b
}

// putLength writes a key's length to b, the 4 bytes before the key.
func putLength(b []byte, n int) { binary.LittleEndian.PutUint32(b, uint32(n)) }

func (s *store) grow(n int, force bool) bool {
	if len(s.regions) == maxRegions {
		return false
	}
	b, ok := s.slab(max(n, s.next), force)
	if !ok {
		return false
	}
	s.next = min(2*s.next, largeSlab)
	s.last, s.at, s.arena = len(s.regions), 0, b
	s.regions = append(s.regions, b)
	return true
}

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

func (s *store) retain() { s.refs.Add(1) }

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
	s.slabs, s.pins, s.regions, s.arena, s.index = nil, nil, nil, nil, nil
	if s.kept {
		s.budget.ReleaseKept(s.charged)
	} else {
		s.budget.Release(s.charged)
	}
	s.charged, s.pinned = 0, 0
}
