package combine

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Config configures a [Table] or a [Merge].
type Config[V any] struct {
	// Partitions is the number of partitions, at least 1. A Merge ignores it.
	Partitions int
	// Partition chooses the partition of a key; nil means segment.PartitionOf.
	// It is called about once a distinct key.
	Partition func(key []byte) int
	// Combine folds two values of one key, the earlier first. It must be
	// associative and commutative. Required unless Sum is set.
	Combine func(a, b V) V
	// Sum says that Combine is +: values are added without a call. It needs CanSum.
	Sum bool
	// Width is the number of bytes of all keys if they are numbers, big-endian and emitted by
	// a NumberEmitter, 1 to 8; else 0. It has no effect if V holds pointers or has no size.
	Width int
	// Append appends the encoding of a value for a spill run, Decode reads it
	// back; Decode must not keep b. Without both (and without Sum, which has its
	// own) nothing can spill, whatever the budget.
	Append func(dst []byte, v V) []byte
	Decode func(b []byte) (V, error)
	// Distinct is the expected number of distinct keys, such as those of another map of the
	// job; 0 if unknown. It only sizes the first table: growing it to its size costs up to a
	// fifth of a WordCount of real text.
	Distinct int
	// Expected is how many distinct keys there may be, such as the records of a dataset; 0 if unknown.
	// Keys that are numbers are put in a row for so many, if they lie close enough to each other.
	Expected int
	// Budget pays for tables, arenas and entries; nil means no limit.
	Budget *memory.Budget
	// Pool supplies the buffers; nil means fresh ones each time.
	Pool *memory.Pool
	// Files and SpillDir are as in segment.Config.
	Files    *segment.Files
	SpillDir string
	// Stored is as in segment.Config; values must have an encoding.
	Stored bool

	fanIn   int   // as segment.MergeConfig.FanIn
	least   int   // cells a table may have whatever the budget says; 0: leastCells
	largest int64 // bytes of a key, and of a key with its encoded value; 0: what the budget says
}

// check panics if the configuration cannot work for V.
func (c *Config[V]) check() {
	var v V
	c.checkNumbers()
	if c.Sum && !CanSum[V]() {
		panic(fmt.Sprintf("combine: Sum needs an integer value of 4 or 8 bytes, not %T", v))
	}
	if !c.Sum && c.Combine == nil {
		panic("combine: Combine is missing")
	}
}

// CanSum reports whether values of type V can be added without a call: whether V is an integer
// type of 4 or 8 bytes, or defined by one.
func CanSum[V any]() bool {
	switch reflect.TypeFor[V]().Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64, reflect.Int32, reflect.Uint32:
		return true
	default:
		return false
	}
}

// spills reports whether values can be encoded.
func (c *Config[V]) spills() bool { return c.Sum || c.Append != nil && c.Decode != nil }

// Table collects and combines the records of one attempt. It is not safe for
// concurrent use.
type Table[V any] struct {
	cfg     Config[V]
	c       cells[V]
	b       batch[V]
	l       longBatch[V]
	d       numbers[V]
	encoded *encodedKeys // of an EncodedEmitter, else nil
	spills  []*segment.Spill
	stats   segment.Stats
	err     error
	gate    memory.Gate
}

// leastCells keeps a starved attempt from spilling a file for every few keys.
const leastCells = 1 << 14

// NewTable returns an empty table. It panics if Sum does not fit V or if Combine
// is missing: both are mistakes of the program, not of its input.
func NewTable[V any](cfg Config[V]) *Table[V] {
	cfg.check()
	if cfg.least == 0 {
		cfg.least = leastCells
	}
	if cfg.largest == 0 {
		cfg.largest = cfg.Budget.Largest()
	}
	t := &Table[V]{cfg: cfg, gate: memory.NewGate(cfg.Budget.Life())}
	t.c = newCells(&t.cfg)
	if t.c.offHeap && cfg.Width > 0 && unsafe.Sizeof(*new(V)) > 0 {
		t.d.width = cfg.Width
		t.c.resize(firstCells, true)
	} else {
		t.presize()
	}
	return t
}

// presize makes the table large enough for the expected keys, if the budget allows.
func (t *Table[V]) presize() {
	size := firstCells
	for size < 2*t.cfg.Distinct {
		size *= 2
	}
	for size > len(t.c.cells) && !t.c.resize(size, size <= firstCells) {
		size /= 2
	}
}

// Emit folds v into the value of key. key is not kept. A failed spill and a key that is too
// large show in Err and Finish.
func (t *Table[V]) Emit(key []byte, v V) {
	if atomic.LoadUint32(&t.gate.Now.Asked) != 0 {
		t.gate.Sign()
	}
	t.stats.Records++
	t.stats.Bytes += int64(len(key))
	t.put(key, v)
}

// EmitString is Emit for a string.
func (t *Table[V]) EmitString(key string, v V) {
	t.Emit(unsafe.Slice(unsafe.StringData(key), len(key)), v)
}

