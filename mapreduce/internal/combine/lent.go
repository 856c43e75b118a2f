package combine

import (
	"bytes"
	"slices"
	"sync/atomic"
	"unsafe"
)

// lent has the bytes of values that wait in the batches of a table of byte slices. Most values of a key that has
// one are read by Combine and forgotten, so that only what stays in the table is copied to memory of its own; and
// most of what stays first is alike, such as the name of a file, so that keys share one copy.
type lent struct {
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
	if atomic.LoadUint32(&t.gate.Now.Asked) != 0 {
		t.gate.Sign()
	}
	l := &t.c.held.lent
	switch {
	case len(v) > largestLent:
		t.EmitHeavy(key, slices.Clip(bytes.Clone(v)))
		return
	case v == nil:
		t.Emit(key, nil)
		return
	case !l.used:
		all := make([]byte, lentBytes+largestLent)
		l.buf, l.scratch, l.used = all[:0], all[lentBytes:], true
	case len(l.buf)+len(v) >= lentBytes:
		t.flush()
		t.flushLong()
	}
	if !t.waiting() {
		l.buf = l.buf[:0]
	}
	from := len(l.buf)
	l.buf = append(l.buf, v...)
	t.stats.Records++
	t.stats.Bytes += int64(len(key))
	t.put(key, l.buf[from:len(l.buf):len(l.buf)])
}

// keep returns v, or a copy if it lies in the memory of what is lent.
//
// Invariant: where that is used V is []byte, as EmitLent sees to; so in foldLent.
func (h *held[V]) keep(v *V) V {
	l := &h.lent
	b := (*[]byte)(unsafe.Pointer(v))
	if !l.used || *b == nil || !l.has(*b) {
		return *v
	}
	if l.last == nil || !bytes.Equal(*b, l.last) {
		l.last = slices.Clip(bytes.Clone(*b))
	}
	return *(*V)(unsafe.Pointer(&l.last))
}

// has reports whether b lies in the buffer or in scratch.
func (l *lent) has(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(l.buf)))
	return at < lentBytes+largestLent
}

// foldLent is foldHeld for a table that was lent values. It reports false, and has done nothing, if no other key
// can have the same value: one that is large, or that has grown where it lies.
func (c *cells[V]) foldLent(x *cell[V], v *V) bool {
	old := *(*[]byte)(unsafe.Pointer(&x.value))
	if cap(old) != len(old) || len(old) > largestLent {
		return false
	}
	l := &c.held.lent
	if !same(&old, &l.filled) {
		l.filled = old
		copy(l.scratch, old)
	}
	a := x.value
	if old != nil {
		scratch := l.scratch[:len(old):len(old)]
		a = *(*V)(unsafe.Pointer(&scratch))
	}
	both := c.combine(a, *v)
	if same(&both, &a) && bytes.Equal(l.scratch[:len(old)], old) {
		return true
	}
	l.filled = nil
	x.value = c.held.keep(&both)
	c.held.estimate += c.held.size(v)
	return true
}
