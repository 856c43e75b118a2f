package run

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
)

// keyRanges are the ranges of a total order: reduce p receives the keys that are below bounds[p]
// and in no earlier range, the last reduce the rest.
//
// A table over the high bits of prefixes finds the reduce of nearly all keys at once, without an
// unpredictable branch: 5 ns instead of 22 with 15 random bounds.
type keyRanges struct {
	prefixes []uint64 // first 8 bytes of the bounds, big-endian, zero padded
	bounds   [][]byte
	low      uint64 // the first bound's prefix, index 0 of the table
	shift    uint   // table index = (prefix - low) >> shift
	// starts has, per table index, the first bound whose prefix has that index or a later one, and
	// len(bounds) at the end.
	starts []uint32
}

// rangePlaces is the maximum number of entries in starts: 16 KiB stay in the first-level cache.
const rangePlaces = 1 << 12

func newKeyRanges(bounds [][]byte) *keyRanges {
	r := &keyRanges{bounds: bounds}
	for _, b := range bounds {
		r.prefixes = append(r.prefixes, prefixOf(b))
	}
	if len(bounds) == 0 {
		return r
	}
	r.low = r.prefixes[0]
	span := r.prefixes[len(bounds)-1] - r.low
	r.shift = uint(max(0, bits.Len64(span)-bits.Len(rangePlaces-1)))
	p := uint32(0)
	for place := uint64(0); place <= span>>r.shift; place++ {
		for (r.prefixes[p]-r.low)>>r.shift < place {
			p++
		}
		r.starts = append(r.starts, p)
	}
	r.starts = append(r.starts, uint32(len(bounds)))
	return r
}

// find returns the reduce of a key by a binary search among the bounds at the key's table index,
// usually none. It compares whole keys only if prefixes are equal.
func (r *keyRanges) find(key []byte) int {
	prefix := prefixOf(key)
	if prefix < r.low || len(r.bounds) == 0 {
		return 0
	}
	place := (prefix - r.low) >> (r.shift & 63)
	if place >= uint64(len(r.starts)-1) {
		return len(r.bounds)
	}
	low, high := int(r.starts[place]), int(r.starts[place+1])
	for low < high {
		mid := int(uint(low+high) >> 1)
		c := cmp.Compare(prefix, r.prefixes[mid])
		if c == 0 {
			c = bytes.Compare(key, r.bounds[mid])
		}
		if c < 0 {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

func prefixOf(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var x [8]byte
	copy(x[:], b)
	return binary.BigEndian.Uint64(x[:])
}
