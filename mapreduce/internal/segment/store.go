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

// pin is a pinned chunk, referenced by the sorter while current and by the stores that refer to it.
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

// acquire charges n bytes; without force the budget may refuse.
func (s *store) acquire(n int64, force bool) bool {
	if force {
		s.budget.Acquire(n)
	} else if !s.budget.TryAcquire(n) {
		return false
	}
	s.charged += n
	return true
}

// giveBack releases n charged bytes.
func (s *store) giveBack(n int64) {
	s.charged -= n
	s.budget.Release(n)
}

// slab allocates a slab of n bytes for the lifetime of the store.
func (s *store) slab(n int, force bool) ([]byte, bool) {
	if !s.acquire(int64(memory.SlabSize(n)), force) {
		return nil, false
	}
	b := s.pool.Get(n)
	s.slabs = append(s.slabs, b)
	return b.Bytes, true
}

// indexBlock returns an empty block of n bytes and additionally charges sorting bytes, for the copy
// that is sorted when the run spills. Blocks are cut from slabs that double in size, so that the
// index of a large map is in huge pages: compared with a slab for each block, TeraSort of 1 GiB has
// 65,000 page faults fewer.
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

// copyRecord copies key and value into the arena and sets the entry's position; it returns false if
// the budget refused a new slab.
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

// room allocates n bytes of the arena; it returns nil if the budget refused a new slab.
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

// adopt makes the pinned chunk a region and returns its number. It refuses if the budget would not
// leave the same amount again for the index of its records: with a chunk of the whole budget, every
// record would become a run of its own.
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

// keep lets the store's memory outlive its attempt: the budget counts it as kept bytes, without the
// reserve. If the budget refuses, keep returns false, and the records must be spilled.
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
