package combine

import (
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// accumulator folds pairs into one value per key, in the hash table or, for keys that are numbers
// close to each other, in the dense array. Over budget it empties both into a spill.
type accumulator struct {
	opt     Options
	form    valueForm
	hash    hashTable
	dense   denseValues
	heap    heapAccount
	short   batch          // keys of waiting pairs
	values  unsafe.Pointer // their values, at the same indexes
	long    longBatch      // waiting pairs with longer keys
	longs   unsafe.Pointer
	hits    []Hit        // scratch for half a batch
	encoded *encodedKeys // of encoded emits, otherwise nil
	spills  []*segment.Spill
	stats   segment.Stats
	err     error // the first error; nothing is folded after it
}

// init makes a an empty accumulator.
func (a *accumulator) init(o *Options, v *Values) {
	a.opt, a.form = *o, formOf(o, v)
	a.start()
}

// start allocates tables and batches for an accumulator without keys.
func (a *accumulator) start() {
	a.opt.complete()
	a.hash = newHashTable(&a.opt, &a.form)
	a.heap.weigh, a.heap.mutable = weigher(a.form.Type), mutable(a.form.Type)
	a.values = a.form.room(2 * batchSize).UnsafePointer()
	a.hits = make([]Hit, batchSize)
	if a.form.offHeap && a.opt.Width > 0 && a.form.size > 0 {
		a.dense.width = a.opt.Width
		a.hash.resize(firstCells, true)
	} else {
		a.presize()
	}
}

// presize makes the hash table large enough for the expected keys, if the budget allows.
func (a *accumulator) presize() {
	size := firstCells
	for size < 2*a.opt.Distinct {
		size *= 2
	}
	for size > a.hash.size && !a.hash.resize(size, size <= firstCells) {
		size /= 2
	}
}

// len returns the number of keys, without the waiting ones.
func (a *accumulator) len() int { return a.hash.n + a.dense.n }

// next returns the address for the value of the next pair.
func (a *accumulator) next() unsafe.Pointer { return a.form.place(a.values, a.short.n) }

// put adds a pair to a batch; its value is at next. It does not keep key.
func (a *accumulator) put(key []byte) {
	if len(key) > inlineKey {
		a.putLong(key)
		return
	}
	w := &a.short.keys[a.short.n]
	w.k0, w.k1, w.hash = digest(key)
	w.mark = uint32(len(key)) + 1
	a.wait(w)
}

// wait completes a pair that was added to the batch. A bulky value is folded at once.
func (a *accumulator) wait(w *pending) {
	if a.wordy() {
		w.word = a.word(a.next())
	}
	if a.short.n++; a.short.n%batchSize == 0 {
		a.turn()
	}
	if w.word > minBulky && a.heap.weigh != nil {
		a.flush()
	}
}

// wordy reports whether pending.word is used.
func (a *accumulator) wordy() bool { return a.form.sum || a.heap.weigh != nil }

// word returns a pair's pending.word: the value at v, if values are added, or its weight.
func (a *accumulator) word(v unsafe.Pointer) uint64 {
	if a.form.sum {
		return *(*uint64)(v)
	}
	return uint64(a.heap.weight(v))
}

// turn handles a full half of the batch: it loads the half's cells and folds the other half.
func (a *accumulator) turn() {
	b := &a.short
	a.touch(b.n-batchSize, b.n)
	other := b.n % len(b.keys)
	if b.late {
		a.fold(other, other+batchSize)
	}
	b.n, b.late = other, true
}

// touch loads the cells of the pairs from..to, which are in one half of the batch.
func (a *accumulator) touch(from, to int) {
	if from == to {
		return
	}
	if a.encoded != nil {
		a.encoded.digest(a.short.keys[from:to])
	}
	a.hash.touch(&a.short, from, to)
}

// waiting reports whether pairs wait in either half of the batch of short keys, or in that of long
// keys.
func (a *accumulator) waiting() bool { return a.short.n > 0 || a.short.late || a.long.n > 0 }

// flush folds all waiting pairs.
func (a *accumulator) flush() {
	a.flushShort()
	a.flushLong()
}

func (a *accumulator) flushShort() {
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
func (a *accumulator) fold(from, to int) {
	for from < to && a.err == nil {
		keys, n := a.short.keys[from:to], 0
		if a.form.sum {
			n = a.hash.probeSum(keys)
		} else {
			n = a.hash.probe(keys, a.hits)
			a.combine(a.hits[:n], keys, a.form.place(a.values, from))
		}
		if from += n; from < to {
			a.makeRoom()
		}
	}
	a.settle()
}

// combine combines values of waiting pairs into those of the hash table.
func (a *accumulator) combine(hits []Hit, pairs []pending, from unsafe.Pointer) {
	to := a.hash.values()
	switch {
	case a.heap.weigh == nil:
		a.form.Fold(to, from, hits)
	case a.form.Bytes != nil:
		a.heap.foldBytes(a.form.Bytes, to, from, hits, pairs)
	default:
		a.foldHeap(to, from, hits, pairs)
	}
}

func (a *accumulator) putLong(key []byte) {
	if len(key) > longBatchBytes {
		a.putHuge(key)
		return
	}
	if a.longs == nil {
		a.longs = a.form.room(longBatchSize).UnsafePointer()
	}
	at := a.long.add(key)
	a.form.move(a.form.place(a.longs, at), a.next())
	if a.heap.weigh != nil {
		a.long.keys[at].word = a.word(a.next())
	}
	if a.long.full() || a.long.keys[at].word > minBulky && a.heap.weigh != nil {
		a.flushLong()
	}
}

// putHuge folds a pair whose key is too long for a batch.
func (a *accumulator) putHuge(key []byte) {
	if a.err == nil {
		a.err = a.opt.Budget.CheckHeld("a key", int64(len(key)), a.opt.largest)
	}
	if a.err != nil {
		return
	}
	w := make([]pending, 1)
	w[0].setLong(key)
	if a.heap.weigh != nil {
		w[0].word = a.word(a.next())
	}
	var hit Hit
	for found := false; !found && a.err == nil; {
		if hit, found = a.hash.findLong(&w[0], key); !found {
			a.makeLongRoom(key)
		}
	}
	if a.err == nil {
		a.hits[0] = hit
		a.combine(a.hits[:1], w, a.next())
	}
	a.settle()
}

func (a *accumulator) flushLong() {
	if a.long.n == 0 {
		return
	}
	a.hash.touchLong(&a.long)
	keys, hits := a.long.keys[:a.long.n], a.hits[:0]
	for i := range keys {
		key := a.long.key(&keys[i])
		for found := false; !found && a.err == nil; {
			var hit Hit
			if hit, found = a.hash.findLong(&keys[i], key); found {
				hit.From = uint32(i) //nolint:gosec // below longBatchSize
				hits = append(hits, hit)
				break
			}
			a.combine(hits, keys, a.longs)
			hits = hits[:0]
			a.makeLongRoom(key)
		}
	}
	a.combine(hits, keys, a.longs)
	a.long.n, a.long.buf = 0, a.long.buf[:0]
	a.settle()
}

// makeLongRoom makes room for a new long key.
func (a *accumulator) makeLongRoom(key []byte) {
	if a.hash.full() {
		a.makeRoom()
	} else {
		a.makeArena(len(key))
	}
}

// makeArena makes room for a key of n bytes that the budget or the arena's maximum size has
// refused. It empties the table first: over budget only one key may be held.
func (a *accumulator) makeArena(n int) {
	a.drain()
	if a.err == nil && !a.hash.reserve(n) {
		a.hash.forceArena(n)
	}
}

// makeRoom enlarges the hash table or, over budget, empties it into a spill.
func (a *accumulator) makeRoom() {
	size := 2 * a.hash.size
	if size < 1<<16 {
		size *= 2
	}
	if !a.hash.resize(size, size <= a.opt.leastCells) {
		a.drain()
	}
}

// drain empties the accumulator into a spill, with one sorted run per partition.
func (a *accumulator) drain() {
	if a.len() == 0 || a.err != nil {
		return
	}
	a.err = a.spill(a.keys().sort(a.len(), a.opt.Pool))
	a.hash.clear()
	a.dense.clear()
	a.heap.estimate = 0
}

// close frees all memory, and the spills.
func (a *accumulator) close() {
	a.free()
	for _, s := range a.spills {
		s.Release()
	}
	a.spills = nil
}

// free frees the memory of all keys.
func (a *accumulator) free() {
	a.dropDense()
	a.hash.close()
	a.opt.Budget.Release(a.heap.charged)
	a.heap.charged = 0
}
