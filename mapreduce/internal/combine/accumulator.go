package combine

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// accumulator holds one combined value per key, in a hash table or, for integer keys close to each
// other, in an array. When the memory budget is exhausted, it moves all pairs to a spill file.
type accumulator struct {
	opt     Options
	form    valueForm
	hash    hashTable
	dense   denseValues
	heap    heapAccount
	short   batch          // pairs that are not folded yet: their keys, of at most 16 bytes
	values  memory.Pointer // values of the pairs in short, at the same indexes
	long    longBatch      // pairs that are not folded yet, with longer keys
	longs   memory.Pointer
	hits    []Hit        // scratch: destinations of the values of a batch
	encoded *encodedKeys // nil unless PutEncoded is used
	spills  []*segment.Spill
	stats   segment.Stats
	err     error // the first error; nothing is folded after it
}

// start allocates the tables and batches for opt and form, which the caller has set.
func (a *accumulator) start() {
	a.opt.complete()
	a.hash = newHashTable(&a.opt, &a.form)
	a.heap.weigh, a.heap.mutable = weigher(a.form.Type), mutable(a.form.Type)
	a.values = a.form.array(batchSize)
	a.hits = make([]Hit, batchSize)
	if a.form.offHeap && a.opt.Width > 0 && a.form.size > 0 {
		a.dense.width = a.opt.Width
		a.hash.resize(firstCells, true)
	} else {
		a.presize()
	}
}

// presize enlarges the hash table for opt.Distinct keys, or for as many as the budget allows.
func (a *accumulator) presize() {
	size := firstCells
	for size < 2*a.opt.Distinct {
		size *= 2
	}
	for size > a.hash.size && !a.hash.resize(size, size <= firstCells) {
		size /= 2
	}
}

// len returns the number of keys folded so far; pairs that wait in a batch are not counted.
func (a *accumulator) len() int { return a.hash.n + a.dense.count() }

// next returns the address where the emitter stores the next pair's value before it calls put.
func (a *accumulator) next() memory.Pointer { return a.form.place(a.values, a.short.n) }

// put adds the pair of key and the value at next to a batch, to be folded later. It copies key.
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

// wait counts pair w, whose key and value are in the batch; when a group is full, it calls
// endGroup. If the value is large, it folds all waiting pairs at once.
func (a *accumulator) wait(w *pending) {
	if a.wordy() {
		w.word = a.word(a.next())
	}
	if a.short.n++; a.short.n%groupSize == 0 {
		a.endGroup()
	}
	if w.word > minBulky && a.heap.weigh != nil {
		a.flush()
	}
}

// wordy reports whether pending.word must be set: values are added, or their memory is counted.
func (a *accumulator) wordy() bool { return a.form.sum || a.heap.weigh != nil }

// word returns what pending.word holds: the value at v if values are added, otherwise heap bytes.
func (a *accumulator) word(v memory.Pointer) uint64 {
	if a.form.sum {
		return *memory.To[uint64](v)
	}
	return uint64(a.heap.weight(v))
}

// waiting reports whether any pair is not folded yet.
func (a *accumulator) waiting() bool { return a.short.n > 0 || a.long.n > 0 }

// flush folds all waiting pairs, so that the tables contain everything that was put.
func (a *accumulator) flush() {
	a.flushShort()
	a.flushLong()
}

// endGroup starts to load the cells of the group that has become full, and folds a full batch.
func (a *accumulator) endGroup() {
	a.touchShort()
	if a.short.n == batchSize {
		a.flushShort()
	}
}

// touchShort hashes the keys of the last group if they are encoded, and starts to load its cells.
func (a *accumulator) touchShort() {
	b := &a.short
	if a.encoded != nil {
		a.encoded.digest(b.keys[b.touched:b.n])
	}
	a.hash.touch(b)
}

// flushShort folds the pairs of the short batch, and enlarges or spills the table as needed.
func (a *accumulator) flushShort() {
	b := &a.short
	a.touchShort()
	for from := 0; from < b.n && a.err == nil; {
		keys, n := b.keys[from:b.n], 0
		if a.form.sum {
			n = a.hash.probeSum(keys)
		} else {
			n = a.hash.probe(keys, a.hits)
			a.combine(a.hits[:n], keys, a.form.place(a.values, from))
		}
		if from += n; from < b.n {
			a.makeRoom()
		}
	}
	b.n, b.touched = 0, 0
	a.settle()
}

// combine combines waiting values, an array at from, into the hash table's values that hits name.
func (a *accumulator) combine(hits []Hit, pairs []pending, from memory.Pointer) {
	to := a.hash.values()
	switch {
	case a.heap.weigh == nil:
		a.form.Fold(to, from, hits)
	case a.form.Bytes != nil:
		a.foldBytes(to, from, hits, pairs)
	default:
		a.foldHeap(to, from, hits, pairs)
	}
}

func (a *accumulator) putLong(key []byte) {
	if len(key) > longBatchBytes && !a.admit(key) {
		return
	}
	if a.longs.IsNil() {
		a.longs, a.long.own = a.form.array(longBatchSize), make([]byte, 0, 2*longBatchBytes)
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

// admit empties the batch for a key of more than 4 KiB, which is not copied there. It returns false
// if the key is too large to be held.
func (a *accumulator) admit(key []byte) bool {
	if a.err == nil {
		a.err = a.opt.Budget.CheckHeld("a key", int64(len(key)), a.opt.largest)
	}
	a.flushLong()
	return a.err == nil
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
	a.long.n, a.long.buf = 0, a.long.own
	a.settle()
}

// makeLongRoom makes room in hash table and arena for key, which is new and over 16 bytes long.
func (a *accumulator) makeLongRoom(key []byte) {
	if a.hash.full() {
		a.makeRoom()
	} else {
		a.makeArena(len(key))
	}
}

// makeArena makes room for a key of n bytes that hashTable.reserve has refused. It spills all pairs
// first. If the budget still refuses, it exceeds it for this one key.
func (a *accumulator) makeArena(n int) {
	a.drain()
	if a.err == nil {
		a.hash.reserve(n, true)
	}
}

// makeRoom enlarges the hash table or, if the budget refuses, spills all its pairs.
func (a *accumulator) makeRoom() {
	size := 2 * a.hash.size
	if size < 1<<16 {
		size *= 2
	}
	if !a.hash.resize(size, size <= a.opt.leastCells) {
		a.drain()
	}
}

// drain writes all folded pairs to a spill, one sorted run per partition, and empties the tables.
func (a *accumulator) drain() {
	if a.len() == 0 || a.err != nil {
		return
	}
	a.err = a.spill(a.keys().sort(a.hash.n, a.opt.Pool), a.len())
	a.hash.clear()
	a.dropDense()
	a.heap.estimate = 0
}

// close frees all memory and releases the spills. Closing twice is allowed.
func (a *accumulator) close() {
	a.free()
	for _, s := range a.spills {
		s.Release()
	}
	a.spills = nil
}

// free frees the tables, so that the accumulator has no keys; it keeps the spills.
func (a *accumulator) free() {
	a.dropDense()
	a.hash.close()
	a.opt.Budget.Release(a.heap.charged)
	a.heap.charged = 0
}
