package mapreduce

import (
	"cmp"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// recordWriter encodes records into the part of an attempt.
type recordWriter[O any] struct {
	part    *output.PartWriter
	encode  func(dst []byte, rec O) ([]byte, error)
	emit    func(O)
	records int64
	failed  error
	budget  *cluster.Memory
	charged int64
	gate    memory.Gate // of emit, shut between calls of the user's
	held    bool        // what is written may be taken back: see writing
	router  *router[O]  // nil: all records go to part
	own     *ownPart[O] // nil: records are encoded
	image   int         // as of the output; 0 if records do not go to part one by one
}

// newRecordWriter begins the part of an attempt on a host. It must be closed.
func newRecordWriter[O any](p *cluster.Bound, t *Task, host string, out Output[O]) (*recordWriter[O], error) {
	w := &recordWriter[O]{budget: t.budget, charged: 2*output.FlushSize + p.Output.Memory()}
	at := p.Output.Part(t.id)
	at.Tasks, at.Host, at.Budget = p.Reduces, host, t.budget
	if p.MapOnly {
		at.Tasks = p.Maps
	}
	if err := w.open(p, t, at, out); err != nil {
		return nil, err
	}
	w.budget.Acquire(w.charged)
	if out.route != nil {
		w.router = &router[O]{
			Routes: output.NewRoutes(p.Output, t.id, w.part, out.head, w.budget), route: out.route, encode: w.encode,
		}
	}
	if out.route == nil && !out.own {
		w.image = out.image
	}
	w.gate = memory.NewGate(w.budget.Life())
	w.gate.Shut()
	w.emit = w.write
	if emit, ok := any(w.plain(out.end)).(func(O)); ok && out.plain {
		w.emit = emit
	}
	return w, nil
}

// open opens the part.
func (w *recordWriter[O]) open(p *cluster.Bound, t *Task, at output.Part, out Output[O]) (err error) {
	if out.own {
		if w.own, err = openPart(p.Output, t, at, out.open); err == nil {
			w.part = output.WriterOf(w.own.file)
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

func (w *recordWriter[O]) write(o O) {
	var err error
	w.gate.Sign()
	w.records++
	if w.own != nil {
		if w.held {
			w.own.hold(o)
		} else if w.failed == nil {
			w.failed = w.own.write(o)
		}
		return
	}
	if w.router != nil {
		if err = w.router.write(o); err == nil && !w.held {
			err = w.router.Settle()
		}
		w.failed = cmp.Or(w.failed, err)
		return
	}
	if w.part.Buf, err = w.encode(w.part.Buf, o); err != nil && w.failed == nil {
		w.failed = err
	}
	if len(w.part.Buf) >= output.FlushSize && !w.held {
		w.part.Flush()
	}
}

// writeAll is emit for many records, whose gaps are zero. Images go to the part as they are, at once.
func (w *recordWriter[O]) writeAll(list []O) {
	if w.image == 0 || len(list) == 0 {
		for _, o := range list {
			w.emit(o)
		}
		return
	}
	w.gate.Sign()
	w.records += int64(len(list))
	_, _ = w.part.Write(imagesOf(list)) // part keeps the error
}

// plain returns the emit for records of bytes.
func (w *recordWriter[O]) plain(end string) func([]byte) {
	part := w.part
	return func(o []byte) {
		w.gate.Sign()
		w.records++
		if len(o) >= output.DirectSize {
			_, _ = part.Write(o) // part keeps the error
		} else {
			part.Buf = append(part.Buf, o...)
		}
		part.Buf = append(part.Buf, end...)
		if len(part.Buf) >= output.FlushSize {
			part.Flush()
		}
	}
}

func (w *recordWriter[O]) err() error {
	if w.failed != nil {
		return w.failed
	}
	return w.part.Err
}

// close ends the part of an attempt that has failed so far, or has not, and returns the first error of
// all.
func (w *recordWriter[O]) close(failed error) error {
	w.gate.Shut()
	var err error
	if w.router != nil {
		err = w.router.Close(w.failed)
	}
	w.budget.Release(w.charged)
	w.charged = 0
	failed = cmp.Or(failed, w.failed)
	if w.own == nil {
		return cmp.Or(failed, err, w.part.Close())
	}
	if failed == nil {
		failed = w.own.settle()
	}
	return w.own.end(failed)
}

// imagesOf is the memory of values.
func imagesOf[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(*new(T))))
}
