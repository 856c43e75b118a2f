package mapreduce

import (
	"cmp"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// tryRecord runs user code for a record. If it fails, tryRecord calls drop and restores the user's
// counters, so no effect remains.
func tryRecord(c *counter.Set, code func() error, drop func()) error {
	restore := c.Snapshot()
	err := fault.Recovered(code)
	if err == nil {
		return nil
	}
	drop()
	restore()
	return err
}

// pendingPairs holds back encoded pairs that a map emits for a record until the map has succeeded.
type pendingPairs struct {
	bytes []byte
	ends  []int        // ends in bytes of keys and values, alternating
	gate  *memory.Gate // gate of the emit that hold replaces
}

// hold is the emit of encoded pairs while a record is tried: it keeps copies of them.
func (h *pendingPairs) hold(key, value []byte) {
	h.gate.Sign()
	h.bytes = append(h.bytes, key...)
	h.ends = append(h.ends, len(h.bytes))
	h.bytes = append(h.bytes, value...)
	h.ends = append(h.ends, len(h.bytes))
}

// each calls f with each pair and stops at the first error.
func (h *pendingPairs) each(f func(key, value []byte) error) error {
	at := 0
	for i := 0; i < len(h.ends); i += 2 {
		end := h.ends[i+1]
		if err := f(h.bytes[at:h.ends[i]:h.ends[i]], h.bytes[h.ends[i]:end:end]); err != nil {
			return err
		}
		at = end
	}
	return nil
}

func (h *pendingPairs) drop() { h.bytes, h.ends = h.bytes[:0], h.ends[:0] }

// holding makes later writes revocable: keep makes the records of an input record final, drop
// discards them.
func (w *recordWriter) holding() (keep, drop func()) {
	w.held = true
	bytes, records := len(w.part.Buf), w.records
	keep = func() {
		if w.own != nil && w.failed == nil {
			w.failed = w.own.settle()
		}
		if w.router != nil {
			w.failed = cmp.Or(w.failed, w.router.Settle())
		}
		if len(w.part.Buf) >= output.FlushSize {
			w.part.Flush()
		}
		bytes, records = len(w.part.Buf), w.records
	}
	drop = func() {
		if w.own != nil {
			w.own.drop()
		}
		if w.router != nil {
			w.router.Drop()
		}
		w.part.Buf, w.records, w.failed = w.part.Buf[:bytes], records, nil
	}
	return keep, drop
}
