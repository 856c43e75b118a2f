package mapreduce

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// skips are the records that an attempt skips. A nil skips allows none.
type skips struct {
	most    int
	bad     []cluster.BadRecord // known from earlier attempts, not passed to the map
	list    []cluster.Skipped
	counted int   // length of list when it was last counted
	first   error // error of the first one
}

// newSkips returns nil if no records may be skipped.
func newSkips(most int, bad ...cluster.BadRecord) *skips {
	if most <= 0 {
		return nil
	}
	return &skips{most: most, bad: bad}
}

// known returns the error of a record that earlier attempts reported as bad, or nil.
func (k *skips) known(input string, number int64) error {
	for i := range k.bad {
		if k.bad[i].Number == number && k.bad[i].Input == input {
			return errors.New(k.bad[i].Reason)
		}
	}
	return nil
}

// skippingKnown wraps around in an attempt that may skip records: it rejects records known to be
// bad, and reports the current record in case the map does not return.
func skippingKnown(r *splitReader, around func(mapRecord func() error) error) func(mapRecord func() error) error {
	if r.skips == nil {
		return around
	}
	number := int64(0)
	return func(mapRecord func() error) error {
		number++
		n := r.numbered(number)
		if err := r.skips.known(r.source.Name(), n); err != nil {
			return asMapError(err)
		}
		if r.progress != nil {
			r.progress.Record(n)
		}
		return around(mapRecord)
	}
}

// skip adds the record of a map's error to the skipped ones and returns nil. It returns an error if
// any record would cause it, if it is permanent without being marked by Bad, or if too many records
// were skipped.
func (k *skips) skip(e *RecordError) error {
	if k == nil || fault.IsPermanent(e) && !fault.IsBad(e) {
		return e
	}
	if len(k.list) == k.most {
		return Permanent(fmt.Errorf("%w: more than %d, the first: %w", cluster.ErrTooManySkips, k.most, k.first))
	}
	if k.first == nil {
		k.first = e
	}
	k.list = append(k.list, cluster.Skipped{
		Input: e.Input, Offset: e.Offset, Number: e.Number, Head: e.Head, Size: e.Size,
		Reason: fault.CutText(e.Err.Error(), fault.LongestText),
	})
	return nil
}

// count adds new skipped records to the counter and returns all.
func (k *skips) count(c *counter.Set) []cluster.Skipped {
	if k == nil || len(k.list) == 0 {
		return nil
	}
	c.Add(counter.MapSkippedRecords, int64(len(k.list)-k.counted))
	k.counted = len(k.list)
	return k.list
}

// recordFailed handles the error err of the current record, and returns nil if the record is
// skipped.
func (s *splitReader) recordFailed(err error) error {
	f, isMap := errors.AsType[*mapError](err)
	before := s.place
	s.stop()
	if !isMap || s.skips == nil || s.ctx.Err() != nil { // the error of a stopped map means nothing
		return err
	}
	placed := s.recordError(f, s.number)
	if err := s.skips.skip(placed); err != nil {
		if errors.Is(err, cluster.ErrTooManySkips) {
			return err
		}
		return f
	}
	s.place = before
	return nil
}

// tryRecord runs user code for a record. If it fails, tryRecord calls drop and restores the user's
// counters, so no effect remains.
func tryRecord(c *counter.Set, code func() error, drop func()) error {
	restore := c.Snapshot()
	err := recovered(code)
	if err == nil {
		return nil
	}
	drop()
	restore()
	return err
}

// recovered converts a panic of f into an error, except a memory fault outside of the Go heap,
// which is an error of the input.
func recovered(f func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case fault.Thrown:
			err = v.Err
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			panic(v)
		default:
			err = fault.NewPanicError(v)
		}
	}()
	return f()
}

// pendingPairs holds back encoded pairs that a map emits for a record until the map has succeeded.
type pendingPairs struct {
	bytes []byte
	ends  []int        // of keys and values, alternating
	gate  *memory.Gate // of the emit that it replaces
}

// hold is an emit for an encoded pair.
func (h *pendingPairs) hold(key, value []byte) {
	h.gate.Sign()
	h.bytes = append(h.bytes, key...)
	h.ends = append(h.ends, len(h.bytes))
	h.bytes = append(h.bytes, value...)
	h.ends = append(h.ends, len(h.bytes))
}

// each calls f with each pair, until it fails.
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
