package combine

import (
	"unsafe"
)

// held keeps account of what a table's values point to, which lies on the Go heap: an
// estimate that each emit adds to, and a weighing of all values where the estimate
// exceeds what the budget gives.
type held[V any] struct {
	weigh    func(p unsafe.Pointer) int64 // nil: V holds no pointers, and nothing is counted
	mutable  bool
	estimate int64
	charged  int64
	last     V // the value weighed last: most emits of a map are of one value
	lastSize int64
	lent     lent
}

const (
	// heldStep is the least by which the charge grows.
	heldStep = 64 << 10
	// leastHeld keeps a starved attempt from spilling a file for every few values.
	leastHeld = 512 << 10
	// heldEach is what the allocation of a value takes beside its bytes.
	heldEach = 16
	// heldFactor is what a byte in use takes of a heap that is collected when it has
	// doubled.
	heldFactor = 2
)

// size is what a value takes of the heap.
func (h *held[V]) size(v *V) int64 {
	if !same(v, &h.last) {
		h.last, h.lastSize = *v, heldFactor*(heldEach+h.weigh(unsafe.Pointer(v)))
	}
	return h.lastSize
}

// same reports whether two values are the same words of memory.
//
// Invariant: V holds pointers, so its size is a multiple of theirs.
func same[V any](a, b *V) bool {
	for i := uintptr(0); i < unsafe.Sizeof(*a); i += unsafe.Sizeof(i) {
		x, y := unsafe.Add(unsafe.Pointer(a), i), unsafe.Add(unsafe.Pointer(b), i)
		if *(*uintptr)(x) != *(*uintptr)(y) {
			return false
		}
	}
	return true
}

// over reports whether the values take more than was charged for them.
func (h *held[V]) over() bool { return h.estimate > h.charged }

// probeHeld is probe for values that hold pointers.
func (c *cells[V]) probeHeld(b *batch[V], i, end int) int {
	shift := c.shift & 63
	mask := uint64(len(c.cells) - 1)
	for ; i < end; i++ {
		w := &b.q[i]
		for at := w.hash >> shift; ; at++ {
			x := &c.cells[at&mask]
			if x.k0 == w.k0 && x.k1 == w.k1 && x.mark == w.mark {
				c.foldHeld(x, &w.value)
				break
			}
			if x.mark == 0 {
				if c.full() {
					return i
				}
				x.k0, x.k1, x.mark, x.value = w.k0, w.k1, w.mark, c.held.keep(&w.value)
				c.held.estimate += c.held.size(&x.value)
				c.n++
				break
			}
		}
	}
	return i
}

// foldHeld combines v into the cell's value, which grows by no more than v as a rule.
func (c *cells[V]) foldHeld(x *cell[V], v *V) {
	if c.held.lent.used && c.foldLent(x, v) {
		return
	}
	both := c.combine(x.value, *v)
	if same(&both, &x.value) {
		if c.held.mutable {
			c.held.estimate += c.held.size(v)
		}
		return
	}
	x.value = c.held.keep(&both)
	c.held.estimate += c.held.size(v)
}

// settle has the budget pay for what the values point to or, if it refuses, weighs them
// all and, if they are too heavy indeed, empties the table into a spill.
func (t *Table[V]) settle() {
	h := &t.c.held
	need := h.estimate + max(heldStep, h.estimate/8) - h.charged
	if h.charged < leastHeld || !t.cfg.spills() {
		t.cfg.Budget.Acquire(need)
		h.charged += need
		return
	}
	if t.cfg.Budget.TryAcquire(need) {
		h.charged += need
		return
	}
	if h.estimate = t.c.weighAll(); h.estimate+h.estimate/4 > h.charged {
		t.drain()
	}
}

func (c *cells[V]) weighAll() (n int64) {
	for i := range c.cells {
		if x := &c.cells[i]; x.mark != 0 {
			n += heldFactor * (heldEach + c.held.weigh(unsafe.Pointer(&x.value)))
		}
	}
	return n
}

// bulky reports whether a value is too heavy to wait in a batch with others.
func (t *Table[V]) bulky(v *V) bool {
	return t.c.held.weigh != nil && t.c.held.size(v) > heldFactor*(heldEach+1<<10)
}

// Weighs reports whether values hold pointers, so that they are to go to EmitHeavy.
func (t *Table[V]) Weighs() bool { return t.c.held.weigh != nil }

// EmitHeavy is Emit with a look at the value's weight.
func (t *Table[V]) EmitHeavy(key []byte, v V) {
	t.Emit(key, v)
	if t.bulky(&v) {
		t.flush()
		t.flushLong()
	}
}
