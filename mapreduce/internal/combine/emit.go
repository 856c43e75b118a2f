package combine

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// A generic function is compiled in the package of the user's program, once for each job, where none of
// our small functions is inlined. So those of this file read and write fields, and make at most one call
// a pair.

// Emit returns the emit of a table for pairs of type K and V. put is one of the table's, or calls one.
// Not nil, ready is what Ready says.
//
//go:noinline
func Emit[K, V any](t *Table, put func(key unsafe.Pointer), ready unsafe.Pointer) func(K, V) {
	if ready != nil {
		return *(*func(K, V))(ready)
	}
	values, n, gate, key := (*[2 * batchSize]V)(t.acc.values), &t.acc.short.n, &t.gate, new(K)
	return func(k K, v V) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		values[uint(*n)%(2*batchSize)] = v
		*key = k
		put(unsafe.Pointer(key))
	}
}

// EmitNumbers returns what emits integers of type K, which have Options.Width bytes, 4 or 8: a key
// is the bytes of the integer, big-endian and flipped with flip. All that most pairs need is written out
// in it: a call less is 2 ns a pair.
//
//go:noinline
func EmitNumbers[K, V any](t *Table, flip uint64, combine func(a, b V) V) func(K, V) {
	values, n, gate := (*[2 * batchSize]V)(t.acc.values), &t.acc.short.n, &t.gate
	d, records := &t.acc.dense, &t.acc.stats.Records
	return func(k K, v V) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		*records++
		var x uint64
		if unsafe.Sizeof(k) == 8 {
			x = *(*uint64)(unsafe.Pointer(&k)) ^ flip
		} else {
			x = uint64(*(*uint32)(unsafe.Pointer(&k)) ^ uint32(flip)) //nolint:gosec // of 4 bytes
		}
		i := x - d.base
		if w := i / 64; w < uint64(len(d.taken)) && d.taken[w]>>(i%64)&1 != 0 {
			at := (*V)(unsafe.Add(d.values, uintptr(i)*unsafe.Sizeof(v)))
			*at = combine(*at, v)
			return
		}
		values[uint(*n)%(2*batchSize)] = v
		t.acc.putNumber(x)
	}
}

// Ready returns where a func(K, V) lies that is compiled once for all jobs: for keys of type key that are
// put as they are, and the values of the table; nil if there is none.
//
// Invariant: Go passes integers of 8 bytes alike, whatever their type.
func (t *Table) Ready(key reflect.Type) unsafe.Pointer {
	if !t.acc.form.sum {
		return nil
	}
	switch key {
	case reflect.TypeFor[[]byte]():
		emit := t.emitBytes()
		return unsafe.Pointer(&emit)
	case reflect.TypeFor[string]():
		emit := t.emitStrings()
		return unsafe.Pointer(&emit)
	default:
		return nil
	}
}

// emitBytes is the emit of a table of sums of 8 bytes. What most pairs need is written out in it: with
// calls a WordCount takes a fifth longer. The compiler must not copy it into Ready, where nothing in it
// would be inlined.
//
//go:noinline
func (t *Table) emitBytes() func(key []byte, v uint64) {
	b, gate, stats, turn := &t.acc.short, &t.gate, &t.acc.stats, t.acc.turn
	return func(key []byte, v uint64) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		n := len(key)
		stats.Records++
		stats.Bytes += int64(n)
		p := unsafe.Pointer(unsafe.SliceData(key))
		if uint(n-1) >= inlineKey || !sixteenAt(p) {
			*(*uint64)(t.acc.next()) = v
			t.acc.put(key)
			return
		}
		keep := &masks[n&31]
		w := &b.keys[b.n&(2*batchSize-1)]
		w.k0, w.k1 = load(p, 0)&keep[0], load(p, 8)&keep[1]
		w.mark, w.word = uint32(n)+1, v
		w.hash = mix(w.k0, w.k1, uint64(w.mark))
		if b.n++; b.n%batchSize == 0 {
			turn()
		}
	}
}

// emitStrings is emitBytes, and its body once more.
//
//go:noinline
func (t *Table) emitStrings() func(key string, v uint64) {
	b, gate, stats, turn := &t.acc.short, &t.gate, &t.acc.stats, t.acc.turn
	return func(key string, v uint64) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		n := len(key)
		stats.Records++
		stats.Bytes += int64(n)
		p := unsafe.Pointer(unsafe.StringData(key))
		if uint(n-1) >= inlineKey || !sixteenAt(p) {
			*(*uint64)(t.acc.next()) = v
			t.acc.put(unsafe.Slice((*byte)(p), n))
			return
		}
		keep := &masks[n&31]
		w := &b.keys[b.n&(2*batchSize-1)]
		w.k0, w.k1 = load(p, 0)&keep[0], load(p, 8)&keep[1]
		w.mark, w.word = uint32(n)+1, v
		w.hash = mix(w.k0, w.k1, uint64(w.mark))
		if b.n++; b.n%batchSize == 0 {
			turn()
		}
	}
}
