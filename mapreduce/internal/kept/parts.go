package kept

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

var (
	// ErrReleased is wrapped by the error of a job that reads a dataset after Store.Release.
	ErrReleased = errors.New("released")
	// ErrPartLost is wrapped by the error of an attempt that reads a part whose records are lost,
	// with their node or by a damaged spill. Retries are useless: the part must be recomputed.
	ErrPartLost = errors.New("a part is lost")
	// ErrOtherData is wrapped by the error of a job that recomputed lost parts with a different
	// result.
	ErrOtherData = errors.New("the same job has made other records than before: something that its functions look at, " +
		"such as a variable, has changed since")
)

// Options say where a Store keeps records, and how messages name it; the zero value is useful.
type Options struct {
	// Name is the dataset's name in messages; empty means "kept records".
	Name string
	// Pool supplies the memory; nil allocates new buffers. The budgets of the writing attempts pay
	// for it. A part that exceeds them, or half of the limit for kept bytes, goes to Spills or, if
	// that is nil, to a file in os.TempDir.
	Pool   *memory.Pool
	Spills *segment.Files
	// Owner is any value that Store.Owner shall return.
	Owner any
}

// Store holds the parts of a job's output that stay in memory for other jobs to read, whatever the
// record type. All methods are safe for concurrent use.
type Store struct {
	o     Options
	form  Form
	check func(p output.Part) func(run []byte) error // see New

	mu       sync.Mutex
	parts    []*part    // by task; none before a job has succeeded
	whole    bool       // a job has succeeded
	filling  []*filling // the jobs that are writing
	released bool
	holds    int // number of plans that read it
}

// part is the committed output of one task.
type part struct {
	fingerprint
	host string
	data *Data // nil if lost or released
}

// drop frees the records of p, unless p is nil: its task is not committed.
func (p *part) drop() {
	if p != nil {
		p.data.Drop()
		p.data = nil
	}
}

// New returns a store for the job that fills it; form is that of its records. If check is not nil,
// it is called for each part and may return a function that checks each run of records before it is
// stored.
func New(o Options, form Form, check func(p output.Part) func(run []byte) error) *Store {
	if o.Name == "" {
		o.Name = "kept records"
	}
	return &Store{o: o, form: form, check: check}
}

// Destination returns the output for the job whose records k shall hold. With again set, it is that
// for a rerun of the same job, which recomputes the lost parts of k.
func (k *Store) Destination(again bool) output.Destination {
	return output.To(&filling{k: k, again: again})
}

// Owner returns Options.Owner: what the store's creator wants to find again.
func (k *Store) Owner() any { return k.o.Owner }

// Name returns Options.Name.
func (k *Store) Name() string { return k.o.Name }

// Parts returns the number of parts, 0 before the job has succeeded.
func (k *Store) Parts() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.parts)
}

// Size returns the number of records, their bytes as stored, and how many of these are on disk. All
// are 0 before the job has succeeded; lost and released parts are not on disk.
func (k *Store) Size() (records, bytes, spilled int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.parts {
		records, bytes = records+p.records, bytes+p.bytes
		if p.data != nil {
			spilled += p.data.spilled()
		}
	}
	return records, bytes, spilled
}

// Lost lists the lost parts. Released parts are not lost, unless a job reads them: then all are.
func (k *Store) Lost() (list []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lost()
}

// lost is Lost for a caller that holds mu.
func (k *Store) lost() (list []int) {
	if k.released && k.holds == 0 {
		return nil
	}
	for i, p := range k.parts {
		if p.data == nil {
			list = append(list, i)
		}
	}
	return list
}

// Lose drops all parts on a node, including those that attempts there are writing.
func (k *Store) Lose(host string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	parts := slices.Clip(k.parts)
	for _, o := range k.filling {
		for _, w := range o.pending {
			w.lost = w.lost || w.host == host
		}
		parts = append(parts, o.parts...)
	}
	for _, p := range parts {
		if p != nil && p.host == host {
			p.drop()
		}
	}
}

// Hosts returns the node of each part, empty for a part that is lost or that no node wrote.
func (k *Store) Hosts() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := make([]string, len(k.parts))
	for i, p := range k.parts {
		if p.data != nil {
			list[i] = p.host
		}
	}
	return list
}

// Release frees the records as soon as no plan holds them (Hold). A second Release does nothing.
func (k *Store) Release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.released = true
	k.freeReleased()
}

// freeReleased frees the records of a released store that no plan holds. The caller holds mu.
func (k *Store) freeReleased() {
	if !k.released || k.holds > 0 {
		return
	}
	for _, p := range k.parts {
		p.drop()
	}
}

// Hold makes sure that Release frees no records before LetGo. It returns an error for a released
// store, unless revive is set: its parts can then be recomputed.
func (k *Store) Hold(revive bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !k.whole:
		return fmt.Errorf("%s: %w", k.o.Name, output.ErrNotCollected)
	case k.released && !revive:
		return fmt.Errorf("%s: %w", k.o.Name, ErrReleased)
	}
	k.holds++
	return nil
}

// LetGo ends one Hold. The last one frees the records of a released store.
func (k *Store) LetGo() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.holds--
	k.freeReleased()
}

// Open returns the records of a part; the caller must Drop them. Its error may wrap ErrPartLost.
func (k *Store) Open(index int) (*Data, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.parts[index]
	switch {
	case p.data != nil:
		return p.data.hold(), nil
	case k.released:
		return nil, fault.Permanent(fmt.Errorf("%s: %w", k.partName(index), ErrReleased))
	}
	return nil, fault.Permanent(fmt.Errorf("%s, on %s: %w", k.partName(index), p.host, ErrPartLost))
}

// Damaged marks a part as lost if err wraps ErrPartLost, and returns the error to report.
func (k *Store) Damaged(index int, data *Data, err error) error {
	if !errors.Is(err, ErrPartLost) {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.parts[index]; p.data == data {
		p.drop()
	}
	return fault.Permanent(fmt.Errorf("%s: %w", k.partName(index), err))
}

// partName returns a part's name for messages.
func (k *Store) partName(index int) string { return fmt.Sprintf("%s, part %d", k.o.Name, index) }

// sizeOf returns the bytes of a part as stored, and its node.
func (k *Store) sizeOf(index int) (size int64, host string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.parts[index]
	if p.data != nil {
		host = p.host
	}
	return p.bytes, host
}
