package kept

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// writer writes the output of one attempt into a store.
type writer struct {
	data   *Data // nil if only the fingerprint is needed
	host   string
	lost   bool // lost with its node; guarded by the store's mutex
	closed bool
	print  *printer
	check  func(run []byte) error // may be nil
}

// Write implements io.Writer; p is a run of whole records.
func (w *writer) Write(p []byte) (int, error) {
	if w.check != nil {
		if err := w.check(p); err != nil {
			return 0, err
		}
	}
	if err := w.print.run(p); err != nil {
		return 0, err
	}
	if w.data != nil {
		if err := w.data.write(p, w.print.form); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Close implements io.Closer. It seals the part's data.
func (w *writer) Close() error {
	if w.data == nil || w.closed {
		return nil
	}
	w.closed = true
	defer w.data.Drop()
	return w.data.seal()
}

// filling makes a Store the output of one job: the records of k or, with again set, the lost parts
// of k once more. The store's mutex guards it.
type filling struct {
	k       *Store
	again   bool
	pending map[string]*writer // by attempt; nil unless the job is running
	parts   []*part            // committed, by task
}

func (o *filling) Name() string { return o.k.o.Name }

// Setup begins a job's writing.
func (o *filling) Setup() error {
	k := o.k
	k.mu.Lock()
	defer k.mu.Unlock()
	first := func(o *filling) bool { return !o.again }
	if o.pending != nil || !o.again && (k.whole || k.released || slices.ContainsFunc(k.filling, first)) {
		return fmt.Errorf("output %s: %w", k.o.Name, output.ErrDestinationUsed)
	}
	o.pending = map[string]*writer{}
	k.filling = append(k.filling, o)
	return nil
}

// end ends a job's writing: it frees what has not become part of k. Late calls of the job's
// attempts have no effect. The caller holds mu.
func (o *filling) end() {
	for _, w := range o.pending {
		w.data.Drop()
	}
	for _, p := range o.parts {
		p.drop()
	}
	o.pending, o.parts = nil, nil
	o.k.filling = slices.DeleteFunc(o.k.filling, func(x *filling) bool { return x == o })
}

func (o *filling) Create(p output.Part) (io.WriteCloser, error) {
	k := o.k
	k.mu.Lock()
	defer k.mu.Unlock()
	if o.pending == nil {
		return nil, output.ErrEnded
	}
	w := &writer{host: p.Host, print: newPrinter(&k.form)}
	if k.check != nil {
		w.check = k.check(p)
	}
	if !o.again || slices.Contains(k.lost(), p.Index) {
		w.data = newData(&k.o, p.Budget).hold() // one reference for the parts, one for the writer
	}
	o.pending[p.Attempt] = w
	return w, nil
}

func (o *filling) Commit(p output.Part) error {
	o.k.mu.Lock()
	defer o.k.mu.Unlock()
	if o.pending == nil {
		return output.ErrEnded
	}
	w := o.pending[p.Attempt]
	if w == nil {
		return fmt.Errorf("mapreduce: commit of unknown attempt %s", p.Attempt)
	}
	delete(o.pending, p.Attempt)
	for len(o.parts) <= p.Index {
		o.parts = append(o.parts, nil)
	}
	o.parts[p.Index] = &part{fingerprint: w.print.print(), host: w.host, data: w.data}
	if w.lost {
		o.parts[p.Index].drop()
	}
	return nil
}

func (o *filling) Discard(p output.Part) error {
	o.k.mu.Lock()
	defer o.k.mu.Unlock()
	if w := o.pending[p.Attempt]; w != nil {
		delete(o.pending, p.Attempt)
		w.data.Drop()
	}
	return nil
}

// Success ends the writing of a job that has succeeded: k gets its parts.
func (o *filling) Success() error {
	k := o.k
	k.mu.Lock()
	defer k.mu.Unlock()
	defer o.end()
	if o.again {
		return k.refill(o.parts)
	}
	k.parts, k.whole, o.parts = o.parts, true, nil
	k.freeReleased()
	return nil
}

// Abort ends the writing of a job that has failed; another job may then fill k.
func (o *filling) Abort() error {
	o.k.mu.Lock()
	defer o.k.mu.Unlock()
	o.end()
	return nil
}

// refill moves the parts that k has lost from made, all parts of a rerun of its job. The caller
// holds mu.
func (k *Store) refill(made []*part) error {
	if len(made) != len(k.parts) {
		return fmt.Errorf("%s has %d parts, made again it has %d: %w", k.o.Name, len(k.parts), len(made), ErrOtherData)
	}
	for i, p := range made {
		if was := k.parts[i]; !p.equal(was.fingerprint) {
			return fmt.Errorf("%s has %d records, made again %s: %w", k.partName(i), was.records, p.unlike(was.fingerprint), ErrOtherData)
		}
	}
	for i, p := range made {
		if was := k.parts[i]; was.data == nil && p.data != nil {
			was.data, was.host, p.data = p.data, p.host, nil
		}
	}
	k.freeReleased()
	return nil
}

// unlike says, for a message, how the records of f differ from those of g.
func (f fingerprint) unlike(g fingerprint) string {
	if f.records != g.records {
		return fmt.Sprint(f.records)
	}
	return cmp.Or(map[bool]string{true: "as many with other numbers"}[f.hash == g.hash && f.bytes == g.bytes], "as many others")
}
