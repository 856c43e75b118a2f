package write

import (
	"cmp"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
)

// Writer writes the records that an attempt emits to its part of the output.
type Writer struct {
	Part    *output.PartWriter
	Records int64       // written so far
	Failed  error       // the first error of a record
	Gate    memory.Gate // lets emit be called only within user code
	Image   int         // Form.Image; 0 if records do not go to Part one by one

	encode  Append
	sink    sink   // nil: encoded records go to Part
	plain   bool   // records are []byte, and go to Part as they are
	end     string // written after each plain record
	held    bool   // written records may be discarded; see Hold
	budget  *cluster.Memory
	charged int64
}

// sink takes records in place of the part's buffer: a router or an ownPart.
type sink interface {
	write(rec memory.Pointer, held bool) error // held: until Settle or Drop
	Settle() error                             // writes the held records
	Drop()                                     // discards them
	end(failed error) error                    // ends the part, after the attempt's error so far
}

// ToPart calls write with the writer of an attempt's part, and closes it even after a panic. It
// returns the number of records and their bytes before compression.
func ToPart(p *cluster.Bound, t *task.Task, host string, out *Form, write func(w *Writer) error) (records, bytes int64, err error) {
	w, err := newWriter(p, t, host, out)
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
	return w.Records, w.Part.Bytes, err
}

// newWriter starts the part of an attempt on a host. The caller must close it.
func newWriter(p *cluster.Bound, t *task.Task, host string, out *Form) (*Writer, error) {
	w := &Writer{budget: t.Budget, charged: 2*output.FlushSize + p.Output.Memory(), plain: out.Plain, end: out.end}
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
	case out.Route != nil:
		routes := output.NewRoutes(p.Output, t.ID, w.Part, out.Head, w.budget)
		w.sink = &router{Routes: routes, part: w.Part, route: out.Route, encode: w.encode}
	case w.sink == nil:
		w.Image = out.Image
	}
	w.Gate = memory.NewGate(w.budget.Liveness())
	w.Gate.Shut()
	return w, nil
}

// open creates the file of the part, with the user's writer if the output has one.
func (w *Writer) open(p *cluster.Bound, t *task.Task, at output.Part, out *Form) (err error) {
	if out.Open != nil {
		own, err := openPart(p.Output, t, at, out)
		if err == nil {
			w.Part, w.sink = output.WriterOf(own.file), own
		}
		return err
	}
	if w.encode, err = out.Encoder(); err != nil {
		return err
	}
	if w.Part, err = p.Output.Begin(at); err == nil {
		w.Part.Buf = append(w.Part.Buf, out.Head...)
	}
	return err
}

// EmitTo returns the func(O) that user code calls. It copies records to one place: no allocations.
func EmitTo[O any](w *Writer) func(O) {
	if w.plain && !w.held {
		if emit, ok := any(w.writeBytes()).(func(O)); ok {
			return emit
		}
	}
	place := new(O)
	at := memory.Raw(unsafe.Pointer(place))
	return func(rec O) {
		*place = rec
		w.Write(at)
	}
}

// Write writes the record at rec; Err has its error.
func (w *Writer) Write(rec memory.Pointer) {
	var err error
	w.Gate.Sign()
	w.Records++
	if w.sink != nil {
		if w.Failed == nil {
			w.Failed = w.sink.write(rec, w.held)
		}
		return
	}
	if w.Part.Buf, err = w.encode(w.Part.Buf, rec); err != nil && w.Failed == nil {
		w.Failed = err
	}
	if len(w.Part.Buf) >= output.FlushSize && !w.held {
		w.Part.Flush()
		w.noteError()
	}
}

// Hold makes later writes revocable: check returns their error, keep keeps those so far, and drop
// discards them since the last keep.
func (w *Writer) Hold() (check, keep func() error, drop func()) {
	w.held = true
	bytes, records := len(w.Part.Buf), w.Records
	keep = func() error {
		if w.sink != nil && w.Failed == nil {
			w.Failed = w.sink.Settle()
		}
		if len(w.Part.Buf) >= output.FlushSize {
			w.Part.Flush()
			w.noteError()
		}
		bytes, records = len(w.Part.Buf), w.Records
		return nil
	}
	drop = func() {
		if w.sink != nil {
			w.sink.Drop()
		}
		w.Part.Buf, w.Records, w.Failed = w.Part.Buf[:bytes], records, nil
	}
	return func() error { return w.Failed }, keep, drop
}

// noteError makes the map or reduce end with the error of the part, if there is one.
func (w *Writer) noteError() { w.Failed = cmp.Or(w.Failed, w.Part.Err) }

// WriteImages writes n records as their memory; their gaps are zero.
func (w *Writer) WriteImages(n int, images []byte) {
	w.Gate.Sign()
	w.Records += int64(n)
	_, _ = w.Part.Write(images) // part keeps the error
	w.noteError()
}

// writeBytes returns the func([]byte) that user code calls if records are written as they are.
//
//go:noinline
func (w *Writer) writeBytes() func([]byte) {
	part, end := w.Part, w.end
	return func(o []byte) {
		w.Gate.Sign()
		w.Records++
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

// Err returns the first error of a write.
func (w *Writer) Err() error {
	if w.Failed != nil {
		return w.Failed
	}
	return w.Part.Err
}

// close ends the part of an attempt, whose error so far is failed, and returns the first error.
func (w *Writer) close(failed error) error {
	w.Gate.Shut()
	w.budget.Release(w.charged)
	failed = cmp.Or(failed, w.Failed)
	if w.sink != nil {
		return w.sink.end(failed)
	}
	return cmp.Or(failed, w.Part.Close())
}
