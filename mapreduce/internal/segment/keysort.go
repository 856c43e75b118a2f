package segment

import (
	"encoding/binary"
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Entry is the place of a key that is sorted, with a number by which its owner finds what goes with
// it.
type Entry = entry

// EntrySize is the bytes of an Entry.
const EntrySize = entrySize

// Set makes e the entry of a key whose first 8 bytes, zero padded, are prefix. Its n bytes begin at
// byte at of a region; one of KeyRoom(n) > n bytes was put there by AppendKey.
func (e *entry) Set(prefix uint64, region int, at uint32, n int, number uint32) {
	// Field by field: a whole entry is built elsewhere and copied, which waits for what was just
	// written.
	e.prefix, e.key, e.value, e.vlen = prefix, at, number, 0
	e.klen, e.region = uint16(min(n, longKey)), uint16(region)
}

// Number returns the number given to Set.
func (e *entry) Number() uint32 { return e.value }

// Region returns the region given to Set.
func (e *entry) Region() int { return int(e.region) }

// KeyRoom returns the bytes that AppendKey takes for a key of n.
func KeyRoom(n int) int {
	if n >= bundleKey {
		return longKeySize + n
	}
	return n
}

// AppendKey appends a key to a region, its length before it if an entry has no room for that, and
// returns where it begins.
func AppendKey(region, key []byte) (_ []byte, at uint32) {
	if len(key) >= bundleKey {
		region = binary.LittleEndian.AppendUint32(region, uint32(len(key)))
	}
	return append(region, key...), uint32(len(region))
}

// Sorting is what Sort needs to know of a list of entries.
type Sorting struct {
	N         int      // of entries
	Low, High uint64   // the least and the largest prefix, if there are entries
	Regions   [][]byte // by number; those of entries that their prefixes tell from all others may be missing
	Pool      *memory.Pool
}

// Reader reads a list of entries once, from its beginning: by one of its methods, which fill dst
// with what comes next and return how much that was, less than dst holds only at the end.
type Reader interface {
	Prefixes(dst []uint64) int
	Entries(dst []Entry) int
}

// readAtOnce is how many entries are read by one call.
const readAtOnce = 128

// Bounds notes the least and the largest prefix of what a reader has.
func (x *Sorting) Bounds(r Reader) {
	prefixes := make([]uint64, readAtOnce)
	x.Low, x.High = ^uint64(0), 0
	for n := r.Prefixes(prefixes); n > 0; n = r.Prefixes(prefixes) {
		for _, prefix := range prefixes[:n] {
			x.Low, x.High = min(x.Low, prefix), max(x.High, prefix)
		}
	}
}

// Sort sorts entries by their keys into the slab, which must have room for them. Equal keys keep
// their order. read begins to read the list.
//
// The first pass scatters straight from the list by the highest bits in which
// prefixes differ, so no other copy of the entries is ever made; the buckets are
// then sorted in the cache.
func (x *Sorting) Sort(read func() Reader, slab memory.Slab) []Entry {
	dst := memory.Cast[entry](slab.Bytes)[:x.N]
	s := sorter{regions: x.Regions, pool: x.Pool}
	defer s.close()
	if x.N < 2*smallSort {
		read().Entries(dst)
		s.sort(dst, 0)
		return dst
	}
	k := min(bits.Len(uint(x.N))-5, firstBits)
	ends := make([]uint32, 1<<k)
	x.scatter(read, dst, ends, uint(max(0, bits.Len64(x.High-x.Low)-k)))
	start := uint32(0)
	for _, end := range ends {
		if end-start > 1 {
			s.sort(dst[start:end], 0)
		}
		start = end
	}
	return dst
}

// scatter moves every entry to its bucket, that of its distance from the least prefix without its
// shift lowest bits, and leaves the bucket ends in ends.
func (x *Sorting) scatter(read func() Reader, dst []entry, ends []uint32, shift uint) {
	low, prefixes, some := x.Low, make([]uint64, readAtOnce), make([]entry, readAtOnce)
	r := read()
	for n := r.Prefixes(prefixes); n > 0; n = r.Prefixes(prefixes) {
		for _, prefix := range prefixes[:n] {
			ends[(prefix-low)>>(shift&63)]++
		}
	}
	StartsOf(ends)
	r = read()
	for n := r.Entries(some); n > 0; n = r.Entries(some) {
		for i := range some[:n] {
			at := &ends[(some[i].prefix-low)>>(shift&63)]
			dst[*at] = some[i]
			*at++
		}
	}
}

// StartsOf turns how many entries each bucket has into where it begins.
func StartsOf(counts []uint32) {
	sum := uint32(0)
	for i, n := range counts {
		counts[i] = sum
		sum += n
	}
}
