package combine

import (
	"bytes"
	"slices"
	"unsafe"
)

// lentValues has the bytes of values that wait in the batches of a table of byte slices. Most
// values of a key that has one are read by Combine and forgotten, so that only what stays in the
// table is copied to memory of its own; and most of what stays first is alike, such as the name of
// a file, so that keys share one copy. An index takes half the time that it takes with a copy of
// each value.
type lentValues struct {
	buf     []byte // its capacity stays; behind it there is scratch
	scratch []byte // what Combine gets in place of a value that keys may share
	filled  []byte // the value that lies in scratch, as it is
	last    []byte // the last copy for the table
	used    bool   // there is a buf
}

const (
	lentBytes   = 16 << 10
	largestLent = lentBytes / batchSize // of one value
)

// EmitLent is Emit for values that are byte slices, which are the caller's again when it returns.
//
//  1. The value is copied to the buffer of values that wait; to a fresh one of its own if it is large.
//  2. Combine has it from there.
//  3. What becomes the value of a key is copied once more if it lies in the buffer: a first value, or
//     one that Combine has returned. If the copy before was the same, it is shared.
//  4. Combine may change what it gets, so that of a value that may be shared it gets a copy in scratch. If it returns
//     that as it was, nothing has happened.
//  5. When nothing waits any more, the buffer is free.
func EmitLent(t *Table[[]byte], key, v []byte) {
	t.note(key)
	l := &t.acc.hash.heap.lent
	switch {
	case len(v) > largestLent:
		t.acc.putHeavy(key, slices.Clip(bytes.Clone(v)))
		return
	case v == nil:
		t.acc.put(key, nil)
		return
	case !l.used:
		all := make([]byte, lentBytes+largestLent)
		l.buf, l.scratch, l.used = all[:0], all[lentBytes:], true
	case len(l.buf)+len(v) >= lentBytes:
		t.acc.flush()
	}
	if !t.acc.waiting() {
		l.buf = l.buf[:0]
	}
	from := len(l.buf)
	l.buf = append(l.buf, v...)
	t.acc.put(key, l.buf[from:len(l.buf):len(l.buf)])
}

// keep returns v, or a copy if it lies in the memory of what is lent. Where that is used V is
// []byte, as EmitLent sees to; so in foldLent.
func (a *heapAccount[V]) keep(v *V) V {
	l := &a.lent
	if !l.used {
		return *v
	}
	b := *any(v).(*[]byte)
	if b == nil || !l.has(b) {
		return *v
	}
	if l.last == nil || !bytes.Equal(b, l.last) {
		l.last = slices.Clip(bytes.Clone(b))
	}
	return *any(&l.last).(*V)
}

// has reports whether b lies in the buffer or in scratch.
func (l *lentValues) has(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(l.buf)))
	return at < lentBytes+largestLent
}

// foldLent is foldHeap for a table that was lent values. It reports false, and has done nothing, if
// no other key can have the same value: one that is large, or that has grown where it lies.
func (h *hashTable[V]) foldLent(x *cell[V], v *V) bool {
	old := *any(&x.value).(*[]byte)
	if cap(old) != len(old) || len(old) > largestLent {
		return false
	}
	l := &h.heap.lent
	if !sameWords(&old, &l.filled) {
		l.filled = old
		copy(l.scratch, old)
	}
	a := x.value
	if old != nil {
		*any(&a).(*[]byte) = l.scratch[:len(old):len(old)]
	}
	both := h.combine(a, *v)
	if sameWords(&both, &a) && bytes.Equal(l.scratch[:len(old)], old) {
		return true
	}
	l.filled = nil
	x.value = h.heap.keep(&both)
	h.heap.estimate += h.heap.size(v)
	return true
}
