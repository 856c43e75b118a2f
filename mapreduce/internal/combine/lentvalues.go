package combine

import (
	"bytes"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

const (
	// lentBytes is the size of the buffer of waiting values.
	lentBytes   = 16 << 10
	largestLent = 256 // maximum size of one value
)

// copyValue copies the value at next, a byte slice, so that the emitter may reuse its memory. Only
// what stays in the table gets memory of its own.
//
//  1. The value is copied to the buffer of waiting values; a large one to memory of its own.
//  2. Combine receives it from there.
//  3. A result of a key that is in the buffer (a first value, or one that Combine has returned) is
//     copied once more.
//  4. When no pair waits, the buffer is empty.
func (a *accumulator) copyValue() {
	v, lent := *memory.To[[]byte](a.next()), &a.heap.lent
	switch {
	case len(v) > largestLent:
		*memory.To[[]byte](a.next()) = slices.Clip(bytes.Clone(v))
		return
	case v == nil:
		return
	case *lent == nil:
		*lent = make([]byte, 0, lentBytes)
	case len(*lent)+len(v) >= lentBytes:
		a.flush() // changes next
	}
	if !a.waiting() {
		*lent = (*lent)[:0]
	}
	from := len(*lent)
	*lent = append(*lent, v...)
	*memory.To[[]byte](a.next()) = slices.Clip((*lent)[from:])
}

// foldBytes folds values that are byte slices, and adds their growth to the estimate.
func (a *accumulator) foldBytes(to, from memory.Pointer, hits []Hit, pairs []pending) {
	for _, h := range hits {
		x, v := memory.To[[]byte](to.Add(h.To)), *memory.To[[]byte](a.form.place(from, int(h.From)))
		old := *x
		if !h.First {
			v = a.form.Bytes(old, v)
		}
		*x = a.heap.keep(v)
		if h.First || memory.First(*x) != memory.First(old) || len(*x) != len(old) {
			a.heap.estimate += int64(pairs[h.From].word)
		}
	}
}

// keep returns v with memory of its own: v itself, or a copy if v is in the buffer.
func (a *heapAccount) keep(v []byte) []byte {
	if _, lent := memory.Within(a.lent[:cap(a.lent)], v[:min(1, cap(v))]); lent {
		return slices.Clip(bytes.Clone(v))
	}
	return v
}
