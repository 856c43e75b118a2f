package combine

import (
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Table is the combiner of one map attempt: it collects the pairs that the map emits and combines
// the values of equal keys. It is not safe for concurrent use.
type Table struct {
	acc  accumulator
	gate memory.Gate
}

// NewTable returns an empty table. It panics if v lacks a function or o does not fit v: both are
// errors of the program, not of its input.
func NewTable(o Options, v Values) *Table {
	t := &Table{gate: memory.NewGate(o.Budget.Liveness())}
	t.acc.opt, t.acc.form = o, formOf(&o, &v)
	t.acc.start()
	return t
}

// Next returns the address where the caller stores the next pair's value before it puts the key.
func (t *Table) Next() memory.Pointer { return t.acc.next() }

// CopyValue makes the table copy the bytes of the value at Next, a []byte. So the emitter may reuse
// them once the pair is put.
func (t *Table) CopyValue() { t.acc.copyValue() }

// PutBytes adds the pair of the []byte at key and the value at Next. It copies the key. Err and
// Finish return errors: a failed spill, or a key that is too large.
func (t *Table) PutBytes(key memory.Pointer) { t.put(*memory.To[[]byte](key)) }

// PutString is like PutBytes, but key points to a string.
func (t *Table) PutString(key memory.Pointer) {
	t.put(memory.BytesOf(*memory.To[string](key)))
}

func (t *Table) put(key []byte) {
	t.acc.stats.Records++
	t.acc.stats.Bytes += int64(len(key))
	t.acc.put(key)
}

// sign answers a request for a sign of progress. It panics if the attempt has ended (gate shut).
func (t *Table) sign() {
	if atomic.LoadUint32(&t.gate.Now.Asked) != 0 {
		t.gate.Sign()
	}
}

// Weighs reports whether values hold pointers, so that the table must estimate their heap memory.
func (t *Table) Weighs() bool { return t.acc.heap.weigh != nil }

// Numbers reports whether keys are integers, for which the caller must use EmitNumbers.
func (t *Table) Numbers() bool { return t.acc.dense.width > 0 }

// Err returns the table's first error, such as a failed spill; after it the table ignores pairs.
func (t *Table) Err() error { return t.acc.err }

// Failure returns the address of the error that Err returns, so that emits can check it quickly.
func (t *Table) Failure() *error { return &t.acc.err }

// Gate returns the gate that each emit passes; it is open until Close shuts it.
func (t *Table) Gate() *memory.Gate { return &t.gate }

// Close frees the table's memory and makes later emits panic. Without Finish it abandons the
// attempt. Closing twice is allowed.
func (t *Table) Close() {
	t.gate.Shut()
	t.acc.close()
}
