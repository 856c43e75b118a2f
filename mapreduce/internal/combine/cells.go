package combine

import (
	"encoding/binary"
	"reflect"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// cell is a place in the table, 32 bytes for a value of 8: one cache line holds
// the key, or what tells it from nearly all others, and the value. With 16-byte
// cells and the key in an arena, the naive layout, a lookup takes two dependent
// misses and WordCount twice as long.
type cell[V any] struct {
	k0, k1 uint64 // the key's first 16 bytes, little-endian words, zero padded
	off    uint32 // a longer key's place in the arena
	mark   uint32 // 0: free; otherwise the key's length + 1
	value  V
}

const (
	firstCells = 1 << 9
	maxArena   = 1<<32 - 1
)

// cells is an open-addressing hash table with linear probing, at most half full.
type cells[V any] struct {
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
	held    held[V]
	sink    uint64 // keeps touchArena's loads alive
}

func newCells[V any](cfg *Config[V]) cells[V] {
	t := reflect.TypeFor[V]()
	return cells[V]{
		offHeap: !hasPointers(t),
		held:    held[V]{weigh: weigher(t), mutable: mutable(t)},
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

func cellSize[V any]() int { return int(unsafe.Sizeof(cell[V]{})) }

// makeCells returns n zeroed cells, on the slab unless V holds pointers.
func makeCells[V any](pool *memory.Pool, offHeap bool, n int) ([]cell[V], memory.Slab) {
	if !offHeap {
		return make([]cell[V], n), memory.Slab{}
	}
	s := pool.GetZeroed(n * cellSize[V]())
	return memory.Cast[cell[V]](s.Bytes)[:n], s
}

// full reports whether another key needs a larger table first.
func (c *cells[V]) full() bool { return 2*c.n >= len(c.cells) }

// resize gives the table size cells, a power of two, and reports false if the
// budget refuses.
func (c *cells[V]) resize(size int, force bool) bool {
	need := c.tableBytes(size)
	if force {
		c.budget.Acquire(need)
	} else if !c.budget.TryAcquire(need) {
		return false
	}
	old, oldSlab := c.cells, c.slab
	c.cells, c.slab = makeCells[V](c.pool, c.offHeap, size)
	c.shift = uint(64 - log2(size))
	c.rehash(old)
	c.pool.Outgrown(oldSlab)
	gone := c.tableBytes(len(old))
	c.budget.Release(gone)
	c.charged += need - gone
	return true
}

// tableBytes is what a table of size cells is charged: itself and, half as much,
// the copy of its entries that dividing or sorting them takes; on the heap, twice that.
func (c *cells[V]) tableBytes(size int) int64 {
	n := int64(size*cellSize[V]()) / 2 * 3
	if !c.offHeap {
		n *= heldFactor
	}
	return n
}

func log2(size int) int {
	n := 0
	for size > 1<<n {
		n++
	}
	return n
}

func (c *cells[V]) rehash(old []cell[V]) {
	mask := uint64(len(c.cells) - 1)
	for i := range old {
		x := &old[i]
		if x.mark == 0 {
			continue
		}
		at := c.hash(x) >> (c.shift & 63)
		for c.cells[at&mask].mark != 0 {
			at++
		}
		c.cells[at&mask] = *x
	}
}

func (c *cells[V]) hash(x *cell[V]) uint64 {
	if x.mark <= inlineKey+1 {
		return mix(x.k0, x.k1, uint64(x.mark))
	}
	return xxhash.Sum64(c.longKey(x))
}

// key returns the key of a cell; a short one is written to buf.
func (c *cells[V]) key(x *cell[V], buf *[inlineKey]byte) []byte {
	if x.mark > inlineKey+1 {
		return c.longKey(x)
	}
	binary.LittleEndian.PutUint64(buf[:], x.k0)
	binary.LittleEndian.PutUint64(buf[8:], x.k1)
	return buf[:x.mark-1]
}

func (c *cells[V]) longKey(x *cell[V]) []byte {
	return c.arena[x.off : x.off+x.mark-1 : x.off+x.mark-1]
}

// touchCells is how many cells touchArena looks at, half of which may be free.
const touchCells = 256

// touchArena loads the ends of each long key of the cells from the i-th on, so that the
// misses of keys lying at random overlap: packing takes 47 instead of 55 ns a key.
func (c *cells[V]) touchArena(i int) {
	for _, x := range c.cells[i:min(i+touchCells, len(c.cells))] {
		if x.mark > inlineKey+1 {
			c.sink += uint64(c.arena[x.off]) + uint64(c.arena[x.off+x.mark-2])
		}
	}
}

// fold combines v into the cell's value.
func (c *cells[V]) fold(x *cell[V], v *V) {
	if c.sum {
		add(&x.value, v)
		return
	}
	if c.held.weigh != nil {
		c.foldHeld(x, v)
		return
	}
	x.value = c.combine(x.value, *v)
}

// putLong folds a pair with a long key into its cell. It reports false if there
// is no room for a new key.
func (c *cells[V]) putLong(w *longPending[V], key []byte) bool {
	mask := uint64(len(c.cells) - 1)
	for at := w.hash >> (c.shift & 63); ; at++ {
		x := &c.cells[at&mask]
		if x.mark == 0 {
			if c.full() || !c.reserve(len(key)) {
				return false
			}
			*x = cell[V]{k0: w.k0, k1: w.k1, mark: w.mark, off: uint32(len(c.arena)), value: w.value}
			if c.held.weigh != nil {
				x.value = c.held.keep(&w.value)
				c.held.estimate += c.held.size(&x.value)
			}
			c.arena = append(c.arena, key...)
			c.n++
			return true
		}
		if x.k0 == w.k0 && x.k1 == w.k1 && x.mark == w.mark && string(c.longKey(x)) == string(key) {
			c.fold(x, &w.value)
			return true
		}
	}
}

// arenaHolds reports whether n more bytes can have an offset in the arena.
func (c *cells[V]) arenaHolds(n int) bool { return uint64(len(c.arena)+n) <= maxArena }

// reserve makes room for n more bytes in the arena.
func (c *cells[V]) reserve(n int) bool {
	if len(c.arena)+n <= cap(c.arena) {
		return true
	}
	size := memory.SlabSize(max(len(c.arena)+n, 2*cap(c.arena)))
	if !c.arenaHolds(n) || !c.budget.TryAcquire(int64(size)) {
		return false
	}
	c.setArena(size)
	return true
}

// setArena moves the arena to a slab of size bytes, already paid for.
func (c *cells[V]) setArena(size int) {
	s := c.pool.Get(size)
	c.arena = append(s.Bytes[:0], c.arena...)
	c.pool.Outgrown(c.long)
	c.budget.Release(int64(len(c.long.Bytes)))
	c.charged += int64(size - len(c.long.Bytes))
	c.long = s
}

// forceArena makes room for a key whatever the budget says.
func (c *cells[V]) forceArena(n int) {
	size := int64(memory.SlabSize(max(len(c.arena)+n, 2*cap(c.arena))))
	c.budget.Acquire(size)
	c.setArena(int(size))
}

// clear empties the table and keeps its memory.
func (c *cells[V]) clear() {
	clear(c.cells)
	c.n, c.arena, c.held.estimate = 0, c.arena[:0], 0
}

// dropCells frees the table but not the arena.
func (c *cells[V]) dropCells() {
	c.pool.Put(c.slab)
	n := c.tableBytes(len(c.cells))
	c.budget.Release(n)
	c.charged -= n
	c.cells, c.slab, c.shift, c.n = nil, memory.Slab{}, 64, 0
}

func (c *cells[V]) close() {
	c.dropCells()
	c.pool.Put(c.long)
	c.budget.Release(c.charged + c.held.charged)
	c.charged, c.arena, c.long = 0, nil, memory.Slab{}
	c.held = held[V]{weigh: c.held.weigh, mutable: c.held.mutable}
}
