package mapreduce

import (
	"cmp"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// recordWriter encodes records into the part of an attempt.
type recordWriter[O any] struct {
	part    *partWriter
	encode  func(dst []byte, rec O) ([]byte, error)
	emit    func(O)
	records int64
	failed  error
	budget  *Memory
	charged int64
	gate    memory.Gate // of emit, shut between calls of the user's
	held    bool        // what is written may be taken back: see writing
	router  *router[O]  // nil: all records go to part
}

func newRecordWriter[O any](p *Plan, r *Resources, id AttemptID, out Output[O]) (*recordWriter[O], error) {
	encode, err := out.encoder()
	if err != nil {
		return nil, err
	}
	at := p.output.part(id)
	at.tasks, at.host, at.budget = p.reduces, r.Host, r.Budget
	if p.mapOnly {
		at.tasks = p.maps
	}
	part, err := p.output.begin(at)
	if err != nil {
		return nil, err
	}
	part.buf = append(part.buf, out.head...)
	w := &recordWriter[O]{
		part: part, encode: encode, budget: r.Budget,
		charged: 2*flushSize + p.output.compression.memory(),
	}
	r.Budget.Acquire(w.charged)
	if out.route != nil {
		w.router = &router[O]{
			w: w, route: out.route, head: out.head, to: p.output, id: id, files: map[string]*routedFile{},
		}
	}
	w.gate = memory.NewGate(r.Budget.Life())
	w.gate.Shut()
	w.emit = w.write
	if emit, ok := any(w.plain(out.end)).(func(O)); ok && out.plain {
		w.emit = emit
	}
	return w, nil
}

func (w *recordWriter[O]) write(o O) {
	var err error
	w.gate.Sign()
	w.records++
	if w.router != nil {
		if err = w.router.write(o); err == nil && !w.held {
			err = w.router.settle()
		}
		w.failed = cmp.Or(w.failed, err)
		return
	}
	if w.part.buf, err = w.encode(w.part.buf, o); err != nil && w.failed == nil {
		w.failed = err
	}
	if len(w.part.buf) >= flushSize && !w.held {
		w.part.flush()
	}
}

// directSize is the size from which a record of bytes is written as it is, not
// by way of the buffer.
const directSize = 32 << 10

// plain returns the emit for records of bytes.
func (w *recordWriter[O]) plain(end string) func([]byte) {
	part := w.part
	return func(o []byte) {
		w.gate.Sign()
		w.records++
		if len(o) >= directSize {
			_, _ = part.Write(o) // part keeps the error
		} else {
			part.buf = append(part.buf, o...)
		}
		part.buf = append(part.buf, end...)
		if len(part.buf) >= flushSize {
			part.flush()
		}
	}
}

func (w *recordWriter[O]) err() error {
	if w.failed != nil {
		return w.failed
	}
	return w.part.err
}

// close ends the part and returns the first error of all. It may be called again.
func (w *recordWriter[O]) close() error {
	w.gate.Shut()
	var err error
	if w.router != nil {
		err = w.router.close()
	}
	w.budget.Release(w.charged)
	w.charged = 0
	return cmp.Or(w.failed, err, w.part.close())
}
