package combine

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// accumulator folds pairs into one value for each key: in the hash table or, keys that are numbers
// close to each other, in the dense array. Over budget it empties both into a spill.
type accumulator[V any] struct {
	core
	hash   hashTable[V]
	dense  denseValues[V]
	values [2 * batchSize]V // of the pairs that wait,
	longs  [longBatchSize]V // and of those with longer keys
}

// core is what an accumulator has whatever its values.
type core struct {
	cfg     Options
	form    valueForm
	short   batch        // pairs that wait: their keys
	long    longBatch    // the same of longer keys
	encoded *encodedKeys // of an EncodedEmitter, else nil
	spills  []*segment.Spill
	stats   segment.Stats
	err     error // the first one of a spill; nothing is folded after it
}

// leastCells keeps a starved attempt from spilling a file for every few keys.
const leastCells = 1 << 14

// init makes a an empty accumulator.
func (a *accumulator[V]) init(cfg *Config[V]) {
	a.cfg, a.form = cfg.Options, formOf(cfg)
	if cfg.least == 0 {
		a.cfg.least = leastCells
	}
	if cfg.largest == 0 {
		a.cfg.largest = cfg.Budget.Largest()
	}
	a.hash = newHashTable(cfg)
	if a.hash.offHeap && cfg.Width > 0 && sizeOf[V]() > 0 {
		a.dense.width = cfg.Width
		a.hash.resize(firstCells, true)
	} else {
		a.presize()
	}
}

// presize makes the hash table large enough for the expected keys, if the budget allows.
func (a *accumulator[V]) presize() {
	size := firstCells
	for size < 2*a.cfg.Distinct {
		size *= 2
	}
	for size > len(a.hash.cells) && !a.hash.resize(size, size <= firstCells) {
		size /= 2
	}
}

// len is how many keys there are, but for those that wait.
func (a *accumulator[V]) len() int { return a.hash.n + a.dense.n }

// put has a pair wait. key is not kept.
func (a *accumulator[V]) put(key []byte, v V) {
	if len(key) > inlineKey {
		a.putLong(key, v)
		return
	}
	w := &a.short.keys[a.short.n]
	w.k0, w.k1, w.hash = digest(key)
	if w.mark = uint32(len(key)) + 1; a.hash.sum {
		w.word = wordOf(&v)
	} else {
		a.values[a.short.n] = v
	}
	if a.short.n++; a.short.n%batchSize == 0 {
		a.turn()
	}
}

// turn is for when one half of the batch is full.
func (a *accumulator[V]) turn() {
	b := &a.short
	a.touch(b.n-batchSize, b.n)
	other := b.n % len(b.keys)
	if b.late {
		a.fold(other, other+batchSize)
	}
	b.n, b.late = other, true
}

// touch asks for the cells of the pairs from..to, which lie in one half of the batch.
func (a *accumulator[V]) touch(from, to int) {
	if from == to {
		return
	}
	if a.encoded != nil {
		a.encoded.digest(a.short.keys[from:to])
	}
	a.hash.touch(&a.short, from, to)
}

// waiting reports whether pairs wait in a batch: in either half of the one for short keys, or in
// the one for long keys.
func (a *accumulator[V]) waiting() bool { return a.short.n > 0 || a.short.late || a.long.n > 0 }

// flush folds all that waits.
func (a *accumulator[V]) flush() {
	a.flushShort()
	a.flushLong()
}

func (a *accumulator[V]) flushShort() {
	b := &a.short
	from := b.n &^ (batchSize - 1)
	a.touch(from, b.n)
	if b.late {
		other := batchSize - from
		a.fold(other, other+batchSize)
	}
	a.fold(from, b.n)
	b.n, b.late = 0, false
}

// fold folds the pairs from..to of the batch.
func (a *accumulator[V]) fold(from, to int) {
	for from < to && a.err == nil {
		if from += a.hash.probe(a.short.keys[from:to], a.values[from:to]); from < to {
			a.makeRoom()
		}
	}
	a.settle()
}

func (a *accumulator[V]) putLong(key []byte, v V) {
	if len(key) > longBatchBytes {
		a.putHuge(key, v)
		return
	}
	a.longs[a.long.add(key)] = v
	if a.long.full() {
		a.flushLong()
	}
}

// putHuge folds a pair at once whose key is too long to wait with others.
func (a *accumulator[V]) putHuge(key []byte, v V) {
	if a.err == nil {
		a.err = a.cfg.Budget.CheckHeld("a key", int64(len(key)), a.cfg.largest)
	}
	if a.err != nil {
		return
	}
	var w pending
	w.setLong(key)
	a.foldLong(&w, key, &v)
	a.settle()
}

func (a *accumulator[V]) foldLong(w *pending, key []byte, v *V) {
	for a.err == nil && !a.hash.putLong(w, key, v) {
		if a.hash.full() {
			a.makeRoom()
		} else {
			a.makeArena(len(key))
		}
	}
}

func (a *accumulator[V]) flushLong() {
	if a.long.n == 0 {
		return
	}
	a.hash.touchLong(&a.long)
	for i := range a.long.keys[:a.long.n] {
		w := &a.long.keys[i]
		a.foldLong(w, a.long.key(w), &a.longs[i])
	}
	a.long.n, a.long.buf = 0, a.long.buf[:0]
	a.settle()
}

// makeArena makes room for a key of n bytes, which the budget or the size of
// the arena has refused: in an empty table, since over budget only one key's
// worth may be taken.
func (a *accumulator[V]) makeArena(n int) {
	a.drain()
	if a.err == nil && !a.hash.reserve(n) {
		a.hash.forceArena(n)
	}
}

// makeRoom enlarges the hash table or, over budget, empties it into a spill.
func (a *accumulator[V]) makeRoom() {
	size := 2 * len(a.hash.cells)
	if size < 1<<16 {
		size *= 2
	}
	if !a.hash.resize(size, size <= a.cfg.least) {
		a.drain()
	}
}

// drain empties the accumulator into a spill of a sorted run for each partition.
func (a *accumulator[V]) drain() {
	if a.len() == 0 || a.err != nil {
		return
	}
	keys := keysOf(a)
	a.err = a.spill(keys.sort(a.len(), a.cfg.Pool))
	a.hash.clear()
	a.dense.clear()
}

// close frees all memory, and the spills.
func (a *accumulator[V]) close() {
	a.dropDense()
	a.hash.close()
	for _, s := range a.spills {
		s.Release()
	}
	a.spills = nil
}
