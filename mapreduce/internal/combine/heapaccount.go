package combine

import (
	"slices"
	"unsafe"
)

// heapAccount keeps account of what a table's values point to, which lies on the Go heap: an
// estimate that each emit adds to, and a weighing of all values where the estimate
// exceeds what the budget gives.
type heapAccount struct {
	weigh    func(p unsafe.Pointer) int64 // nil: values hold no pointers, and nothing is counted
	mutable  bool
	estimate int64
	charged  int64
	before   []uintptr // the words of values before they are folded
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
	// leastBulky is the weight of a value that does not wait with others.
	leastBulky = heapFactor * (heapEach + 1<<10)
)

// weight is what a value takes of the heap.
func (a *heapAccount) weight(v unsafe.Pointer) int64 { return heapFactor * (heapEach + a.weigh(v)) }

// over reports whether the values take more than was charged for them.
func (a *heapAccount) over() bool { return a.estimate > a.charged }

// foldHeap is combine for values that hold pointers. A value grows by no more than what is folded
// into it, as a rule; one that Combine returns as it was has not grown.
func (a *accumulator) foldHeap(to, from unsafe.Pointer, hits []Hit, pairs []pending) {
	words := int(a.form.size / unsafe.Sizeof(uintptr(0)))
	wordsOf := func(h Hit) []uintptr {
		return unsafe.Slice((*uintptr)(unsafe.Add(to, h.To)), words)
	}
	before := a.heap.before[:0]
	for _, h := range hits {
		before = append(before, wordsOf(h)...)
	}
	a.form.Fold(to, from, hits)
	for i, h := range hits {
		if h.First || a.heap.mutable || !slices.Equal(before[i*words:(i+1)*words], wordsOf(h)) {
			a.heap.estimate += int64(pairs[h.From].word)
		}
	}
	a.heap.before = before
}

// settle has the budget pay for what the values point to or, if it refuses, weighs them
// all and, if they are too heavy indeed, empties the table into a spill.
func (a *accumulator) settle() {
	h := &a.heap
	if !h.over() {
		return
	}
	need := h.estimate + max(heapStep, h.estimate/8) - h.charged
	if h.charged < leastHeap {
		a.opt.Budget.Acquire(need)
		h.charged += need
		return
	}
	if a.opt.Budget.TryAcquire(need) {
		h.charged += need
		return
	}
	if h.estimate = a.weighAll(); h.estimate+h.estimate/4 > h.charged {
		a.drain()
	}
}

func (a *accumulator) weighAll() (n int64) {
	values := a.hash.values()
	for i := range a.hash.n {
		n += a.heap.weight(a.form.place(values, i))
	}
	return n
}
