package combine

import (
	"bytes"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// heapAccount estimates the Go heap memory that a table's values refer to, so that the table spills
// in time. Each emit adds to the estimate. If it exceeds the budget, settle weighs all values.
type heapAccount struct {
	weigh    func(p memory.Pointer) int64 // nil: values hold no pointers, and nothing is counted
	mutable  bool
	estimate int64
	charged  int64
	before   []byte // the memory of values before a fold
	lent     []byte // copies of byte-slice values that wait, because emitters reuse their memory
}

const (
	// heapStep is the minimum increase of the charge.
	heapStep = 64 << 10
	// minHeap is used even over budget, so that few values do not make a spill file each time.
	minHeap = 512 << 10
	// heapEach is the assumed overhead of the memory that one value refers to.
	heapEach = 16
	// heapFactor is the heap memory per byte in use: Go collects when the heap has doubled.
	heapFactor = 2
	// minBulky is the weight from which a value is folded at once, instead of waiting in a batch.
	minBulky = heapFactor * (heapEach + 1<<10)
)

// weight returns the bytes to charge for the heap memory that the value at v refers to.
func (a *heapAccount) weight(v memory.Pointer) int64 { return heapFactor * (heapEach + a.weigh(v)) }

// over reports whether the estimate exceeds what the budget has been charged.
func (a *heapAccount) over() bool { return a.estimate > a.charged }

// foldHeap folds values with pointers and adds their growth to the estimate. It assumes that a
// value grows by the size of the folded one, and not at all if Combine returns it unchanged.
func (a *accumulator) foldHeap(to, from memory.Pointer, hits []Hit, pairs []pending) {
	size := int(a.form.size)
	valueOf := func(h Hit) []byte { return to.Add(h.To).Memory(a.form.size) }
	before := a.heap.before[:0]
	for _, h := range hits {
		before = append(before, valueOf(h)...)
	}
	a.form.Fold(to, from, hits)
	for i, h := range hits {
		if h.First || a.heap.mutable || !bytes.Equal(before[i*size:(i+1)*size], valueOf(h)) {
			a.heap.estimate += int64(pairs[h.From].word)
		}
	}
	a.heap.before = before
}

// settle charges the budget for the estimated memory of the values. If the budget refuses, it
// weighs all values and, if they are too heavy, spills the table.
func (a *accumulator) settle() {
	h := &a.heap
	if !h.over() {
		return
	}
	need := h.estimate + max(heapStep, h.estimate/8) - h.charged
	if h.charged < minHeap {
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
