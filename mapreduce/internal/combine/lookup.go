package combine

import (
	"bytes"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Lookup has the values of keys, those of each in the order in which they came. The zero value has
// none. It is filled by one goroutine and may then be asked by any number.
//
// A key of at most 16 bytes lies in its cell, and so does the only value of a key: to find it takes
// one look at far memory, where Go's map from strings to slices takes four.
type Lookup[V any] struct {
	cells []lookupCell[V]
	shift uint
	n     int    // keys
	long  []byte // keys of more than 16 bytes
	lists [][]V  // of keys with several values
}

// lookupCell is empty while mark is 0. A long key has its hash as k0 and where it lies as k1.
type lookupCell[V any] struct {
	k0, k1 uint64
	mark   uint32 // length and 1
	list   uint32 // index of the values in lists and 1; 0: there is but one
	value  V
}

// leastLookup is how many cells a Lookup with a key has.
const leastLookup = 1 << 6

// Find returns the values of a key, which are not to be changed; nil if there are none.
func (l *Lookup[V]) Find(key []byte) []V {
	if l.n == 0 {
		return nil
	}
	k0, k1 := l.words(key)
	return l.values(l.at(key, k0, k1))
}

// values are those of the key of a cell, which may be empty.
func (l *Lookup[V]) values(c *lookupCell[V]) []V {
	switch {
	case c.mark == 0:
		return nil
	case c.list == 0:
		return unsafe.Slice(&c.value, 1)
	default:
		return slices.Clip(l.lists[c.list-1])
	}
}

// Add adds a value to those of a key, which it copies if it is new.
func (l *Lookup[V]) Add(key []byte, v V) {
	if 2*l.n >= len(l.cells) {
		l.grow()
	}
	k0, k1 := l.words(key)
	c := l.at(key, k0, k1)
	switch {
	case c.mark == 0:
		if len(key) > inlineKey {
			k1 = uint64(len(l.long))
			l.long = append(l.long, key...)
		}
		*c = lookupCell[V]{k0: k0, k1: k1, mark: uint32(len(key)) + 1, value: v} //nolint:gosec // a key fits into memory
		l.n++
	case c.list == 0:
		l.lists = append(l.lists, []V{c.value, v})
		c.list = uint32(len(l.lists)) //nolint:gosec // so many lists do not fit into memory
	default:
		l.lists[c.list-1] = append(l.lists[c.list-1], v)
	}
}

// words are what the cell of a key has of it; k1 of a long one is nothing yet.
func (l *Lookup[V]) words(key []byte) (k0, k1 uint64) {
	if len(key) > inlineKey {
		return xxhash.Sum64(key), 0
	}
	return inlineWords(key)
}

// at returns the cell of a key, or the empty one where it belongs.
func (l *Lookup[V]) at(key []byte, k0, k1 uint64) *lookupCell[V] {
	return l.atHash(key, k0, k1, lookupHash(k0, k1, uint64(len(key))+1))
}

// atHash is at for a key whose hash is known.
func (l *Lookup[V]) atHash(key []byte, k0, k1, hash uint64) *lookupCell[V] {
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

// lookupHash of a key: its high bits choose the cell.
func lookupHash(k0, k1, mark uint64) uint64 {
	if mark > inlineKey+1 {
		return k0
	}
	return mix(k0, k1, mark)
}

func (l *Lookup[V]) grow() {
	old := l.cells
	l.cells = make([]lookupCell[V], max(2*len(old), leastLookup))
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
