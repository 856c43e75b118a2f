package combine

import "unsafe"

// Ahead finds the values of several keys at a time, so that their looks at far memory go on side by
// side: one after the other, each waits for its own. It belongs to one goroutine.
//
//  1. Add notes a key and where its cell should be.
//  2. Find looks at the cells of all keys, none of which waits for another, then at the values that a
//     cell points to, and only then compares keys.
type Ahead[V any] struct {
	lookup *Lookup[V]
	keys   []byte // of all, one after the other
	asked  []asked
	found  [Abreast][]V
	first  func(V) byte // touches what a value points to; nil if it points nowhere
	seen   byte         // of what was touched, so that it must be
}

// Abreast is the most keys that an Ahead holds: more than a core has looks at far memory under way.
const Abreast = 32

// asked is a key of an Ahead: its words and hash, and where it ends.
type asked struct {
	k0, k1, hash uint64
	end          int
}

// NewAhead returns one without keys.
func NewAhead[V any](lookup *Lookup[V]) *Ahead[V] {
	a := &Ahead[V]{lookup: lookup, asked: make([]asked, 0, Abreast)}
	switch first := any(&a.first).(type) {
	case *func([]byte) byte:
		*first = func(v []byte) byte { return firstByte(unsafe.SliceData(v), len(v)) }
	case *func(string) byte:
		*first = func(v string) byte { return firstByte(unsafe.StringData(v), len(v)) }
	}
	return a
}

func firstByte(p *byte, n int) byte {
	if n == 0 {
		return 0
	}
	return *p
}

// Add notes a key, of which it makes a copy, and reports whether there is room for another.
func (a *Ahead[V]) Add(key []byte) (room bool) {
	a.keys = append(a.keys, key...)
	k0, k1 := a.lookup.words(key)
	hash := lookupHash(k0, k1, uint64(len(key))+1)
	a.asked = append(a.asked, asked{k0: k0, k1: k1, hash: hash, end: len(a.keys)})
	return len(a.asked) < Abreast
}

// Find looks up all keys and forgets them. The list has the values of each, as [Lookup.Find]
// returns them, until the next call.
func (a *Ahead[V]) Find() [][]V {
	found := a.found[:len(a.asked)]
	if a.lookup.n == 0 {
		clear(found)
	} else {
		a.touch()
		a.look(found)
	}
	a.asked, a.keys = a.asked[:0], a.keys[:0]
	return found
}

// touch looks at the cells where keys should be, then at the values that these point to.
func (a *Ahead[V]) touch() {
	l := a.lookup
	mask := uint64(len(l.cells) - 1)
	for i := range a.asked {
		a.seen += byte(l.cells[a.asked[i].hash>>(l.shift&63)&mask].mark)
	}
	if a.first == nil {
		return
	}
	for i := range a.asked {
		a.seen += a.first(l.cells[a.asked[i].hash>>(l.shift&63)&mask].value)
	}
}

// look finds the values of each key.
func (a *Ahead[V]) look(found [][]V) {
	start := 0
	for i := range a.asked {
		k := &a.asked[i]
		found[i] = a.lookup.values(a.lookup.atHash(a.keys[start:k.end], k.k0, k.k1, k.hash))
		start = k.end
	}
}
