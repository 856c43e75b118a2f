package combine

import (
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Table collects and combines the records of one attempt. It is not safe for
// concurrent use.
type Table[V any] struct {
	acc  accumulator[V]
	gate memory.Gate
}

// NewTable returns an empty table. It panics if Sum does not fit V or if Combine
// is missing: both are mistakes of the program, not of its input.
func NewTable[V any](cfg Config[V]) *Table[V] {
	cfg.check()
	t := &Table[V]{gate: memory.NewGate(cfg.Budget.Life())}
	t.acc.init(&cfg)
	return t
}

// Emit folds v into the value of key. key is not kept. A failed spill and a key that is too
// large show in Err and Finish.
func (t *Table[V]) Emit(key []byte, v V) {
	t.note(key)
	t.acc.put(key, v)
}

// note counts a record, and is a sign of life. It panics if the gate is shut.
func (t *Table[V]) note(key []byte) {
	if atomic.LoadUint32(&t.gate.Now.Asked) != 0 {
		t.gate.Sign()
	}
	t.acc.stats.Records++
	t.acc.stats.Bytes += int64(len(key))
}

// EmitString is Emit for a string.
func (t *Table[V]) EmitString(key string, v V) {
	t.Emit(unsafe.Slice(unsafe.StringData(key), len(key)), v)
}

// Numbers reports whether keys go to a NumberEmitter.
func (t *Table[V]) Numbers() bool { return t.acc.dense.width > 0 }

// Err returns the first error of a spill; Emit does nothing after it.
func (t *Table[V]) Err() error { return t.acc.err }

// Failure is where Err finds its error.
func (t *Table[V]) Failure() *error { return &t.acc.err }

// Gate says when Emit may be called; it is open at first.
func (t *Table[V]) Gate() *memory.Gate { return &t.gate }

// Close abandons the attempt and frees what it holds. After Finish it does
// nothing but shut the gate. Closing twice is allowed.
func (t *Table[V]) Close() {
	t.gate.Shut()
	t.acc.close()
}
