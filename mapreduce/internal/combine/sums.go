package combine

import (
	"math"
	"math/bits"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// noSum is what places of a row of sums hold that are not taken: the bits of -0.
const noSum = 1 << 63

// floats are the values of a row of sums.
func (d *numbers[V]) floats() []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(d.values))), len(d.values))
}

// addTo adds v to the sum at place i.
func (d *numbers[V]) addTo(i uint64, v *V) {
	x := *(*float64)(unsafe.Pointer(v))
	if math.Float64bits(x) == noSum {
		d.there[i/64] |= 1 << (i % 64)
	}
	*(*float64)(unsafe.Pointer(&d.values[i])) += x
}

// settle finds out which places of a row of sums are taken.
func (d *numbers[V]) settle() {
	if !d.sums {
		return
	}
	sums := d.floats()
	d.n = 0
	for w := range d.there {
		d.there[w] |= taken((*[64]uint64)(unsafe.Pointer(&sums[w*64 : w*64+64][0])))
		d.n += bits.OnesCount64(d.there[w])
	}
}

// plainTaken are the places of 64 sums that hold another number than noSum. It has no branches, and two
// rows of bits that grow side by side.
func plainTaken(sums *[64]uint64) uint64 {
	var low, high uint64
	for i := range 32 {
		x, y := sums[i]^noSum, sums[32+i]^noSum
		low = low>>1 | (x|-x)&(1<<63)
		high = high>>1 | (y|-y)&(1<<63)
	}
	return low>>32 | high
}

// clearSums empties all places of a row of sums.
func (d *numbers[V]) clearSums() {
	sums := d.floats()
	if len(sums) == 0 {
		return
	}
	sums[0] = math.Copysign(0, -1)
	for n := 1; n < len(sums); n *= 2 {
		copy(sums[n:], sums[:n])
	}
}

// floatEmitter adds to a row of sums.
//
//go:noinline
func floatEmitter[N uint32 | uint64](t places[float64], flip N) func(N, float64) {
	d, gate, records, other := t.d, t.gate, t.records, t.other
	return func(k N, v float64) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		*records++
		x := k ^ flip
		i := uint64(x) - d.base
		if i >= uint64(len(d.values)) || math.Float64bits(v) == noSum {
			other(uint64(x), v)
			return
		}
		d.values[i] += v
	}
}

// NumbersEmitter returns what emits a value under each of several keys; see [NumberEmitter], whose emit
// for one it is given.
func NumbersEmitter[K, V any](t *Table[V], flip uint64, one func(K, V)) func([]K, V) {
	if reflect.TypeFor[V]().Kind() != reflect.Float64 || t.adds != addFloats {
		return func(keys []K, v V) {
			t.gate.Sign()
			for _, k := range keys {
				one(k, v)
			}
		}
	}
	if t.d.width == 4 {
		return asAll[K, V](floatsEmitter(placesOf[float64](t), uint32(flip)))
	}
	return asAll[K, V](floatsEmitter(placesOf[float64](t), flip))
}

// asAll is as for functions of many keys.
func asAll[K, V, N, W any](f func([]N, W)) func([]K, V) {
	return *(*func([]K, V))(unsafe.Pointer(&f))
}

// floatsEmitter is floatEmitter for many keys, which takes a loop with nothing in it but the addition.
//
//go:noinline
func floatsEmitter[N uint32 | uint64](t places[float64], flip N) func([]N, float64) {
	d, gate, records, other := t.d, t.gate, t.records, t.other
	return func(keys []N, v float64) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		*records += int64(len(keys))
		for len(keys) > 0 {
			n := 0
			if math.Float64bits(v) != noSum {
				n = addAll(d.values, keys, v, flip, N(d.base))
			}
			if keys = keys[n:]; len(keys) > 0 {
				other(uint64(keys[0]^flip), v)
				keys = keys[1:]
			}
		}
	}
}

// addAll adds v to the sum of each key in turn, and returns how many there were before the first that
// has no place.
func addAll[N uint32 | uint64](sums []float64, keys []N, v float64, flip, base N) int {
	for j, k := range keys {
		i := uint64((k ^ flip) - base)
		if i >= uint64(len(sums)) {
			return j
		}
		sums[i] += v
	}
	return len(keys)
}

// addUp is fill for rows of sums, in which what is not taken adds nothing.
func (m *rowMerge[V]) addUp(keys []uint64, values []V) {
	sums := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	first := true
	for _, r := range m.rows {
		w := m.at - r.base/64
		if w >= uint64(len(r.there)) {
			continue
		}
		list := (*[64]float64)(unsafe.Pointer(&r.values[w*64 : w*64+64][0]))
		if first {
			for i, x := range keys {
				sums[i] = list[x%64]
			}
		} else {
			for i, x := range keys {
				sums[i] += list[x%64]
			}
		}
		first = false
	}
}
