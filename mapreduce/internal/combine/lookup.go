package combine

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Lookup maps each key to the list of its values, in the order in which they were added. The zero
// value is empty. One goroutine fills it; then any number may read it.
//
// A key of at most 16 bytes is in its cell, and so is the value of a key that has only one. Finding
// it takes one cache miss; a Go map from strings to slices takes four.
type Lookup[V any] struct {
	cells []lookupCell[V]
	shift uint
	n     int    // keys
	long  []byte // keys of more than 16 bytes
	lists [][]V  // of keys with several values
}

// lookupCell is a key with its values, and free while mark is 0. k0 and k1 are a key of at most 16
// bytes; of a longer key, k0 is the hash and k1 the offset in Lookup.long.
type lookupCell[V any] struct {
	k0, k1 uint64
	mark   uint32 // length of the key + 1
	list   uint32 // index of the values in lists + 1; 0: one value
	value  [1]V
}

// minLookup is the number of cells that a Lookup has for its first key.
const minLookup = 1 << 6

// values returns the values of the key in cell c; nil if the cell is free.
func (l *Lookup[V]) values(c *lookupCell[V]) []V {
	switch {
	case c.mark == 0:
		return nil
	case c.list == 0:
		return c.value[:]
	default:
		return slices.Clip(l.lists[c.list-1])
	}
}

// Add appends v to the list of key, which it copies if it is new.
func (l *Lookup[V]) Add(key []byte, v V) {
	if 2*l.n >= len(l.cells) {
		l.grow()
	}
	k0, k1 := l.words(key)
	c := l.at(key, k0, k1, lookupHash(k0, k1, uint64(len(key))+1))
	switch {
	case c.mark == 0:
		if len(key) > inlineKey {
			k1 = uint64(len(l.long))
			l.long = append(l.long, key...)
		}
		*c = lookupCell[V]{k0: k0, k1: k1, mark: uint32(len(key)) + 1, value: [1]V{v}} //nolint:gosec // a key fits into memory
		l.n++
	case c.list == 0:
		l.lists = append(l.lists, []V{c.value[0], v})
		c.list = uint32(len(l.lists)) //nolint:gosec // more lists do not fit into memory
	default:
		l.lists[c.list-1] = append(l.lists[c.list-1], v)
	}
}

// words returns k0 and k1 of a key's cell. For a key over 16 bytes k1 is 0; Add sets it.
func (l *Lookup[V]) words(key []byte) (k0, k1 uint64) {
	if len(key) > inlineKey {
		return xxhash.Sum64(key), 0
	}
	return inlineWords(key)
}

// at returns the cell of a key, or the free cell where it must be inserted. words gives k0 and k1,
// and lookupHash the hash.
func (l *Lookup[V]) at(key []byte, k0, k1, hash uint64) *lookupCell[V] {
	mask := uint64(len(l.cells) - 1)
	mark := uint64(len(key)) + 1
	for at := hash >> (l.shift & 63); ; at++ {
		c := &l.cells[at&mask]
		switch {
		case c.mark == 0:
			return c
		case c.k0 != k0 || uint64(c.mark) != mark:
		case c.k1 == k1 && mark <= inlineKey+1:
			return c
		case mark > inlineKey+1 && bytes.Equal(l.long[c.k1:][:len(key)], key):
			return c
		}
	}
}

// lookupHash returns the hash of a key with mark-1 bytes; its high bits choose the first cell.
func lookupHash(k0, k1, mark uint64) uint64 {
	if mark > inlineKey+1 {
		return k0
	}
	return mix(k0, k1, mark)
}

func (l *Lookup[V]) grow() {
	old := l.cells
	l.cells = make([]lookupCell[V], max(2*len(old), minLookup))
	memory.Huge(l.cells)
	mask := uint64(len(l.cells) - 1)
	l.shift = 64 - uint(bits.TrailingZeros(uint(len(l.cells))))
	for i := range old {
		if old[i].mark == 0 {
			continue
		}
		at := lookupHash(old[i].k0, old[i].k1, uint64(old[i].mark)) >> l.shift
		for l.cells[at&mask].mark != 0 {
			at++
		}
		l.cells[at&mask] = old[i]
	}
}
