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

// skips are the records that an attempt leaves out. Nil leaves none out.
type skips struct {
	most    int
	bad     []cluster.BadRecord // left out before the map sees them
	list    []cluster.Skipped
	counted int   // of these
	first   error // of the first one
}

// newSkips returns nil if none may be left out.
func newSkips(most int, bad ...cluster.BadRecord) *skips {
	if most <= 0 {
		return nil
	}
	return &skips{most: most, bad: bad}
}

// known is the error of a record that is bad by what earlier attempts told; nil if it is not.
func (k *skips) known(input string, number int64) error {
	for i := range k.bad {
		if k.bad[i].Number == number && k.bad[i].Input == input {
			return errors.New(k.bad[i].Reason)
		}
	}
	return nil
}

// knowing is around for an attempt that leaves records out: those that are known to be bad do not
// come to it, and which one is at hand is told, should it not return.
func knowing(r *splitReader, around func(mapRecord func() error) error) func(mapRecord func() error) error {
	if r.skips == nil {
		return around
	}
	number := int64(0)
	return func(mapRecord func() error) error {
		number++
		n := r.numbered(number)
		if err := r.skips.known(r.source.Name(), n); err != nil {
			return ofMap(err)
		}
		if r.progress != nil {
			r.progress.Record(n)
		}
		return around(mapRecord)
	}
}

// leaveOut takes the error of a map for a record and returns nil if the record is left out: unless
// the error is one that another record would meet, too, or is said to be permanent and not the
// record's own fault, or too many have been left out.
func (k *skips) leaveOut(e *RecordError) error {
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

// count counts the records left out, and returns them.
func (k *skips) count(c *counter.Set) []cluster.Skipped {
	if k == nil || len(k.list) == 0 {
		return nil
	}
	c.Add(counter.MapSkippedRecords, int64(len(k.list)-k.counted))
	k.counted = len(k.list)
	return k.list
}

// refused deals with the error err of record rec of a run, and returns nil if the record is left
// out.
func (s *splitReader) refused(run, rec []byte, err error) error {
	f, isMap := errors.AsType[*mapFault](err)
	at, first, now := s.at, s.first, s.now
	s.stoppedAt(run, rec)
	if !isMap || s.skips == nil || s.ctx.Err() != nil { // what a map returns that was stopped says nothing
		return err
	}
	placed := s.recordError(f, s.number)
	if err := s.skips.leaveOut(placed); err != nil {
		if errors.Is(err, cluster.ErrTooManySkips) {
			return err
		}
		return f
	}
	s.at, s.first, s.now = at, first, now
	return nil
}

// trial runs the user's code for a record such that it leaves nothing behind if it fails: then drop
// is called, and the user's counters are put back.
func trial(c *counter.Set, code func() error, drop func()) error {
	restore := c.Snapshot()
	err := recovered(code)
	if err == nil {
		return nil
	}
	drop()
	restore()
	return err
}

// recovered makes a panic of f an error, but for a fault on an address outside the Go heap, which
// tells of the input.
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

// heldPairs keeps what a map emits for one record until that is known to be good: as bytes, for its
// owner may overwrite it.
type heldPairs struct {
	bytes []byte
	ends  []int        // of keys and values in turn
	gate  *memory.Gate // of the emit that it stands for
}

// hold is an emit for an encoded pair.
func (h *heldPairs) hold(key, value []byte) {
	h.gate.Sign()
	h.bytes = append(h.bytes, key...)
	h.ends = append(h.ends, len(h.bytes))
	h.bytes = append(h.bytes, value...)
	h.ends = append(h.ends, len(h.bytes))
}

// each calls f with each pair, until it fails.
func (h *heldPairs) each(f func(key, value []byte) error) error {
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

func (h *heldPairs) drop() { h.bytes, h.ends = h.bytes[:0], h.ends[:0] }

// holding has what is written from now on stay such that it can be taken back: keep lets the records
// of one input record stand, drop takes them back.
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
