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

// lend has the value that is put next, a byte slice, be the emitter's again when it has been put.
//
//  1. The value is copied to the buffer of values that wait; to a fresh one of its own if it is large.
//  2. Combine has it from there.
//  3. What becomes the value of a key is copied once more if it lies in the buffer: a first value, or
//     one that Combine has returned. If the copy before was the same, it is shared.
//  4. Combine may change what it gets, so that of a value that may be shared it gets a copy in scratch. If it returns
//     that as it was, nothing has happened.
//  5. When nothing waits any more, the buffer is free.
func (a *accumulator) copyValue() {
	v, l := *(*[]byte)(a.next()), &a.heap.lent
	switch {
	case len(v) > largestLent:
		*(*[]byte)(a.next()) = slices.Clip(bytes.Clone(v))
		return
	case v == nil:
		return
	case !l.used:
		all := make([]byte, lentBytes+largestLent)
		l.buf, l.scratch, l.used = all[:0], all[lentBytes:], true
	case len(l.buf)+len(v) >= lentBytes:
		a.flush() // so that next is another place
	}
	if !a.waiting() {
		l.buf = l.buf[:0]
	}
	from := len(l.buf)
	l.buf = append(l.buf, v...)
	*(*[]byte)(a.next()) = l.buf[from:len(l.buf):len(l.buf)]
}

// foldBytes is combine for values that are byte slices.
func (a *heapAccount) foldBytes(combine func(a, b []byte) []byte, to, from unsafe.Pointer, hits []Hit, pairs []pending) {
	for _, h := range hits {
		x, v := (*[]byte)(unsafe.Add(to, h.To)), *(*[]byte)(unsafe.Add(from, uintptr(h.From)*unsafe.Sizeof([]byte{})))
		grown := true
		if h.First {
			*x = a.lent.keep(v)
		} else {
			grown = a.lent.fold(combine, x, v)
		}
		if grown {
			a.estimate += int64(pairs[h.From].word)
		}
	}
}

// keep returns v, or a copy if it lies in the memory of what is lent.
func (l *lentValues) keep(v []byte) []byte {
	if !l.used || v == nil || !l.has(v) {
		return v
	}
	if l.last == nil || !bytes.Equal(v, l.last) {
		l.last = slices.Clip(bytes.Clone(v))
	}
	return l.last
}

// has reports whether b lies in the buffer or in scratch.
func (l *lentValues) has(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(l.buf)))
	return at < lentBytes+largestLent
}

// fold combines v into *x, and reports whether that has become another value.
func (l *lentValues) fold(combine func(a, b []byte) []byte, x *[]byte, v []byte) bool {
	old := *x
	if !l.used || cap(old) != len(old) || len(old) > largestLent {
		// No other key has the same value: it is large, or has grown where it lies.
		both := combine(old, v)
		if sameSlice(both, old) {
			return false
		}
		*x = l.keep(both)
		return true
	}
	if !sameSlice(old, l.filled) {
		l.filled = old
		copy(l.scratch, old)
	}
	first := old
	if old != nil {
		first = l.scratch[:len(old):len(old)]
	}
	both := combine(first, v)
	if sameSlice(both, first) && bytes.Equal(l.scratch[:len(old)], old) {
		return false
	}
	l.filled = nil
	*x = l.keep(both)
	return true
}

// sameSlice reports whether two slices are the same memory, not only the same bytes.
func sameSlice(a, b []byte) bool {
	return unsafe.SliceData(a) == unsafe.SliceData(b) && len(a) == len(b) && cap(a) == cap(b)
}
