package combine

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// The user's program compiles a generic function in its own package, once per job, and inlines none
// of our small functions there. So the functions of this file access fields directly, and make at
// most one call per pair.

// Emit returns the function with which a map emits pairs into t. put is a Put method of t, or calls
// one. If ready, the result of Ready, is not nil, Emit returns the function that it points to.
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

// EmitNumbers is Emit for integer keys of Options.Width bytes, 4 or 8. It xors keys with flip,
// which makes signed keys sort as unsigned ones. It inlines the common path: a call costs 2 ns per
// pair.
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
		if w := i / 64; w < uint64(len(d.occupied)) && d.occupied[w]>>(i%64)&1 != 0 {
			at := (*V)(unsafe.Add(d.values, uintptr(i)*unsafe.Sizeof(v)))
			*at = combine(*at, v)
			return
		}
		values[uint(*n)%(2*batchSize)] = v
		t.acc.putNumber(x)
	}
}

// Ready returns a pointer to an emit function, func(K, V), that all jobs share, so that a job need
// not compile its own. It returns nil unless values are added and keys need no encoding.
//
// Invariant: Go passes all integer types of 8 bytes the same way.
func (t *Table) Ready(key reflect.Type) unsafe.Pointer {
	if !t.acc.form.sum {
		return nil
	}
	switch key {
	case reflect.TypeFor[[]byte]():
		return emitText[[]byte](t)
	case reflect.TypeFor[string]():
		return emitText[string](t)
	default:
		return nil
	}
}

// ReadySums is like Ready, for integer keys (EmitNumbers) and values that are added. It returns nil
// unless value is a type of 8-byte numbers. It saves PageRank 1/14 of its time.
func (t *Table) ReadySums(value reflect.Type, flip uint64) unsafe.Pointer {
	wide := t.acc.opt.Width == 8
	switch float := value.Kind() == reflect.Float64; {
	case !float && !CanSum(value):
		return nil
	case float && wide:
		return emitSums[uint64, float64](t, flip)
	case float:
		return emitSums[uint32, float64](t, flip)
	case wide:
		return emitSums[uint64, uint64](t, flip)
	default:
		return emitSums[uint32, uint64](t, flip)
	}
}

// emitSums returns a pointer to an emit function like that of EmitNumbers, but it adds values.
//
//go:noinline
func emitSums[K uint32 | uint64, V uint64 | float64](t *Table, flip uint64) unsafe.Pointer {
	d, gate, records := &t.acc.dense, &t.gate, &t.acc.stats.Records
	emit := func(k K, v V) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		*records++
		x := uint64(k) ^ flip
		i := x - d.base
		if w := i / 64; w < uint64(len(d.occupied)) && d.occupied[w]>>(i%64)&1 != 0 {
			*(*V)(unsafe.Add(d.values, i*8)) += v
			return
		}
		*(*V)(t.acc.next()) = v
		t.acc.putNumber(x)
	}
	return unsafe.Pointer(&emit)
}

// emitText returns a pointer to an emit function for sums under byte or string keys. It inlines the
// common path: with calls a WordCount takes a fifth longer. The compiler must not inline emitText
// into Ready, because it would then inline nothing in it.
//
//go:noinline
func emitText[K []byte | string](t *Table) unsafe.Pointer {
	b, gate, stats, turn := &t.acc.short, &t.gate, &t.acc.stats, t.acc.turn
	emit := func(key K, v uint64) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		n := len(key)
		stats.Records++
		stats.Bytes += int64(n)
		p := *(*unsafe.Pointer)(unsafe.Pointer(&key)) // the headers of slices and strings begin alike
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
	return unsafe.Pointer(&emit)
}
