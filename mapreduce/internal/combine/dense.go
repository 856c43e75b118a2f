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
// array's range. When there are enough of them, gather moves them into a longer array.
type denseValues struct {
	places
	values  []byte // as an array
	slab    memory.Slab
	charged int64
	lookAt  int // call gather when the hash table has this many keys
}

// places records which integer keys a dense array contains: place i is the key base + i.
type places struct {
	width    int      // bytes of an encoded key; 0: keys are not integers
	base     uint64   // the key of the first place
	occupied []uint64 // bitmap of the occupied places; if there are any, some are occupied
}

const (
	// leastGathered is the minimum number of keys for which an existing array becomes longer.
	leastGathered = 64
	// sparse is the maximum number of places per key: a place takes about an eighth of the memory
	// of a key in the hash table.
	sparse = 16
	// maxRange is the maximum range of keys: places are numbered with 31 bits.
	maxRange = 1 << 30
)

// foldAt combines the value at v into the array's value for key base + i, or stores it if new.
func (a *accumulator) foldAt(i uint64, v memory.Pointer) {
	word, bit := &a.dense.occupied[i/64], uint64(1)<<(i%64)
	at := a.form.place(memory.First(a.dense.values), int(i))
	if *word&bit != 0 {
		a.form.fold(at, v)
		return
	}
	*word |= bit
	copy(a.form.bytes(at), a.form.bytes(v))
}

// putNumber folds the pair of key x and the value at next, into the array or the hash table.
func (a *accumulator) putNumber(x uint64) {
	d := &a.dense
	if d.covers(x) {
		a.foldAt(x-d.base, a.next())
		return
	}
	var key [8]byte
	a.put(d.keyOf(x, &key))
	if a.hash.n > d.lookAt && !a.gather(nil) {
		a.presize()
	}
}

// gather folds the waiting pairs and moves all integer keys of the hash table into the array, which
// then covers the keys of more, too, if it is not nil. It returns false if it does not, because the
// current or expected number of keys is less than 1/16 of the places, or the budget refuses.
func (a *accumulator) gather(more *denseSegment) bool {
	a.flush()
	d, h := &a.dense, &a.hash
	d.lookAt = 2 * h.n
	if a.err != nil || more == nil && (d.width == 0 || h.n == 0) {
		return a.err == nil
	}
	low, high, n := ^uint64(0), uint64(0), a.len()
	if more != nil {
		low, high = more.ends()
		n += more.count()
	}
	n = max(n, a.opt.Distinct, a.opt.Expected)
	for i := range h.size {
		x := h.cell(uint64(i))
		if x.mark == 0 {
			continue
		}
		low, high = min(low, number(x.in(nil))), max(high, number(x.in(nil)))
		if tooWide(low, high, n) {
			return false // most often after a few cells
		}
	}
	if !a.extend(low, high, n) {
		return false
	}
	for i := range h.size {
		if x := h.cell(uint64(i)); x.mark != 0 {
			a.foldAt(number(x.in(nil))-d.base, memory.Of(&x.word))
		}
	}
	h.clear()
	d.lookAt = max(leastGathered, d.count()/4)
	return true
}

// tooWide reports whether n keys are too few for an array from low to high, or it would be too
// long.
func tooWide(low, high uint64, n int) bool {
	return (high-low)/sparse >= uint64(n) || high-low > maxRange
}

// extend makes the array cover the keys from low to high and its own ones. It returns false if n
// keys fill less than 1/16 of it, or if the budget refuses. It rounds both ends, so that there is
// room for more keys.
func (a *accumulator) extend(low, high uint64, n int) bool {
	d := &a.dense
	if d.occupied != nil {
		first, last := d.ends()
		low, high = min(low, first), max(high, last)
	}
	if tooWide(low, high, n) {
		return false
	}
	step := uint64(64)
	for 16*step <= high-low {
		step *= 2
	}
	low &^= step - 1
	return a.move(low, int((high|(step-1))-low)+1)
}

// move moves the array's values to a new one of size places from base on, which include the
// occupied ones. base and size are multiples of 64. It returns false if the budget refuses.
func (a *accumulator) move(base uint64, size int) bool {
	d := &a.dense
	need := a.placesBytes(size)
	if !a.opt.Budget.TryAcquire(need) {
		return false
	}
	old := *d
	each := int(a.form.size)
	d.slab = a.opt.Pool.GetZeroed(size*each + size/8)
	d.occupied = memory.Cast[uint64](d.slab.Bytes)[:size/64]
	d.values = d.slab.Bytes[size/8:]
	d.base = base
	a.begin()
	if old.occupied != nil {
		low, high := old.ends()
		from, to := (low-old.base)/64, (high-old.base)/64+1
		copy(d.values[int(old.base+from*64-base)*each:], old.values[int(from*64)*each:int(to*64)*each])
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
		sums := memory.Cast[float64](a.dense.values)
		for i := range sums {
			sums[i] = math.Copysign(0, -1)
		}
	}
}

// placesBytes returns the bytes to charge for an array of size places: the array, and room for a
// packed copy of all places or for the entries to sort them.
func (a *accumulator) placesBytes(size int) int64 {
	each := int(a.form.size)
	array := memory.SlabSize(size*each + size/8)
	return int64(array + size*max(1+a.dense.width+max(each, binary.MaxVarintLen64), segment.EntrySize))
}

// dropDense frees the array, and removes its keys.
func (a *accumulator) dropDense() {
	a.opt.Pool.Put(a.dense.slab)
	a.opt.Budget.Release(a.dense.charged)
	a.dense = denseValues{places: places{width: a.dense.width}}
}

// covers reports whether key x has a place, occupied or not.
func (p *places) covers(x uint64) bool { return (x-p.base)/64 < uint64(len(p.occupied)) }

// ends returns the lowest and the highest key.
func (p *places) ends() (low, high uint64) {
	i := 0
	for p.occupied[i] == 0 {
		i++
	}
	j := len(p.occupied) - 1
	for p.occupied[j] == 0 {
		j--
	}
	return p.base + uint64(i*64+bits.TrailingZeros64(p.occupied[i])), p.base + uint64(j*64+63-bits.LeadingZeros64(p.occupied[j]))
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

// count returns the number of occupied places.
func (p *places) count() (n int) {
	for _, word := range p.occupied {
		n += bits.OnesCount64(word)
	}
	return n
}

// keyOf returns key x encoded in p.width bytes, in buf.
func (p *places) keyOf(x uint64, buf *[8]byte) []byte {
	binary.BigEndian.PutUint64(buf[:], x<<(64-8*p.width))
	return buf[:p.width]
}

// number returns the integer that a key, up to 8 bytes in big-endian order, encodes.
func number(key []byte) uint64 {
	x := uint64(0)
	for _, c := range key {
		x = x<<8 | uint64(c)
	}
	return x
}
