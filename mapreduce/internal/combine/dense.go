package combine

import (
	"encoding/binary"
	"math"
	"math/bits"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// denseValues holds the values of integer keys in an array indexed by key. It needs no hash, so an
// emit costs a third of one into the hash table. The hash table holds the keys outside of the
// array's range. When there are enough of them, lookAgain moves them into a longer array.
type denseValues struct {
	places
	values  memory.Pointer
	slab    memory.Slab
	charged int64

	low, high uint64 // range of the keys in the hash table
	lookAt    int    // call lookAgain when the hash table has this many keys
}

// places records which integer keys a dense array contains: place i is the key base + i.
type places struct {
	width    int      // bytes of an encoded key; 0: keys are not integers
	base     uint64   // the key of the first place
	occupied []uint64 // bitmap of the occupied places
}

const (
	firstPlaces = 1 << 10 // length of the first array
	firstLook   = 1 << 10 // number of keys in the hash table at which an array is first considered
	// sparse is the maximum number of places per key: a place takes about an eighth of the memory
	// of a key in the hash table.
	sparse = 16
	// maxPlaces is the maximum length: places are numbered with 32 bits.
	maxPlaces = 1 << 31
)

// foldAt combines the value at v into the array's value for key base + i, or stores it if new.
func (a *accumulator) foldAt(i uint64, v memory.Pointer) {
	word, bit := &a.dense.occupied[i/64], uint64(1)<<(i%64)
	at := a.form.place(a.dense.values, int(i))
	if *word&bit != 0 {
		a.form.fold(at, v)
		return
	}
	*word |= bit
	copy(a.form.bytes(at), a.form.bytes(v))
}

// putNumber folds the pair of key x and the value at next, into the array or the hash table.
func (a *accumulator) putNumber(x uint64) {
	if i := x - a.dense.base; i/64 < uint64(len(a.dense.occupied)) {
		a.foldAt(i, a.next())
		return
	}
	a.putElsewhere(x)
}

// putElsewhere folds key x, outside of the array, and the value at next into the hash table.
func (a *accumulator) putElsewhere(x uint64) {
	d := &a.dense
	if d.occupied == nil && d.lookAt == 0 {
		d.lookAt, d.low = firstLook, ^uint64(0)
		if a.extend(x&^(firstPlaces-1), firstPlaces) {
			a.foldAt(x-d.base, a.next())
			return
		}
	}
	d.low, d.high = min(d.low, x), max(d.high, x)
	var key [8]byte
	a.put(d.keyOf(x, &key))
	if a.hash.n >= d.lookAt {
		a.lookAgain()
	}
}

// lookAgain moves all keys into a longer array if the current or expected number of keys fills 1/16
// of it. Otherwise it sizes the hash table for the expected keys.
func (a *accumulator) lookAgain() {
	a.dense.lookAt = 2 * a.hash.n
	base, n, ok := a.span(max(a.len(), a.opt.Distinct, a.opt.Expected))
	if !ok {
		a.presize()
		return
	}
	a.flush()
	if a.err == nil && a.move(base, n) {
		a.dense.lookAt = max(firstLook, a.dense.count()/4)
	}
}

// gather moves all keys of the hash table into the array. It returns false if it does not, because
// the keys fill less than 1/16 of their range or the budget refuses.
func (a *accumulator) gather() bool {
	if a.hash.n == 0 {
		return true
	}
	base, n, ok := a.span(a.len())
	return ok && a.move(base, n)
}

// span returns the base and length of an array for all keys; false if n keys fill less than 1/16 of
// it. It rounds both ends, so that maps over the same keys mostly get equal arrays, with room for
// more keys.
func (a *accumulator) span(n int) (base uint64, size int, ok bool) {
	d := &a.dense
	low, high := d.low, d.high
	if d.count() > 0 {
		first, last := d.ends()
		low, high = min(low, d.base+first), max(high, d.base+last)
	}
	if (high-low)/sparse >= uint64(n) || high-low > maxPlaces {
		return 0, 0, false
	}
	step := uint64(64)
	for 16*step <= high-low {
		step *= 2
	}
	low &^= step - 1
	return low, int((high|(step-1))-low) + 1, true
}

// move gives the array size places from base on and moves all keys into it, also those of the hash
// table. It returns false if the budget refuses.
func (a *accumulator) move(base uint64, size int) bool {
	d := &a.dense
	if !a.extend(base, size) {
		return false
	}
	for i := range a.hash.size {
		if x := a.hash.cell(uint64(i)); x.mark != 0 {
			a.foldAt(number(x.in(nil))-d.base, memory.Of(&x.word))
		}
	}
	a.hash.clear()
	d.low, d.high = ^uint64(0), 0
	return true
}

// extend gives the array size places from base on and keeps its values; the old places must be
// among them. base and size are multiples of 64. It returns false if the budget refuses.
func (a *accumulator) extend(base uint64, size int) bool {
	d := &a.dense
	need := a.placesBytes(size)
	if !a.opt.Budget.TryAcquire(need) {
		return false
	}
	old := *d
	each := int(a.form.size)
	d.slab = a.opt.Pool.GetZeroed(size*each + size/8)
	d.occupied = memory.Cast[uint64](d.slab.Bytes)[:size/64]
	d.values = memory.First(d.slab.Bytes[size/8:])
	d.base = base
	a.begin()
	if old.count() > 0 {
		first, last := old.ends()
		from, to := first/64, last/64+1
		copy(d.memory()[int(old.base+from*64-base)*each:], old.memory()[int(from*64)*each:int(to*64)*each])
		copy(d.occupied[(old.base+from*64-base)/64:], old.occupied[from:to])
	}
	a.opt.Pool.Outgrown(old.slab)
	a.opt.Budget.Release(old.charged)
	d.charged = need
	return true
}

// begin sets all values of an array of zeros to what a sum begins with, because emitSums adds to a
// place whether or not it has a key: a branch costs PageRank 1/20 of its time. That is -0 for
// floats, since only -0 + x is x for every x.
func (a *accumulator) begin() {
	if a.form.Type.Kind() == reflect.Float64 {
		sums := memory.Cast[float64](a.dense.memory())
		for i := range sums {
			sums[i] = math.Copysign(0, -1)
		}
	}
}

// emptyDense removes all keys from the array; its memory stays allocated.
func (a *accumulator) emptyDense() {
	clear(a.dense.slab.Bytes)
	a.begin()
}

// memory returns the array of the values as bytes.
func (d *denseValues) memory() []byte { return d.slab.Bytes[8*len(d.occupied):] }

// placesBytes returns the bytes to charge for an array of size places: the array, and room for a
// packed copy of all places or for the entries to sort them.
func (a *accumulator) placesBytes(size int) int64 {
	each := int(a.form.size)
	array := memory.SlabSize(size*each + size/8)
	return int64(array + size*max(1+a.dense.width+max(each, binary.MaxVarintLen64), segment.EntrySize))
}

// ends returns the first and the last occupied place; at least one must exist.
func (p *places) ends() (first, last uint64) {
	i := 0
	for p.occupied[i] == 0 {
		i++
	}
	j := len(p.occupied) - 1
	for p.occupied[j] == 0 {
		j--
	}
	return uint64(i*64 + bits.TrailingZeros64(p.occupied[i])), uint64(j*64 + 63 - bits.LeadingZeros64(p.occupied[j]))
}

// number returns the integer that a key, up to 8 bytes in big-endian order, encodes.
func number(key []byte) uint64 {
	x := uint64(0)
	for _, c := range key {
		x = x<<8 | uint64(c)
	}
	return x
}

// keyOf returns key x encoded in p.width bytes, in buf.
func (p *places) keyOf(x uint64, buf *[8]byte) []byte {
	binary.BigEndian.PutUint64(buf[:], x<<(64-8*p.width))
	return buf[:p.width]
}

// next returns the first occupied place from i on; false if there is none.
func (p *places) next(i uint64) (uint64, bool) {
	w := i / 64
	if w >= uint64(len(p.occupied)) {
		return 0, false
	}
	word := p.occupied[w] &^ (1<<(i%64) - 1)
	for word == 0 {
		if w++; w == uint64(len(p.occupied)) {
			return 0, false
		}
		word = p.occupied[w]
	}
	return w*64 + uint64(bits.TrailingZeros64(word)), true
}

// dropDense frees the array, and removes its keys.
func (a *accumulator) dropDense() {
	a.opt.Pool.Put(a.dense.slab)
	a.opt.Budget.Release(a.dense.charged)
	a.dense = denseValues{places: places{width: a.dense.width}}
}

// count returns the number of occupied places.
func (p *places) count() (n int) {
	for _, word := range p.occupied {
		n += bits.OnesCount64(word)
	}
	return n
}
