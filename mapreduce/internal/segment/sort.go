package segment

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

const (
	firstBits = 14 // bits of the first scatter
	digitBits = 8  // bits of later scatters
	smallSort = 24 // maximum length for which insertion sort is faster
)

// sorter sorts entries by key, stably: a radix sort on the 8-byte prefix from the high end, then
// the same on the next 8 bytes of keys that are still equal. Afterwards the prefixes of entries
// whose keys share the first 8 bytes come from later bytes.
type sorter struct {
	regions regions
	pool    *memory.Pool
	slab    memory.Slab
	touched byte
}

func (s *sorter) close() { s.pool.Put(s.slab) }

func (s *sorter) spare(n int) []entry {
	if n*entrySize > len(s.slab.Bytes) {
		s.pool.Put(s.slab)
		s.slab = s.pool.Get(n * entrySize)
	}
	return memory.Cast[entry](s.slab.Bytes)[:n]
}

// sort sorts entries whose keys share the first depth bytes and whose prefixes are the 8 bytes
// after them.
func (s *sorter) sort(a []entry, depth int) {
	for len(a) > smallSort {
		low, high := bounds(a)
		if low == high {
			if a = s.deepen(a, depth+8); len(a) == 0 {
				return
			}
			depth += 8
			continue
		}
		s.scatter(a, depth, low, uint(max(0, bits.Len64(high-low)-digitBits)))
		return
	}
	if len(a) > 2 && a[0].prefix == a[1].prefix {
		s.touched += s.regions.touchKeys(a, depth+8) // the comparisons will need them
	}
	s.insertion(a, depth)
}

func bounds(a []entry) (low, high uint64) {
	low, high = a[0].prefix, a[0].prefix
	for i := range a {
		low, high = min(low, a[i].prefix), max(high, a[i].prefix)
	}
	return low, high
}

func (s *sorter) scatter(a []entry, depth int, low uint64, shift uint) {
	var ends [1 << digitBits]uint32
	for i := range a {
		ends[uint8((a[i].prefix-low)>>(shift&63))]++
	}
	StartsOf(ends[:])
	tmp := s.spare(len(a))
	for i := range a {
		at := &ends[uint8((a[i].prefix-low)>>(shift&63))]
		tmp[*at] = a[i]
		*at++
	}
	copy(a, tmp)
	start := uint32(0)
	for _, end := range ends {
		if end-start > 1 {
			s.sort(a[start:end], depth)
		}
		start = end
	}
}

// deepen returns the entries with keys longer than depth, with prefixes from there on. It moves
// those with shorter keys to the front of a, shorter ones first.
func (s *sorter) deepen(a []entry, depth int) []entry {
	long := 0
	tmp := s.spare(len(a))
	ended := 0
	for i := range a {
		if i%touchAhead == 0 {
			s.touched += s.regions.touchKeys(a[i:min(i+touchAhead, len(a))], depth)
		}
		if k := s.regions.key(&a[i]); len(k) > depth {
			tmp[long] = a[i]
			tmp[long].prefix = prefixOf(k[depth:])
			long++
		} else {
			a[ended] = a[i]
			ended++
		}
	}
	copy(a[ended:], tmp[:long])
	// These keys are equal up to zero padding, so their lengths decide.
	byLen := func(a, b entry) int { return cmp.Compare(s.regions.keyLen(&a), s.regions.keyLen(&b)) }
	if short := a[:ended]; !slices.IsSortedFunc(short, byLen) {
		slices.SortStableFunc(short, byLen)
	}
	return a[ended:]
}

func (s *sorter) insertion(a []entry, depth int) {
	for i := 1; i < len(a); i++ {
		e := a[i]
		j := i
		for j > 0 && (e.prefix < a[j-1].prefix || e.prefix == a[j-1].prefix && s.tailLess(&e, &a[j-1], depth)) {
			a[j] = a[j-1]
			j--
		}
		a[j] = e
	}
}

// tailLess reports whether key a is less than b; their first depth+8 bytes are equal.
func (s *sorter) tailLess(a, b *entry, depth int) bool {
	la, lb := s.regions.keyLen(a), s.regions.keyLen(b)
	if la <= depth+8 || lb <= depth+8 {
		return la < lb
	}
	return bytes.Compare(s.regions.key(a)[depth+8:], s.regions.key(b)[depth+8:]) < 0
}
