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
	ends   records
	print  partPrinter
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
		if err := w.data.write(p, w.ends); err != nil {
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

// filling makes a Store the output of one job. Late calls of an earlier job's attempts have no
// effect.
type filling struct {
	k   *Store
	run int // of k; 0 before Setup
}

func (o *filling) Name() string { return o.k.o.Name }

// Setup starts a job's writing and notes its number.
func (o *filling) Setup() error {
	k := o.k
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.used || k.released {
		return fmt.Errorf("output %s: %w", k.o.Name, output.ErrDestinationUsed)
	}
	k.used = true
	k.run++
	if k.redo != nil {
		k.redo.begin(k)
	}
	o.run = k.run
	return nil
}

// begin notes that made is recomputing lost parts of k.
func (k *Store) begin(made *Store) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.redone = append(k.redone, made)
}

func (o *filling) Create(p output.Part) (io.WriteCloser, error) {
	k := o.k
	wanted := k.redo == nil || k.redo.lacks(p.Index)
	k.mu.Lock()
	defer k.mu.Unlock()
	if o.run != k.run || !k.used || k.whole {
		return nil, output.ErrEnded
	}
	w := &writer{host: p.Host, ends: k.form, print: k.form.printer()}
	if k.check != nil {
		w.check = k.check(p)
	}
	if wanted {
		w.data = newData(&k.o, p.Budget).hold() // one reference for the parts, one for the writer
	}
	if k.pending == nil {
		k.pending = map[string]*writer{}
	}
	k.pending[p.Attempt] = w
	return w, nil
}

// lacks reports whether part index is lost.
func (k *Store) lacks(index int) bool { return slices.Contains(k.Lost(), index) }

func (o *filling) Commit(p output.Part) error {
	k := o.k
	k.mu.Lock()
	defer k.mu.Unlock()
	if o.run != k.run {
		return output.ErrEnded
	}
	w := k.pending[p.Attempt]
	if w == nil {
		return fmt.Errorf("mapreduce: commit of unknown attempt %s", p.Attempt)
	}
	delete(k.pending, p.Attempt)
	for len(k.parts) <= p.Index {
		k.parts = append(k.parts, nil)
	}
	if w.lost {
		w.data.Drop()
		w.data = nil
	}
	k.parts[p.Index] = &part{fingerprint: w.print.print(), host: w.host, data: w.data}
	return nil
}

func (o *filling) Discard(p output.Part) error {
	k := o.k
	k.mu.Lock()
	defer k.mu.Unlock()
	if o.run != k.run {
		return nil
	}
	if w := k.pending[p.Attempt]; w != nil {
		delete(k.pending, p.Attempt)
		w.data.Drop()
	}
	return nil
}

// Success ends a job's writing: k is whole. Recomputed parts move to the store that lost them.
func (o *filling) Success() error {
	k := o.k
	k.mu.Lock()
	k.whole = true
	k.mu.Unlock()
	if k.redo == nil {
		return nil
	}
	err := k.redo.fill(k)
	k.Release()
	return err
}

// Abort frees what the job has written; another job may then fill k.
func (o *filling) Abort() error {
	k := o.k
	k.redo.forget(k)
	k.mu.Lock()
	defer k.mu.Unlock()
	if o.run != k.run {
		return nil
	}
	for _, w := range k.pending {
		w.data.Drop()
	}
	k.empty()
	k.pending, k.parts, k.used, k.whole = nil, nil, false, false
	return nil
}

// forget ends begin: made does not recompute parts of k any more.
func (k *Store) forget(made *Store) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.redone = slices.DeleteFunc(k.redone, func(x *Store) bool { return x == made })
}

// fill moves the lost parts of k from made, which has recomputed them, into k.
func (k *Store) fill(made *Store) error {
	k.forget(made)
	k.mu.Lock()
	defer k.mu.Unlock()
	made.mu.Lock()
	defer made.mu.Unlock()
	if len(made.parts) != len(k.parts) {
		return fmt.Errorf("%s has %d parts, made again it has %d: %w", k.o.Name, len(k.parts), len(made.parts), ErrOtherData)
	}
	for i, p := range made.parts {
		if was := k.parts[i]; !p.equal(was.fingerprint) {
			return fmt.Errorf("%s has %d records, made again %s: %w", k.partName(i), was.records, p.unlike(was.fingerprint), ErrOtherData)
		}
	}
	if k.released && k.holds == 0 {
		return nil
	}
	for i, p := range made.parts {
		if k.parts[i].data == nil && p.data != nil {
			k.parts[i].data, k.parts[i].host, p.data = p.data, p.host, nil
		}
	}
	return nil
}

// unlike says, for a message, how the records of f differ from those of g.
func (f fingerprint) unlike(g fingerprint) string {
	if f.records != g.records {
		return fmt.Sprint(f.records)
	}
	return cmp.Or(map[bool]string{true: "as many with other numbers"}[f.hash == g.hash && f.bytes == g.bytes], "as many others")
}
