package combine

import (
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Table collects and combines the records of one attempt. It is not safe for
// concurrent use.
type Table struct {
	acc  accumulator
	gate memory.Gate
}

// NewTable returns an empty table. It panics if Sum does not fit the values or if Fold
// is missing: both are mistakes of the program, not of its input.
func NewTable(o Options, v Values) *Table {
	t := &Table{gate: memory.NewGate(o.Budget.Life())}
	t.acc.init(&o, &v)
	return t
}

// Next is where the value lies of the pair that is put next.
func (t *Table) Next() unsafe.Pointer { return t.acc.next() }

// Lend copies the value at Next, a []byte, so that its bytes are the emitter's again once it is put.
func (t *Table) CopyValue() { t.acc.copyValue() }

// PutBytes folds the value at Next into that of the key at key, a []byte, which is not kept. A failed
// spill and a key that is too large show in Err and Finish.
func (t *Table) PutBytes(key unsafe.Pointer) { t.put(*(*[]byte)(key)) }

// PutString is for keys that are strings; see PutBytes.
func (t *Table) PutString(key unsafe.Pointer) {
	k := *(*string)(key)
	t.put(unsafe.Slice(unsafe.StringData(k), len(k)))
}

func (t *Table) put(key []byte) {
	t.acc.stats.Records++
	t.acc.stats.Bytes += int64(len(key))
	t.acc.put(key)
}

// sign is a sign of life. It panics if the gate is shut.
func (t *Table) sign() {
	if atomic.LoadUint32(&t.gate.Now.Asked) != 0 {
		t.gate.Sign()
	}
}

// Weighs reports whether values hold pointers.
func (t *Table) Weighs() bool { return t.acc.heap.weigh != nil }

// Numbers reports whether keys are numbers, to be emitted by EmitNumbers.
func (t *Table) Numbers() bool { return t.acc.dense.width > 0 }

// Err returns the first error of a spill; nothing is folded after it.
func (t *Table) Err() error { return t.acc.err }

// Failure is where Err finds its error.
func (t *Table) Failure() *error { return &t.acc.err }

// Gate says when pairs may be emitted; it is open at first.
func (t *Table) Gate() *memory.Gate { return &t.gate }

// Close abandons the attempt and frees what it holds. After Finish it does
// nothing but shut the gate. Closing twice is allowed.
func (t *Table) Close() {
	t.gate.Shut()
	t.acc.close()
}
