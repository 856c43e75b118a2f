package combine

import (
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// cell is the start of a hash table's cell. If values take more than 8 bytes, the rest follows
// word. So key and value are mostly in one cache line. If keys were elsewhere, a lookup would take
// two dependent cache misses, and WordCount twice as long.
type cell struct {
	cellKey
	// word is where the value begins. For a value with pointers it is the index of its slot on the
	// Go heap, where the garbage collector finds it.
	word uint64
}

// cellKey is the key in a cell, or says where in the arena a long one is.
type cellKey struct {
	k0, k1 uint64 // the key's first 16 bytes in native order, zero padded
	off    uint32 // a longer key's offset in the arena
	mark   uint32 // 0: free; otherwise the key's length + 1
}

const (
	pendingSize = unsafe.Sizeof(pending{})
	cellSize    = unsafe.Sizeof(cell{}) // if values take at most 8 bytes
	// valueAt is the offset of the value in a cell.
	valueAt    = unsafe.Offsetof(cell{}.word)
	firstCells = 1 << 9
	maxArena   = 1<<32 - 1
	maxCells   = inDense // numbers from there on are places of the dense array
)

// hashTable maps keys to the addresses of their values, which it does not read. It uses open
// addressing with linear probing, and is at most half full.
type hashTable struct {
	cells   memory.Pointer
	size    int     // number of cells, a power of two
	stride  uintptr // bytes of a cell
	shift   uint    // 64 - log2 of size
	n       int
	slots   reflect.Value // values with pointers, half as many as cells; otherwise invalid
	form    *valueForm
	arena   []byte
	slab    memory.Slab // of cells
	long    memory.Slab // of arena
	budget  *memory.Budget
	pool    *memory.Pool
	least   int // size of an arena that needs no budget
	charged int64
}

func newHashTable(o *Options, f *valueForm) hashTable {
	h := hashTable{form: f, budget: o.Budget, pool: o.Pool, shift: 64, stride: cellSize}
	h.least = minKeyBytes * o.leastCells
	if f.offHeap {
		h.stride = valueAt + (f.size+7)&^7
	} else {
		h.slots = f.room(0)
	}
	return h
}

func (h *hashTable) cell(i uint64) *cell { return memory.To[cell](h.cells.Index(int(i), h.stride)) }

// values returns the address to which Hit.To is relative.
func (h *hashTable) values() memory.Pointer {
	if h.slots.IsValid() {
		return memory.At(h.slots)
	}
	return h.cells.Add(valueAt)
}

// full reports whether another key requires a larger table.
func (h *hashTable) full() bool { return 2*h.n >= h.size }

// resize gives the table size cells, a power of two; false if these are more than maxCells, or if
// the budget refuses. force overrules the budget.
func (h *hashTable) resize(size int, force bool) bool {
	need := h.tableBytes(size)
	if size > maxCells || !h.budget.Charge(need, force) {
		return false
	}
	old, oldSlab, oldSize := h.cells, h.slab, h.size
	h.take(size)
	h.shift = 64 - uint(bits.TrailingZeros(uint(size)))
	h.rehash(old, oldSize)
	if h.slots.IsValid() {
		slots := h.form.room(size / 2)
		reflect.Copy(slots, h.slots)
		h.slots = slots
	}
	h.pool.Outgrown(oldSlab)
	gone := h.tableBytes(oldSize)
	h.budget.Release(gone)
	h.charged += need - gone
	return true
}

// take allocates n free cells.
func (h *hashTable) take(n int) {
	h.slab = h.pool.GetZeroed(n * int(h.stride))
	h.cells, h.size = memory.First(h.slab.Bytes), n
}

// tableBytes returns the bytes to charge for a table of size cells: the cells, half as much to pack
// or sort their pairs, and twice the slots, because they are on the Go heap.
func (h *hashTable) tableBytes(size int) int64 {
	n := int64(size) * int64(h.stride) / 2 * 3
	if h.slots.IsValid() {
		n += heapFactor * int64(size/2) * int64(h.form.size)
	}
	return n
}

func (h *hashTable) rehash(old memory.Pointer, n int) {
	mask := uint64(h.size - 1)
	for i := range n {
		x := memory.To[cell](old.Index(i, h.stride))
		if x.mark == 0 {
			continue
		}
		at := h.hashOf(&x.cellKey) >> (h.shift & 63)
		for h.cell(at&mask).mark != 0 {
			at++
		}
		h.copyCell(h.cell(at&mask), x)
	}
}

func (h *hashTable) copyCell(to, from *cell) {
	if h.stride == cellSize {
		*to = *from
		return
	}
	copy(memory.Of(to).Memory(h.stride), memory.Of(from).Memory(h.stride))
}

func (h *hashTable) hashOf(x *cellKey) uint64 {
	if x.mark <= inlineKey+1 {
		return mix(x.k0, x.k1, uint64(x.mark))
	}
	return xxhash.Sum64(x.in(h.arena))
}

// in returns the key as bytes, in the cell itself or in arena.
func (x *cellKey) in(arena []byte) []byte {
	n := x.mark - 1
	if n > inlineKey {
		return arena[x.off : x.off+n : x.off+n]
	}
	return memory.Of(x).Memory(uintptr(n))
}

// findLong returns where the value of a long key is, or inserts the key; false if it does not fit.
func (h *hashTable) findLong(w *pending, key []byte) (hit Hit, ok bool) {
	mask := uint64(h.size - 1)
	for at := w.hash >> (h.shift & 63); ; at++ {
		x := h.cell(at & mask)
		if x.mark == 0 {
			if h.full() || !h.reserve(len(key), false) {
				return Hit{}, false
			}
			h.arena, x.off = segment.AppendKey(h.arena, key)
			x.k0, x.k1, x.mark = w.k0, w.k1, w.mark
			hit.First = true
			if h.slots.IsValid() {
				x.word = uint64(h.n)
			}
			h.n++
		} else if x.k0 != w.k0 || x.k1 != w.k1 || x.mark != w.mark || string(x.in(h.arena)) != string(key) {
			continue
		}
		hit.To = uintptr(at&mask) * h.stride
		if h.slots.IsValid() {
			hit.To = uintptr(x.word) * h.form.size
		}
		return hit, true
	}
}

// reserve makes room for a key of n bytes in the arena; false if its offsets would exceed 32 bits,
// or if the budget refuses. force overrules the budget, which a small arena does not need.
func (h *hashTable) reserve(n int, force bool) bool {
	need := len(h.arena) + segment.KeyRoom(n)
	if need <= cap(h.arena) {
		return true
	}
	size := memory.SlabSize(max(need, 2*cap(h.arena)))
	if uint64(need) > maxArena || !h.budget.Charge(int64(size), force || size <= h.least) {
		return false
	}
	s := h.pool.Get(size)
	h.arena = append(s.Bytes[:0], h.arena...)
	h.pool.Outgrown(h.long)
	h.budget.Release(int64(len(h.long.Bytes)))
	h.charged += int64(size - len(h.long.Bytes))
	h.long = s
	return true
}

// clear removes all keys; the memory of cells and arena stays allocated.
func (h *hashTable) clear() {
	clear(h.slab.Bytes[:h.size*int(h.stride)])
	if h.slots.IsValid() {
		h.slots.Clear()
	}
	h.n, h.arena = 0, h.arena[:0]
}

// close frees all memory and leaves a table without cells.
func (h *hashTable) close() {
	h.pool.Put(h.slab)
	h.pool.Put(h.long)
	h.budget.Release(h.charged)
	*h = hashTable{form: h.form, stride: h.stride, shift: 64, budget: h.budget, pool: h.pool, least: h.least}
}
