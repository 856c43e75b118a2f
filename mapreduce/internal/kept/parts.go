package kept

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

var (
	// ErrReleased is wrapped by the error of a job that would read records that were kept and have
	// been released.
	ErrReleased = errors.New("released")
	// ErrPartLost is wrapped by the error of an attempt that reads a part that was kept and is
	// lost, with its node or by a damaged spill. It is permanent: the part must be made again
	// first.
	ErrPartLost = errors.New("a part is lost")
	// ErrOtherData is wrapped by the error of a job that was to make lost parts again and made
	// others.
	ErrOtherData = errors.New("the same job has made other records than before: something that its functions look at, " +
		"such as a variable, has changed since")
)

// Options say where records are kept; the zero value is useful.
type Options struct {
	// Name is what a person calls them; empty is "kept records".
	Name string
	// Pool supplies the memory; nil means fresh buffers. What pays for it is the budget of the
	// attempts that write: a part that this, or the half of the limit that may be kept, does not
	// bear goes to Spills, or if that is nil to a file of its own in SpillDir; empty means
	// os.TempDir.
	Pool     *memory.Pool
	Spills   *segment.Files
	SpillDir string
	// Owner is whatever Store.Owner is to return.
	Owner any
}

// Store has the parts of a job's output that stay in memory, whatever the type of their records:
// the side of a dataset that those see who run jobs. All methods are safe for concurrent use.
type Store struct {
	o     Options
	form  partForm
	check func(p output.Part) func(run []byte) error // see New
	redo  *Store                                     // that this is to fill the gaps of; nil: the first

	mu       sync.Mutex
	pending  map[string]*writer // by attempt
	parts    []*part            // committed, by task
	run      int                // counts the jobs that have begun to fill it
	used     bool               // by a job that has not failed
	whole    bool               // that job has succeeded
	released bool
	holds    int      // plans that read it
	redone   []*Store // being made, to fill the gaps of this
}

// partForm is what is known of the type of the records.
type partForm interface {
	records
	printer() partPrinter
}

// partPrinter makes a fingerprint.
type partPrinter interface {
	run(b []byte) error
	print() fingerprint
}

// part is a committed part.
type part struct {
	fingerprint
	host string
	data *Data // nil: lost, or released
}

// New returns what a job is to fill with records of a form. check may be nil; else it is asked for
// each part, and what it returns, if not nil, for each run of records that is written there.
func New(o Options, form partForm, check func(p output.Part) func(run []byte) error) *Store {
	if o.Name == "" {
		o.Name = "kept records"
	}
	return &Store{o: o, form: form, check: check}
}

// Again returns parts for the same job when it runs once more, for those of k that are lost: they
// go to k when it succeeds.
func (k *Store) Again() *Store {
	return &Store{o: k.o, form: k.form, check: k.check, redo: k}
}

// Destination is where the job writes that fills k.
func (k *Store) Destination() output.Destination { return output.To(&filling{k: k}) }

// Owner is that of the options.
func (k *Store) Owner() any { return k.o.Owner }

// Name is that of the options.
func (k *Store) Name() string { return k.o.Name }

// Parts is the number of parts; 0 before the job has succeeded.
func (k *Store) Parts() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.whole {
		return 0
	}
	return len(k.parts)
}

// Size counts the records, their bytes as they are kept, and how many of these are on the disk; all
// are 0 before the job has succeeded, and what is lost or released is nowhere.
func (k *Store) Size() (records, bytes, spilled int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.parts {
		if k.whole && p != nil {
			records, bytes = records+p.records, bytes+p.bytes
			if p.data != nil {
				spilled += p.data.spilled()
			}
		}
	}
	return records, bytes, spilled
}

// Lost lists the parts that are lost. Of those that are released none is lost, unless a job reads
// them: then all are.
func (k *Store) Lost() (list []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.whole || k.released && k.holds == 0 {
		return nil
	}
	for i, p := range k.parts {
		if p.data == nil {
			list = append(list, i)
		}
	}
	return list
}

// Lose gives up all parts that lie on a node, those that attempts there write included.
func (k *Store) Lose(host string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, w := range k.pending {
		w.lost = w.lost || w.host == host
	}
	for _, p := range k.parts {
		if p != nil && p.host == host {
			p.data.Drop()
			p.data = nil
		}
	}
	for _, a := range k.redone {
		a.Lose(host)
	}
}

// Hosts are the nodes on which the parts lie, empty for one that is lost or that no node wrote.
func (k *Store) Hosts() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := make([]string, len(k.parts))
	for i, p := range k.parts {
		if p != nil && p.data != nil {
			list[i] = p.host
		}
	}
	return list
}

// Release gives the memory back, as soon as no job reads it any more. A second Release does
// nothing.
func (k *Store) Release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.released = true
	if k.holds == 0 {
		k.empty()
	}
}

// empty drops the records of all parts. The caller holds mu.
func (k *Store) empty() {
	for _, p := range k.parts {
		if p != nil {
			p.data.Drop()
			p.data = nil
		}
	}
}

// Hold keeps the records until LetGo; with revive set also those that are released, as far as they
// are made again.
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

// LetGo ends Hold.
func (k *Store) LetGo() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.holds--
	if k.released && k.holds == 0 {
		k.empty()
	}
}

// Open returns the records of a part, to be dropped.
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

// Damaged gives up a part that cannot be read back from the disk.
func (k *Store) Damaged(index int, data *Data, err error) error {
	if !errors.Is(err, ErrPartLost) {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.parts[index]; p.data == data {
		p.data.Drop()
		p.data = nil
	}
	return fault.Permanent(fmt.Errorf("%s: %w", k.partName(index), err))
}

// partName is what a person calls a part.
func (k *Store) partName(index int) string { return fmt.Sprintf("%s, part %d", k.o.Name, index) }

// sizeOf is the bytes of a part as it is kept; host the node it lies on.
func (k *Store) sizeOf(index int) (size int64, host string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.parts[index]
	if p.data != nil {
		host = p.host
	}
	return p.bytes, host
}
