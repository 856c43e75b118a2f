package combine

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

const (
	firstBits = 14 // buckets of the first scatter, as a power of two
	digitBits = 8  // of every later one
	smallSort = 24 // up to here insertion is faster than counting
)

// sorting sorts cells by key. Its cells are turned: k0 and k1 are big-endian, so
// that comparing them as numbers compares keys. Keys are distinct, so the order
// of equal ones does not matter.
type sorting[V any] struct {
	arena []byte
	tmp   []cell[V]
}

// sortCells copies the occupied cells of blocks, n of them, to dst in the order
// of their keys, turned. tmp is scratch of n cells and may be the memory of the
// only block, which is destroyed then.
func sortCells[V any](blocks [][]cell[V], dst, tmp []cell[V], arena []byte) {
	k := max(1, min(bits.Len(uint(len(dst)))-3, firstBits))
	low, high := ^uint64(0), uint64(0)
	for _, b := range blocks {
		for i := range b {
			if b[i].mark != 0 {
				p := bits.ReverseBytes64(b[i].k0)
				low, high = min(low, p), max(high, p)
			}
		}
	}
	if low > high {
		return
	}
	shift := uint(max(0, bits.Len64(high-low)-k))
	ends := make([]uint32, 1<<k)
	scatterCells(blocks, dst, ends, low, shift)
	s := sorting[V]{arena: arena, tmp: tmp}
	start := uint32(0)
	for _, end := range ends {
		if end-start > 1 {
			s.sort(dst[start:end])
		}
		start = end
	}
}

func scatterCells[V any](blocks [][]cell[V], dst []cell[V], ends []uint32, low uint64, shift uint) {
	for _, b := range blocks {
		for i := range b {
			if b[i].mark != 0 {
				ends[(bits.ReverseBytes64(b[i].k0)-low)>>(shift&63)]++
			}
		}
	}
	sum := uint32(0)
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	for _, b := range blocks {
		for i := range b {
			if b[i].mark == 0 {
				continue
			}
			x := b[i]
			x.k0, x.k1 = bits.ReverseBytes64(x.k0), bits.ReverseBytes64(x.k1)
			at := &ends[(x.k0-low)>>(shift&63)]
			dst[*at] = x
			*at++
		}
	}
}

func (s *sorting[V]) sort(a []cell[V]) {
	if len(a) <= smallSort {
		s.insertion(a)
		return
	}
	low, high := a[0].k0, a[0].k0
	for i := range a {
		low, high = min(low, a[i].k0), max(high, a[i].k0)
	}
	if low == high {
		s.byPlaces(a)
		return
	}
	shift := uint(max(0, bits.Len64(high-low)-digitBits))
	var ends [1 << digitBits]uint32
	for i := range a {
		ends[uint8((a[i].k0-low)>>(shift&63))]++
	}
	sum := uint32(0)
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	tmp := s.tmp[:len(a)]
	for i := range a {
		at := &ends[uint8((a[i].k0-low)>>(shift&63))]
		tmp[*at] = a[i]
		*at++
	}
	copy(a, tmp)
	start := uint32(0)
	for _, end := range ends {
		if end-start > 1 {
			s.sort(a[start:end])
		}
		start = end
	}
}

// byPlaces sorts the places of cells whose first bytes are equal, then the cells: a sort of cells would be made once
// for each type of values, and these are 11 KB each.
func (s *sorting[V]) byPlaces(a []cell[V]) {
	places := make([]int32, len(a))
	for i := range places {
		places[i] = int32(i) //nolint:gosec // a table has fewer cells
	}
	slices.SortFunc(places, func(x, y int32) int { return s.compare(&a[x], &a[y]) })
	tmp := s.tmp[:len(a)]
	for i, at := range places {
		tmp[i] = a[at]
	}
	copy(a, tmp)
}

func (s *sorting[V]) insertion(a []cell[V]) {
	for i := 1; i < len(a); i++ {
		x := a[i]
		j := i
		for j > 0 && s.compare(&x, &a[j-1]) < 0 {
			a[j] = a[j-1]
			j--
		}
		a[j] = x
	}
}

// compare compares the keys of turned cells.
func (s *sorting[V]) compare(x, y *cell[V]) int {
	if x.k0 != y.k0 {
		return cmp.Compare(x.k0, y.k0)
	}
	if x.k1 != y.k1 {
		return cmp.Compare(x.k1, y.k1)
	}
	if x.mark <= inlineKey+1 || y.mark <= inlineKey+1 {
		return cmp.Compare(x.mark, y.mark) // equal up to zero padding
	}
	return bytes.Compare(s.arena[x.off:x.off+x.mark-1], s.arena[y.off:y.off+y.mark-1])
}

// turnedKey returns the key of a turned cell; a short one is written to buf.
func turnedKey[V any](x *cell[V], arena []byte, buf *[inlineKey]byte) []byte {
	if x.mark > inlineKey+1 {
		return arena[x.off : x.off+x.mark-1 : x.off+x.mark-1]
	}
	binary.BigEndian.PutUint64(buf[:], x.k0)
	binary.BigEndian.PutUint64(buf[8:], x.k1)
	return buf[:x.mark-1]
}