func (t *Table[V]) put(key []byte, v V) {
	if len(key) > inlineKey {
		t.emitLong(key, v)
		return
	}
	w := &t.b.q[t.b.n]
	w.k0, w.k1, w.hash = digest(key)
	w.mark, w.value = uint32(len(key))+1, v
	if t.b.n++; t.b.n%batchSize == 0 {
		t.turn()
	}
}

// turn is for when one half of the batch is full.
func (t *Table[V]) turn() {
	b := &t.b
	t.touch(b.n-batchSize, b.n)
	other := b.n % len(b.q)
	if b.late {
		t.fold(other, other+batchSize)
	}
	b.n, b.late = other, true
}

// touch asks for the cells of the pairs from..to, which lie in one half of the batch.
func (t *Table[V]) touch(from, to int) {
	if t.encoded != nil && from < to {
		t.encoded.digest(unsafe.Pointer(&t.b.q[from]), unsafe.Sizeof(t.b.q[0]), to-from)
	}
	t.c.touch(&t.b, from, to)
}

// waiting reports whether pairs wait in a batch: in either half of the one for short keys, or in the
// one for long keys.
func (t *Table[V]) waiting() bool { return t.b.n > 0 || t.b.late || t.l.n > 0 }

// flush folds all that waits in the batch.
func (t *Table[V]) flush() {
	b := &t.b
	from := b.n &^ (batchSize - 1)
	t.touch(from, b.n)
	if b.late {
		other := batchSize - from
		t.fold(other, other+batchSize)
	}
	t.fold(from, b.n)
	b.n, b.late = 0, false
}

// fold folds the pairs from..to of the batch.
func (t *Table[V]) fold(from, to int) {
	for i := from; i < to && t.err == nil; {
		if i = t.c.probe(&t.b, i, to); i < to {
			t.makeRoom()
		}
	}
	if t.c.held.over() {
		t.settle()
	}
}

func (t *Table[V]) emitLong(key []byte, v V) {
	switch {
	case len(key) > longBatchBytes:
		t.emitHuge(key, v)
	case t.l.add(key, v):
		t.flushLong()
	}
}

// emitHuge puts a key into the table at once that is too long to wait with others.
func (t *Table[V]) emitHuge(key []byte, v V) {
	if t.err == nil {
		t.err = t.cfg.Budget.CheckHeld("a key", int64(len(key)), t.cfg.largest)
	}
	if t.err != nil {
		return
	}
	k0, k1 := inlineWords(key[:inlineKey])
	w := longPending[V]{k0: k0, k1: k1, hash: xxhash.Sum64(key), mark: uint32(len(key)) + 1, value: v}
	t.putLong(&w, key)
	if t.c.held.over() {
		t.settle()
	}
}

func (t *Table[V]) putLong(w *longPending[V], key []byte) {
	for t.err == nil && !t.c.putLong(w, key) {
		if t.c.full() {
			t.makeRoom()
		} else {
			t.makeArena(len(key))
		}
	}
}

func (t *Table[V]) flushLong() {
	t.c.touchLong(&t.l)
	for i := range t.l.q[:t.l.n] {
		w := &t.l.q[i]
		t.putLong(w, t.l.key(w))
	}
	t.l.reset()
	if t.c.held.over() {
		t.settle()
	}
}

// makeArena makes room for a key of n bytes, which the budget or the size of
// the arena has refused: in an empty table, since over budget only one key's
// worth may be taken; in the full one if its values cannot spill.
func (t *Table[V]) makeArena(n int) {
	if t.cfg.spills() || !t.c.arenaHolds(n) {
		t.drain()
	}
	if t.err == nil && !t.c.reserve(n) {
		t.c.forceArena(n)
	}
}

// makeRoom enlarges the table or, over budget, empties it into a spill.
func (t *Table[V]) makeRoom() {
	size := 2 * len(t.c.cells)
	if size < 1<<16 {
		size *= 2
	}
	if !t.c.resize(size, size <= t.cfg.least || !t.cfg.spills()) {
		t.drain()
	}
}

// Numbers reports whether keys go to a NumberEmitter.
func (t *Table[V]) Numbers() bool { return t.d.width > 0 }

// Err returns the first error of a spill; Emit does nothing after it.
func (t *Table[V]) Err() error { return t.err }

// Failure is where Err finds its error.
func (t *Table[V]) Failure() *error { return &t.err }

// Gate says when Emit may be called; it is open at first.
func (t *Table[V]) Gate() *memory.Gate { return &t.gate }

// Close abandons the attempt and frees what it holds. After Finish it does
// nothing but shut the gate. Closing twice is allowed.
func (t *Table[V]) Close() {
	t.gate.Shut()
	t.dropNumbers()
	t.c.close()
	for _, s := range t.spills {
		s.Release()
	}
	t.spills = nil
}
