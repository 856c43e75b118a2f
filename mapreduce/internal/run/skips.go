package run

import (
	"cmp"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// record calls mapRecord, the user's Map for a record. If it fails, record restores the user's
// counters and drops what was emitted, so no effect remains.
func (t *trial) record(c *counter.Set, mapRecord func() error) error {
	restore := c.Snapshot()
	if err := fault.Recovered(func() error { return cmp.Or(mapRecord(), t.check()) }); err != nil {
		t.drop()
		restore()
		return err
	}
	return t.keep()
}

// trial returns the trial of an attempt whose pairs go to emit, a func(K, V), while gate is open.
func (b *Job) trial(emit any, gate *memory.Gate) trial {
	h := &pendingPairs{gate: gate}
	check, pass := b.decoding(nil), b.decoding(emit)
	return trial{
		emit:  b.encoding(h.hold),
		check: func() error { return h.each(check) },
		keep: func() error {
			defer h.drop()
			return h.each(pass)
		},
		drop: h.drop,
	}
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
