package combine

import "unsafe"

// heapAccount keeps account of what a table's values point to, which lies on the Go heap: an
// estimate that each emit adds to, and a weighing of all values where the estimate
// exceeds what the budget gives.
type heapAccount[V any] struct {
	weigh    func(p unsafe.Pointer) int64 // nil: V holds no pointers, and nothing is counted
	mutable  bool
	estimate int64
	charged  int64
	last     V // the value weighed last: most emits of a map are of one value
	lastSize int64
	lent     lentValues
}

const (
	// heapStep is the least by which the charge grows.
	heapStep = 64 << 10
	// leastHeap keeps a starved attempt from spilling a file for every few values.
	leastHeap = 512 << 10
	// heapEach is what the allocation of a value takes beside its bytes.
	heapEach = 16
	// heapFactor is what a byte in use takes of a heap that is collected when it has
	// doubled.
	heapFactor = 2
)

// weight is what a value takes of the heap.
func (a *heapAccount[V]) weight(v *V) int64 {
	return heapFactor * (heapEach + a.weigh(unsafe.Pointer(v)))
}

// size is weight for values of which most are the one before.
func (a *heapAccount[V]) size(v *V) int64 {
	if !sameWords(v, &a.last) {
		a.last = *v
		a.lastSize = a.weight(&a.last) // not v, for which each caller would allocate memory
	}
	return a.lastSize
}

// take makes the first value of a cell the table's own.
func (a *heapAccount[V]) take(v *V) {
	*v = a.keep(v)
	a.estimate += a.size(v)
}

// over reports whether the values take more than was charged for them.
func (a *heapAccount[V]) over() bool { return a.estimate > a.charged }

// foldHeap combines v into the cell's value, which grows by no more than v as a rule.
func (h *hashTable[V]) foldHeap(x *cell[V], v *V) {
	if h.heap.lent.used && h.foldLent(x, v) {
		return
	}
	both := h.combine(x.value, *v)
	if sameWords(&both, &x.value) {
		if h.heap.mutable {
			h.heap.estimate += h.heap.size(v)
		}
		return
	}
	x.value = h.heap.keep(&both)
	h.heap.estimate += h.heap.size(v)
}

// settle has the budget pay for what the values point to or, if it refuses, weighs them
// all and, if they are too heavy indeed, empties the table into a spill.
func (a *accumulator[V]) settle() {
	h := &a.hash.heap
	if !h.over() {
		return
	}
	need := h.estimate + max(heapStep, h.estimate/8) - h.charged
	if h.charged < leastHeap {
		a.cfg.Budget.Acquire(need)
		h.charged += need
		return
	}
	if a.cfg.Budget.TryAcquire(need) {
		h.charged += need
		return
	}
	if h.estimate = a.hash.weighAll(); h.estimate+h.estimate/4 > h.charged {
		a.drain()
	}
}

func (h *hashTable[V]) weighAll() (n int64) {
	for i := range h.cells {
		if x := &h.cells[i]; x.mark != 0 {
			n += h.heap.weight(&x.value)
		}
	}
	return n
}

// putHeavy is put with a look at the value's weight: a bulky one does not wait in a batch with
// others.
func (a *accumulator[V]) putHeavy(key []byte, v V) {
	a.put(key, v)
	if a.hash.heap.weigh != nil && a.hash.heap.size(&v) > heapFactor*(heapEach+1<<10) {
		a.flush()
	}
}

// Weighs reports whether values hold pointers, so that they are to go to EmitHeavy.
func (t *Table[V]) Weighs() bool { return t.acc.hash.heap.weigh != nil }

// EmitHeavy is Emit with a look at the value's weight.
func (t *Table[V]) EmitHeavy(key []byte, v V) {
	t.note(key)
	t.acc.putHeavy(key, v)
}
