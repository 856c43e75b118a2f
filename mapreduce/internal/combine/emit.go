package combine

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// The user's program compiles a generic function in its own package, once per job, and inlines none
// of our small functions there. So the functions of this file access fields directly, and make at
// most one call per pair.

// Emit returns the function with which a map emits pairs into t. put is a Put method of t, or calls
// one.
//
//go:noinline
func Emit[K, V any](t *Table, put func(key memory.Pointer)) func(K, V) {
	values, n, gate, key := (*[batchSize]V)(t.waitingValues(unsafe.Sizeof(*new(V)))), &t.acc.short.n, &t.gate, new(K)
	at := memory.Raw(unsafe.Pointer(key))
	return func(k K, v V) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		values[uint(*n)%batchSize] = v
		*key = k
		put(at)
	}
}

// EmitNumbers is Emit for integer keys of Options.Width bytes, 4 or 8. It xors keys with flip,
// which makes signed keys sort as unsigned ones. It inlines the common path: a call costs 2 ns per
// pair.
//
//go:noinline
func EmitNumbers[K, V any](t *Table, flip uint64, combine func(a, b V) V) func(K, V) {
	values, n, gate := (*[batchSize]V)(t.waitingValues(unsafe.Sizeof(*new(V)))), &t.acc.short.n, &t.gate
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
			at := (*V)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.values)), uintptr(i)*unsafe.Sizeof(v)))
			*at = combine(*at, v)
			return
		}
		values[uint(*n)%batchSize] = v
		t.acc.putNumber(x)
	}
}

// waitingValues returns the array of the values that wait, which Emit casts to an array of values
// of size bytes. It panics if the table has values of another size: an error of the program.
func (t *Table) waitingValues(size uintptr) unsafe.Pointer {
	if size != t.acc.form.size {
		panic(fmt.Sprintf("combine: emitting values of %d bytes into a table of %s", size, t.acc.form.Type))
	}
	return t.acc.values.Raw()
}

// Ready returns an emit function of type emit, a func(K, V), that all jobs share, so that a job
// need not compile its own. It returns nil unless values are added and keys need no encoding.
func (t *Table) Ready(emit reflect.Type) any {
	if !t.acc.form.sum {
		return nil
	}
	switch emit.In(0) {
	case reflect.TypeFor[[]byte]():
		return emitText[[]byte](t, emit)
	case reflect.TypeFor[string]():
		return emitText[string](t, emit)
	default:
		return nil
	}
}

// ReadySums is like Ready, for integer keys (EmitNumbers) and values that are added. It returns nil
// unless values are numbers of 8 bytes. It saves PageRank 1/14 of its time.
func (t *Table) ReadySums(emit reflect.Type, flip uint64) any {
	wide, value := t.acc.opt.Width == 8, emit.In(1)
	switch float := value.Kind() == reflect.Float64; {
	case !float && !CanSum(value):
		return nil
	case float && wide:
		return emitSums[uint64, float64](t, emit, flip)
	case float:
		return emitSums[uint32, float64](t, emit, flip)
	case wide:
		return emitSums[uint64, uint64](t, emit, flip)
	default:
		return emitSums[uint32, uint64](t, emit, flip)
	}
}

// retyped returns the function at f as one of type emit. Keys and values may have other types there
// if these are passed alike: Go passes all integers of one size the same way.
func retyped(f memory.Pointer, emit reflect.Type) any { return f.Value(emit).Interface() }

// emitSums returns an emit function like that of EmitNumbers, but it adds values.
//
//go:noinline
func emitSums[K uint32 | uint64, V uint64 | float64](t *Table, as reflect.Type, flip uint64) any {
	emit := func(k K, v V) {
		if atomic.LoadUint32(&t.gate.Now.Asked) != 0 {
			t.gate.Sign()
		}
		t.acc.stats.Records++
		d, x := &t.acc.dense, uint64(k)^flip
		i := x - d.base
		if w := i / 64; w < uint64(len(d.occupied)) {
			d.occupied[w] |= 1 << (i % 64)
			*memory.To[V](memory.First(d.values).Index(int(i), 8)) += v
			return
		}
		*(*V)(t.acc.next().Raw()) = v
		t.acc.putNumber(x)
	}
	return retyped(memory.Of(&emit), as)
}

// emitText returns an emit function for sums under byte or string keys. It inlines the
// common path: with calls a WordCount takes a fifth longer. The compiler must not inline emitText
// into Ready, because it would then inline nothing in it.
//
//go:noinline
func emitText[K []byte | string](t *Table, as reflect.Type) any {
	b, gate, stats, endGroup := &t.acc.short, &t.gate, &t.acc.stats, t.acc.endGroup
	emit := func(key K, v uint64) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		n := len(key)
		stats.Records++
		stats.Bytes += int64(n)
		_, p := memory.Raw(unsafe.Pointer(&key)).List()
		if uint(n-1) >= inlineKey || !p.InPage(inlineKey) {
			*memory.To[uint64](t.acc.next()) = v
			t.acc.put(p.Memory(uintptr(n)))
			return
		}
		keep := &masks[n&31]
		w := &b.keys[b.n&(batchSize-1)]
		w.k0, w.k1 = p.Load(0)&keep[0], p.Load(8)&keep[1]
		w.mark, w.word = uint32(n)+1, v
		w.hash = mix(w.k0, w.k1, uint64(w.mark))
		if b.n++; b.n%groupSize == 0 {
			endGroup()
		}
	}
	return retyped(memory.Of(&emit), as)
}
