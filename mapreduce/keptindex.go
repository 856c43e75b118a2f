package mapreduce

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// keptIndex has the records of a part as whoever reads it makes them, with their keys: records of numbers
// and of slices of numbers that are lent. Who reads a part the second time leaves it to those who come
// after, as do rounds that read the same links again and again.
type keptIndex struct {
	mu      sync.Mutex
	readers int  // so far
	begun   bool // somebody is making it
	whole   bool
	size    int // records
	slab    memory.Slab
}

// indexes reports whether records are copies of a few words and point to nothing but their block.
func (f keptForm[T]) indexes() bool {
	return f.lends() && !slices.ContainsFunc(f.flat, func(p flatField) bool {
		return p.kind == flatString || p.kind == flatBytes
	})
}

// reader notes one more reader of a part with so many records of so many bytes each. If whole, the index
// is there; if mine, the reader is to make it, and to end with made.
func (d *keptData) reader(records, bytes int) (whole, mine bool) {
	x := &d.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.readers++; x.readers < 2 || x.whole || x.begun || d.spill != nil || records == 0 {
		return x.whole, false
	}
	size := memory.SlabSize(records * bytes)
	if !d.budget.TryKeep(int64(size)) {
		return false, false
	}
	x.begun, x.size, x.slab = true, records, d.o.Pool.Get(size)
	return false, true
}

// made ends the making of the index, of which n records are there.
func (d *keptData) made(n int) {
	x := &d.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.begun = false; n == x.size {
		x.whole = true
		return
	}
	d.dropIndex()
}

// dropIndex gives the memory of the index back.
func (d *keptData) dropIndex() {
	x := &d.index
	if x.slab.Bytes != nil {
		d.budget.ReleaseKept(int64(len(x.slab.Bytes)))
		d.o.Pool.Put(x.slab)
		x.slab = memory.Slab{}
	}
}

// indexWindow is a place in an index that is read, or made.
type indexWindow[T any] struct {
	recs  []T // their slices lie in the blocks of the part, which is no memory of the Go heap
	keys  []uint64
	sizes []int32
	at    int
	whole bool // it is read
	mine  bool // it is made
}

// indexed is what a record takes in an index.
func indexed[T any]() int { return int(unsafe.Sizeof(*new(T))) + 8 + 4 }

// openIndex begins to read or to make the index of a part, if either is of use.
func (w *groupWindow[K, T]) openIndex() {
	if !w.k.form.indexes() {
		return
	}
	x := &w.index
	x.whole, x.mine = w.data.reader(w.k.recordsOf(w.part), indexed[T]())
	if x.whole || x.mine {
		n, b := w.data.index.size, w.data.index.slab.Bytes
		keys, sizes := n*int(unsafe.Sizeof(*new(T))), n*(indexed[T]()-4)
		x.recs, x.keys, x.sizes = memory.Cast[T](b[:keys]), memory.Cast[uint64](b[keys:sizes]), memory.Cast[int32](b[sizes:])[:n]
	}
}

// fromIndex is fill from an index.
func (w *groupWindow[K, T]) fromIndex() error {
	x, n := &w.index, len(w.recs)
	if w.ended = x.at == len(x.recs); w.ended {
		return nil
	}
	w.grow(n + groupsAtOnce)
	read := copy(w.recs[n:n+groupsAtOnce], x.recs[x.at:])
	w.recs, w.keys, w.sizes = w.recs[:n+read], w.keys[:n+read], w.sizes[:n+read]
	copy(w.keys[n:], x.keys[x.at:])
	copy(w.sizes[n:], x.sizes[x.at:])
	x.at += read
	used := int64(0)
	for _, size := range w.sizes[n:] {
		used += int64(size)
	}
	w.held += used + int64(read)*int64(unsafe.Sizeof(*new(T)))
	return w.s.tick(used)
}

// toIndex adds the records from the n-th of the window on to the index that is made.
func (w *groupWindow[K, T]) toIndex(n int) {
	x := &w.index
	copy(x.keys[x.at:], w.keys[n:])
	copy(x.sizes[x.at:], w.sizes[n:])
	copy(imagesOf(x.recs[x.at:]), imagesOf(w.recs[n:])) // no pointers, as far as the collector is to know
	x.at += len(w.recs) - n
}

// imagesOf is the memory of values.
func imagesOf[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(*new(T))))
}

// closeIndex ends what openIndex began.
func (w *groupWindow[K, T]) closeIndex() {
	if w.index.mine {
		w.data.made(w.index.at)
	}
}
