package combine

import (
	"bytes"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// lentValues holds copies of byte-slice values until they are folded, because emitters reuse their
// memory. Only results that stay in the table get memory of their own. Most first values of keys
// are equal, such as a file's name, so keys share one copy. Building an index takes half the time.
type lentValues struct {
	buf     []byte // values that wait; scratch follows in memory
	scratch []byte // copy of a shared value, which Combine may modify
	filled  []byte // the value that scratch is a copy of
	last    []byte // the latest copy for the table
	used    bool   // buf is allocated
}

const (
	lentBytes   = 16 << 10
	largestLent = lentBytes / batchSize // maximum size of one value
)

// copyValue copies the value at next, a byte slice, so that the emitter may reuse its memory.
//
//  1. The value is copied to the buffer of waiting values; a large one to memory of its own.
//  2. Combine receives it from there.
//  3. A result of a key that is in the buffer (a first value, or one that Combine has returned) is
//     copied once more. If the previous copy is equal, it is shared.
//  4. Combine may modify its arguments, so it gets a value that may be shared as a copy in
//     scratch. If it returns that unchanged, the value stays as it is.
//  5. When no pair waits, the buffer is empty.
func (a *accumulator) copyValue() {
	v, l := *memory.To[[]byte](a.next()), &a.heap.lent
	switch {
	case len(v) > largestLent:
		*memory.To[[]byte](a.next()) = slices.Clip(bytes.Clone(v))
		return
	case v == nil:
		return
	case !l.used:
		all := make([]byte, lentBytes+largestLent)
		l.buf, l.scratch, l.used = all[:0], all[lentBytes:], true
	case len(l.buf)+len(v) >= lentBytes:
		a.flush() // changes next
	}
	if !a.waiting() {
		l.buf = l.buf[:0]
	}
	from := len(l.buf)
	l.buf = append(l.buf, v...)
	*memory.To[[]byte](a.next()) = l.buf[from:len(l.buf):len(l.buf)]
}

// foldBytes folds values that are byte slices, and adds their growth to the estimate.
func (a *accumulator) foldBytes(to, from memory.Pointer, hits []Hit, pairs []pending) {
	lent := &a.heap.lent
	for _, h := range hits {
		x, v := memory.To[[]byte](to.Add(h.To)), *memory.To[[]byte](a.form.place(from, int(h.From)))
		grown := true
		if h.First {
			*x = lent.keep(v)
		} else {
			grown = lent.fold(a.form.Bytes, x, v)
		}
		if grown {
			a.heap.estimate += int64(pairs[h.From].word)
		}
	}
}

// keep returns v with memory of its own: v itself, or a copy if v is in the buffer or in scratch.
func (l *lentValues) keep(v []byte) []byte {
	if !l.used || v == nil || !l.has(v) {
		return v
	}
	if l.last == nil || !bytes.Equal(v, l.last) {
		l.last = slices.Clip(bytes.Clone(v))
	}
	return l.last
}

// has reports whether b is in the buffer or in scratch.
func (l *lentValues) has(b []byte) bool {
	_, is := memory.Within(l.buf[:cap(l.buf)], b[:min(1, cap(b))])
	return is
}

// fold sets *x to combine(*x, v), and reports whether that changed the value.
func (l *lentValues) fold(combine func(a, b []byte) []byte, x *[]byte, v []byte) bool {
	old := *x
	if !l.used || cap(old) != len(old) || len(old) > largestLent {
		// No other key shares the value: it is large, or has grown in place.
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

// sameSlice reports whether two slices are the same memory, not only equal bytes.
func sameSlice(a, b []byte) bool {
	return memory.First(a) == memory.First(b) && len(a) == len(b) && cap(a) == cap(b)
}
