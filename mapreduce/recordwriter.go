package mapreduce

import (
	"cmp"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
)

// recordWriter writes the records that an attempt emits to its part of the output.
type recordWriter struct {
	part    *output.PartWriter
	encode  appendRecord
	records int64
	failed  error
	budget  *cluster.Memory
	charged int64
	gate    memory.Gate // lets emit be called only within user code
	held    bool        // written records may be discarded; see hold
	sink    sink        // nil: encoded records go to part
	image   int         // outputForm.image; 0 if records do not go to part one by one
	plain   bool        // records are []byte, and go to part as they are
	end     string      // written after each plain record
}

// sink takes records in place of the part's buffer: a router or an ownPart.
type sink interface {
	write(rec memory.Pointer, held bool) error // held: until Settle or Drop
	Settle() error                             // writes the held records
	Drop()                                     // discards them
	end(failed error) error                    // ends the part, after the attempt's error so far
}

// writePart calls write with the writer of an attempt's part, and closes it even after a panic. It
// returns the number of records and their bytes before compression.
func writePart(p *cluster.Bound, t *task.Task, host string, out *outputForm, write func(w *recordWriter) error) (records, bytes int64, err error) {
	w, err := newRecordWriter(p, t, host, out)
	if err != nil {
		return 0, 0, err
	}
	closed := false
	defer func() {
		if !closed {
			_ = w.close(fault.ErrExited)
		}
	}()
	err = write(w)
	closed = true
	err = w.close(err)
	return w.records, w.part.Bytes, err
}

// newRecordWriter starts the part of an attempt on a host. The caller must close it.
func newRecordWriter(p *cluster.Bound, t *task.Task, host string, out *outputForm) (*recordWriter, error) {
	w := &recordWriter{budget: t.Budget, charged: 2*output.FlushSize + p.Output.Memory(), plain: out.plain, end: out.end}
	at := p.Output.Part(t.ID)
	at.Tasks, at.Host, at.Budget = p.Reduces, host, t.Budget
	if p.MapOnly {
		at.Tasks = p.Maps
	}
	if err := w.open(p, t, at, out); err != nil {
		return nil, err
	}
	w.budget.Acquire(w.charged)
	switch {
	case out.route != nil:
		routes := output.NewRoutes(p.Output, t.ID, w.part, out.head, w.budget)
		w.sink = &router{Routes: routes, part: w.part, route: out.route, encode: w.encode}
	case w.sink == nil:
		w.image = out.image
	}
	w.gate = memory.NewGate(w.budget.Liveness())
	w.gate.Shut()
	return w, nil
}

// open creates the file of the part, with the user's writer if the output has one.
func (w *recordWriter) open(p *cluster.Bound, t *task.Task, at output.Part, out *outputForm) (err error) {
	if out.open != nil {
		own, err := openPart(p.Output, t, at, out)
		if err == nil {
			w.part, w.sink = output.WriterOf(own.file), own
		}
		return err
	}
	if w.encode, err = out.encoder(); err != nil {
		return err
	}
	if w.part, err = p.Output.Begin(at); err == nil {
		w.part.Buf = append(w.part.Buf, out.head...)
	}
	return err
}

// emitTo returns the func(O) that user code calls. It copies records to one place: no allocations.
func emitTo[O any](w *recordWriter) func(O) {
	if w.plain && !w.held {
		if emit, ok := any(w.writeBytes()).(func(O)); ok {
			return emit
		}
	}
	place := new(O)
	at := memory.Raw(unsafe.Pointer(place))
	return func(rec O) {
		*place = rec
		w.write(at)
	}
}

func (w *recordWriter) write(rec memory.Pointer) {
	var err error
	w.gate.Sign()
	w.records++
	if w.sink != nil {
		if w.failed == nil {
			w.failed = w.sink.write(rec, w.held)
		}
		return
	}
	if w.part.Buf, err = w.encode(w.part.Buf, rec); err != nil && w.failed == nil {
		w.failed = err
	}
	if len(w.part.Buf) >= output.FlushSize && !w.held {
		w.part.Flush()
		w.noteError()
	}
}

// hold makes later writes revocable: check returns their error, keep keeps those so far, and drop
// discards them since the last keep.
func (w *recordWriter) hold() (check, keep func() error, drop func()) {
	w.held = true
	bytes, records := len(w.part.Buf), w.records
	keep = func() error {
		if w.sink != nil && w.failed == nil {
			w.failed = w.sink.Settle()
		}
		if len(w.part.Buf) >= output.FlushSize {
			w.part.Flush()
			w.noteError()
		}
		bytes, records = len(w.part.Buf), w.records
		return nil
	}
	drop = func() {
		if w.sink != nil {
			w.sink.Drop()
		}
		w.part.Buf, w.records, w.failed = w.part.Buf[:bytes], records, nil
	}
	return func() error { return w.failed }, keep, drop
}

// noteError makes the map or reduce end with the error of the part, if there is one.
func (w *recordWriter) noteError() { w.failed = cmp.Or(w.failed, w.part.Err) }

// writeImages writes n records as their memory; their gaps are zero.
func (w *recordWriter) writeImages(n int, images []byte) {
	w.gate.Sign()
	w.records += int64(n)
	_, _ = w.part.Write(images) // part keeps the error
	w.noteError()
}

// writeBytes returns the func([]byte) that user code calls if records are written as they are.
//
//go:noinline
func (w *recordWriter) writeBytes() func([]byte) {
	part, end := w.part, w.end
	return func(o []byte) {
		w.gate.Sign()
		w.records++
		if len(o) >= output.DirectSize {
			_, _ = part.Write(o) // part keeps the error
			w.noteError()
		} else {
			part.Buf = append(part.Buf, o...)
		}
		part.Buf = append(part.Buf, end...)
		if len(part.Buf) >= output.FlushSize {
			part.Flush()
			w.noteError()
		}
	}
}

func (w *recordWriter) err() error {
	if w.failed != nil {
		return w.failed
	}
	return w.part.Err
}

// close ends the part of an attempt, whose error so far is failed, and returns the first error.
func (w *recordWriter) close(failed error) error {
	w.gate.Shut()
	w.budget.Release(w.charged)
	failed = cmp.Or(failed, w.failed)
	if w.sink != nil {
		return w.sink.end(failed)
	}
	return cmp.Or(failed, w.part.Close())
}
