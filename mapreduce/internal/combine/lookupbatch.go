package combine

// LookupBatch looks up several keys at a time, so that their cache misses overlap. One goroutine
// may use it.
//
//  1. Add notes a key and where its cell should be.
//  2. Find loads the cells of all keys, independently of each other, then the values that the
//     cells point to, and only then compares keys.
type LookupBatch[V any] struct {
	lookup *Lookup[V]
	keys   []byte // all keys, concatenated
	asked  []asked
	found  [LookupBatchSize][]V
	first  func(V) byte // reads what a value refers to; nil if V is not []byte or string
	seen   byte         // written by touch; an unused load would be dropped by the compiler
}

// LookupBatchSize is the maximum number of keys in a LookupBatch: more than the loads that a core
// can have outstanding.
const LookupBatchSize = 32

// asked is a key of a LookupBatch: its first bytes as words, its hash, and where it ends in keys.
type asked struct {
	k0, k1, hash uint64
	end          int
}

// NewLookupBatch returns an empty batch.
func NewLookupBatch[V any](lookup *Lookup[V]) *LookupBatch[V] {
	b := &LookupBatch[V]{lookup: lookup, asked: make([]asked, 0, LookupBatchSize)}
	switch first := any(&b.first).(type) {
	case *func([]byte) byte:
		*first = firstByte[[]byte]
	case *func(string) byte:
		*first = firstByte[string]
	}
	return b
}

func firstByte[V []byte | string](v V) byte {
	if len(v) == 0 {
		return 0
	}
	return v[0]
}

// Add copies a key into the batch, which must have fewer than LookupBatchSize keys.
func (b *LookupBatch[V]) Add(key []byte) {
	b.keys = append(b.keys, key...)
	k0, k1 := b.lookup.words(key)
	hash := lookupHash(k0, k1, uint64(len(key))+1)
	b.asked = append(b.asked, asked{k0: k0, k1: k1, hash: hash, end: len(b.keys)})
}

// Find returns the values of each key of the batch, in the order of Add, nil if a key has none. It
// empties the batch. The list is valid until the next call; the values must not be changed.
func (b *LookupBatch[V]) Find() [][]V {
	found := b.found[:len(b.asked)]
	if b.lookup.n == 0 {
		clear(found)
	} else {
		b.touch()
		b.look(found)
	}
	b.asked, b.keys = b.asked[:0], b.keys[:0]
	return found
}

// touch brings the cell of each key into the cache, then what the cell's value refers to.
func (b *LookupBatch[V]) touch() {
	l := b.lookup
	mask := uint64(len(l.cells) - 1)
	for i := range b.asked {
		b.seen += byte(l.cells[b.asked[i].hash>>(l.shift&63)&mask].mark)
	}
	if b.first == nil {
		return
	}
	for i := range b.asked {
		b.seen += b.first(l.cells[b.asked[i].hash>>(l.shift&63)&mask].value[0])
	}
}

// look sets found[i] to the values of key i of the batch; nil if it has none.
func (b *LookupBatch[V]) look(found [][]V) {
	start := 0
	for i := range b.asked {
		k := &b.asked[i]
		found[i] = b.lookup.values(b.lookup.at(b.keys[start:k.end], k.k0, k.k1, k.hash))
		start = k.end
	}
}
