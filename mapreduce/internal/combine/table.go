package combine

import (
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Table collects and combines the records of one attempt. It is not safe for concurrent use.
type Table struct {
	acc  accumulator
	gate memory.Gate
}

// NewTable returns an empty table. It panics if Sum does not fit the values or Fold is missing:
// both are errors of the program, not of its input.
func NewTable(o Options, v Values) *Table {
	t := &Table{gate: memory.NewGate(o.Budget.Liveness())}
	t.acc.init(&o, &v)
	return t
}

// Next returns the address for the value of the next pair.
func (t *Table) Next() unsafe.Pointer { return t.acc.next() }

// CopyValue copies the value at Next, a []byte; the emitter may reuse its bytes once the pair is
// put.
func (t *Table) CopyValue() { t.acc.copyValue() }

// PutBytes folds the value at Next into that of the key at key, a []byte, and does not keep the
// key. Err and Finish return the error of a failed spill or of a key that is too large.
func (t *Table) PutBytes(key unsafe.Pointer) { t.put(*(*[]byte)(key)) }

// PutString is like PutBytes, for a key that is a string.
func (t *Table) PutString(key unsafe.Pointer) {
	k := *(*string)(key)
	t.put(unsafe.Slice(unsafe.StringData(k), len(k)))
}

func (t *Table) put(key []byte) {
	t.acc.stats.Records++
	t.acc.stats.Bytes += int64(len(key))
	t.acc.put(key)
}

// sign reports progress. It panics if the gate is shut.
func (t *Table) sign() {
	if atomic.LoadUint32(&t.gate.Now.Asked) != 0 {
		t.gate.Sign()
	}
}

// Weighs reports whether values hold pointers.
func (t *Table) Weighs() bool { return t.acc.heap.weigh != nil }

// Numbers reports whether keys are numbers, which EmitNumbers must emit.
func (t *Table) Numbers() bool { return t.acc.dense.width > 0 }

// Err returns the first error of a spill; after it nothing is folded.
func (t *Table) Err() error { return t.acc.err }

// Failure returns a pointer to the error that Err returns.
func (t *Table) Failure() *error { return &t.acc.err }

// Gate returns the gate of emits, which is open at first.
func (t *Table) Gate() *memory.Gate { return &t.gate }

// Close abandons the attempt and frees its memory. After Finish it only shuts the gate. Closing
// twice is allowed.
func (t *Table) Close() {
	t.gate.Shut()
	t.acc.close()
}
