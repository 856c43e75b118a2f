package combine

import (
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// NumberEmitter returns what emits integers of type K, which have Config.Width bytes, 4 or 8: a key
// is the bytes of the integer, big-endian and flipped with flip.
func NumberEmitter[K, V any](t *Table[V], flip uint64) func(K, V) {
	if t.d.width == 4 {
		return numberEmitter[uint32, K](t, uint32(flip))
	}
	return numberEmitter[uint64, K](t, flip)
}

// numberEmitter is NumberEmitter for keys that are integers of as many bytes as N.
func numberEmitter[N uint32 | uint64, K, V any](t *Table[V], flip N) func(K, V) {
	if t.c.sum && unsafe.Sizeof(*new(V)) == 8 {
		return as[K, V](addEmitter(placesOf(t), flip))
	}
	return as[K, V](foldEmitter(t, flip))
}

// as returns a function for K and V in place of one for N and W.
//
// Invariant: K and N are integers of one size; V and W are one type, or integers of one size. Then Go
// passes them alike.
func as[K, V, N, W any](f func(N, W)) func(K, V) { return *(*func(K, V))(unsafe.Pointer(&f)) }

// foldEmitter calls Combine. All that most pairs need is written out in it, as in addEmitter: a call
// less is 2 ns a pair.
func foldEmitter[N uint32 | uint64, V any](t *Table[V], flip N) func(N, V) {
	d, gate, records, fold := &t.d, &t.gate, &t.stats.Records, t.c.combine
	if t.c.sum {
		fold = func(a, b V) V {
			add(&a, &b)
			return a
		}
	}
	other := func(x N, v V) { t.putNumber(uint64(x), &v) }
	return func(k N, v V) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		*records++
		x := k ^ flip
		i := uint64(x) - d.base
		if i >= uint64(len(d.values)) || d.there[i/64]&(1<<(i%64)) == 0 {
			other(x, v)
			return
		}
		d.values[i] = fold(d.values[i], v)
	}
}

// places is what emits that add need of a table, without its type: of these there are many in a program, and whoever
// makes such an emit is not inlined, so that there is one of each.
type places struct {
	d       *numbers[uint64]
	gate    *memory.Gate
	records *int64
	other   func(x, v uint64) // for a key without a place
}

// placesOf is those of a table.
//
// Invariant: V is an integer of 8 bytes.
func placesOf[V any](t *Table[V]) places {
	return places{
		d:    (*numbers[uint64])(unsafe.Pointer(&t.d)), // it has no V in it but for values
		gate: &t.gate, records: &t.stats.Records,
		other: func(x, v uint64) { t.putNumber(x, (*V)(unsafe.Pointer(&v))) },
	}
}

// addEmitter adds values as words, with nothing in it but what that takes.
//
//go:noinline
func addEmitter[N uint32 | uint64](t places, flip N) func(N, uint64) {
	d, gate, records, other := t.d, t.gate, t.records, t.other
	return func(k N, v uint64) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		*records++
		x := k ^ flip
		i := uint64(x) - d.base
		if i >= uint64(len(d.values)) || d.there[i/64]&(1<<(i%64)) == 0 {
			other(uint64(x), v)
			return
		}
		d.values[i] += v
	}
}
