package combine

import (
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// cell is a place in the table, 32 bytes for a value of 8: one cache line holds
// the key, or what tells it from nearly all others, and the value. With 16-byte
// cells and the key in an arena, the naive layout, a lookup takes two dependent
// misses and WordCount twice as long.
type cell[V any] struct {
	cellKey
	value V
}

// cellKey is what all cells begin with.
type cellKey struct {
	k0, k1 uint64 // the key's first 16 bytes as they are, zero padded
	off    uint32 // a longer key's place in the arena
	mark   uint32 // 0: free; otherwise the key's length + 1
}

const (
	firstCells = 1 << 9
	maxArena   = 1<<32 - 1
)

// hashTable is an open-addressing hash table with linear probing, at most half full.
type hashTable[V any] struct {
	cells   []cell[V]
	shift   uint // 64 - log2 of len(cells)
	n       int
	arena   []byte
	slab    memory.Slab // of cells, unless V holds pointers
	long    memory.Slab // of arena
	offHeap bool
	sum     bool
	combine func(a, b V) V
	budget  *memory.Budget
	pool    *memory.Pool
	charged int64
	heap    heapAccount[V]
}

func newHashTable[V any](cfg *Config[V]) hashTable[V] {
	t := reflect.TypeFor[V]()
	return hashTable[V]{
		offHeap: !hasPointers(t),
		heap:    heapAccount[V]{weigh: weigher(t), mutable: mutable(t)},
		sum:     cfg.Sum,
		combine: cfg.Combine,
		budget:  cfg.Budget,
		pool:    cfg.Pool,
		shift:   64,
	}
}

// hasPointers reports whether values of t keep the collector busy; arrays of
// them must then live on the Go heap.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if hasPointers(f.Type) {
				return true
			}
		}
		return false
	default:
		return t.Kind() > reflect.Complex128
	}
}

func cellSize[V any]() int { return sizeOf[cell[V]]() }

// full reports whether another key needs a larger table first.
func (h *hashTable[V]) full() bool { return 2*h.n >= len(h.cells) }

// resize gives the table size cells, a power of two, and reports false if the
// budget refuses.
func (h *hashTable[V]) resize(size int, force bool) bool {
	need := h.tableBytes(size)
	if force {
		h.budget.Acquire(need)
	} else if !h.budget.TryAcquire(need) {
		return false
	}
	old, oldSlab := h.cells, h.slab
	h.cells, h.slab = newCells[V](h.pool, h.offHeap, size)
	h.shift = 64 - uint(bits.TrailingZeros(uint(size)))
	h.rehash(old)
	h.pool.Outgrown(oldSlab)
	gone := h.tableBytes(len(old))
	h.budget.Release(gone)
	h.charged += need - gone
	return true
}

// newCells returns n free cells, on the slab unless V holds pointers.
func newCells[V any](pool *memory.Pool, offHeap bool, n int) ([]cell[V], memory.Slab) {
	if !offHeap {
		return make([]cell[V], n), memory.Slab{}
	}
	s := pool.GetZeroed(n * cellSize[V]())
	return memory.Cast[cell[V]](s.Bytes)[:n], s
}

// tableBytes is what a table of size cells is charged: itself and, half as much,
// what dividing or sorting its entries takes; on the heap, twice that.
func (h *hashTable[V]) tableBytes(size int) int64 {
	n := int64(size*cellSize[V]()) / 2 * 3
	if !h.offHeap {
		n *= heapFactor
	}
	return n
}

func (h *hashTable[V]) rehash(old []cell[V]) {
	mask := uint64(len(h.cells) - 1)
	for i := range old {
		x := &old[i]
		if x.mark == 0 {
			continue
		}
		at := h.hashOf(&x.cellKey) >> (h.shift & 63)
		for h.cells[at&mask].mark != 0 {
			at++
		}
		h.cells[at&mask] = *x
	}
}

func (h *hashTable[V]) hashOf(x *cellKey) uint64 {
	if x.mark <= inlineKey+1 {
		return mix(x.k0, x.k1, uint64(x.mark))
	}
	return xxhash.Sum64(x.in(h.arena))
}

// in returns the key of a cell, which lies in the cell itself or in the arena.
func (x *cellKey) in(arena []byte) []byte {
	n := x.mark - 1
	if n > inlineKey {
		return arena[x.off : x.off+n : x.off+n]
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(x)), n)
}

// fold combines v into the cell's value.
func (h *hashTable[V]) fold(x *cell[V], v *V) {
	switch {
	case h.sum:
		addWord(&x.value, wordOf(v))
	case h.heap.weigh != nil:
		h.foldHeap(x, v)
	default:
		x.value = h.combine(x.value, *v)
	}
}

// putLong folds a pair with a long key into its cell. It reports false if there
// is no room for a new key.
func (h *hashTable[V]) putLong(w *pending, key []byte, v *V) bool {
	mask := uint64(len(h.cells) - 1)
	for at := w.hash >> (h.shift & 63); ; at++ {
		x := &h.cells[at&mask]
		if x.mark == 0 {
			if h.full() || !h.reserve(len(key)) {
				return false
			}
			h.arena, x.off = segment.AppendKey(h.arena, key)
			x.k0, x.k1, x.mark, x.value = w.k0, w.k1, w.mark, *v
			if h.heap.weigh != nil {
				h.heap.take(&x.value)
			}
			h.n++
			return true
		}
		if x.k0 == w.k0 && x.k1 == w.k1 && x.mark == w.mark && string(x.in(h.arena)) == string(key) {
			h.fold(x, v)
			return true
		}
	}
}

// arenaHolds reports whether a key of n bytes more can have an offset in the arena.
func (h *hashTable[V]) arenaHolds(n int) bool {
	return uint64(len(h.arena)+segment.KeyRoom(n)) <= maxArena
}

// reserve makes room for another key of n bytes in the arena.
func (h *hashTable[V]) reserve(n int) bool {
	if len(h.arena)+segment.KeyRoom(n) <= cap(h.arena) {
		return true
	}
	size := h.arenaSize(n)
	if !h.arenaHolds(n) || !h.budget.TryAcquire(int64(size)) {
		return false
	}
	h.setArena(size)
	return true
}

// arenaSize is that of an arena with room for another key of n bytes.
func (h *hashTable[V]) arenaSize(n int) int {
	return memory.SlabSize(max(len(h.arena)+segment.KeyRoom(n), 2*cap(h.arena)))
}

// setArena moves the arena to a slab of size bytes, already paid for.
func (h *hashTable[V]) setArena(size int) {
	s := h.pool.Get(size)
	h.arena = append(s.Bytes[:0], h.arena...)
	h.pool.Outgrown(h.long)
	h.budget.Release(int64(len(h.long.Bytes)))
	h.charged += int64(size - len(h.long.Bytes))
	h.long = s
}

// forceArena makes room for a key whatever the budget says.
func (h *hashTable[V]) forceArena(n int) {
	size := h.arenaSize(n)
	h.budget.Acquire(int64(size))
	h.setArena(size)
}

// clear empties the table and keeps its memory.
func (h *hashTable[V]) clear() {
	clear(h.cells)
	h.n, h.arena, h.heap.estimate = 0, h.arena[:0], 0
}

// close frees all memory, and leaves a table without cells.
func (h *hashTable[V]) close() {
	h.pool.Put(h.slab)
	h.pool.Put(h.long)
	h.budget.Release(h.charged + h.heap.charged)
	*h = hashTable[V]{heap: heapAccount[V]{weigh: h.heap.weigh, mutable: h.heap.mutable}, shift: 64, budget: h.budget, pool: h.pool}
}
