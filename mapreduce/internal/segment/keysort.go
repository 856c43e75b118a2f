package segment

import (
	"encoding/binary"
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Entry is a key to sort, with a number by which the caller finds the key's record.
type Entry = entry

// EntrySize is the size of an Entry in bytes.
const EntrySize = entrySize

// Set sets e to a key of n bytes at offset `at` of a region, put there by AppendKey. prefix is the
// key's first 8 bytes, zero-padded. If KeyRoom(n) > n, the key's length precedes it.
func (e *entry) Set(prefix uint64, region int, at uint32, n int, number uint32) {
	// Field by field: a whole entry would be built elsewhere and copied, which stalls on the bytes
	// just written.
	e.prefix, e.key, e.value, e.vlen = prefix, at, number, 0
	e.klen, e.region = uint16(min(n, longKey)), uint16(region)
}

// Number returns the number given to Set.
func (e *entry) Number() uint32 { return e.value }

// Region returns the region given to Set.
func (e *entry) Region() int { return int(e.region) }

// KeyRoom returns the number of bytes that AppendKey appends for a key of n bytes.
func KeyRoom(n int) int {
	if n >= bundleKey {
		return longKeySize + n
	}
	return n
}

// AppendKey appends a key to a region, after its length if an entry cannot hold that, and returns
// the key's offset.
func AppendKey(region, key []byte) (_ []byte, at uint32) {
	if len(key) >= bundleKey {
		region = binary.LittleEndian.AppendUint32(region, uint32(len(key)))
	}
	return append(region, key...), uint32(len(region))
}

// Sorting sorts a list of entries by their keys.
type Sorting struct {
	N         int      // number of entries
	Low, High uint64   // smallest and largest prefix, if there are entries
	Regions   [][]byte // indexed by Entry.Region; may lack those whose prefixes are unique
	Pool      *memory.Pool
}

// Reader gives Sort a list of entries, from its beginning, by one of its methods. Both set dst to
// the next items and return how many; fewer than len(dst) only at the end.
type Reader interface {
	Prefixes(dst []uint64) int
	Entries(dst []Entry) int
}

// readAtOnce is the number of entries read per call.
const readAtOnce = 128

// Bounds sets Low and High; it reads all prefixes of r.
func (x *Sorting) Bounds(r Reader) {
	prefixes := make([]uint64, readAtOnce)
	x.Low, x.High = ^uint64(0), 0
	for n := r.Prefixes(prefixes); n > 0; n = r.Prefixes(prefixes) {
		for _, prefix := range prefixes[:n] {
			x.Low, x.High = min(x.Low, prefix), max(x.High, prefix)
		}
	}
}

// Sort sorts entries by their keys into the slab, which must be large enough. Equal keys stay in
// order. read returns a new Reader of the list.
//
// The first pass scatters directly from the list by the highest bits in which prefixes differ, so
// the entries are never copied elsewhere; then the buckets are sorted in the cache.
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

// scatter distributes the entries to buckets by (prefix - Low) >> shift, in the order of buckets in
// dst. It sets ends to the end of each bucket.
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

// StartsOf replaces each bucket's size by the index of its first item, the total of those before.
func StartsOf(counts []uint32) {
	sum := uint32(0)
	for i, n := range counts {
		counts[i] = sum
		sum += n
	}
}
