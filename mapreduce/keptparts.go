package mapreduce

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/output"
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

// KeptOptions say where records are kept; the zero value is useful.
type KeptOptions struct {
	// Name is what a person calls them; empty is "kept records".
	Name string
	// Pool supplies the memory; nil means fresh buffers. What pays for it is the budget of the
	// attempts that write: a part that this, or the half of the limit that may be kept, does not
	// bear goes to Spills, or if that is nil to a file of its own in SpillDir; empty means
	// os.TempDir.
	Pool     *Buffers
	Spills   *Spills
	SpillDir string
	// Owner is whatever KeptParts.Owner is to return.
	Owner any
}

// KeptParts are the parts of a job's output that stay in memory, whatever the type of their
// records: the side of [Kept] that those see who run jobs. All methods are safe for concurrent use.
type KeptParts struct {
	o    KeptOptions
	form partForm
	redo *KeptParts // that this is to fill the gaps of; nil: the first

	mu       sync.Mutex
	pending  map[string]*keptWriter // by attempt
	parts    []*keptPart            // committed, by task
	run      int                    // counts the jobs that have begun to fill it
	used     bool                   // by a job that has not failed
	whole    bool                   // that job has succeeded
	released bool
	holds    int          // plans that read it
	again    []*KeptParts // being made, to fill the gaps of this
}

// partForm is what is known of the type of the records.
type partForm interface {
	records
	printer() partPrinter
	// checker is asked for each part; it may be nil.
	checker(p output.Part) func(run []byte) error
}

// partPrinter makes a fingerprint.
type partPrinter interface {
	run(b []byte) error
	print() fingerprint
}

// keptPart is a committed part.
type keptPart struct {
	fingerprint
	host string
	data *keptData // nil: lost, or released
}

// Owner is that of the options.
func (k *KeptParts) Owner() any { return k.o.Owner }

// Name is that of the options.
func (k *KeptParts) Name() string { return k.o.Name }

// Parts is the number of parts; 0 before the job has succeeded.
func (k *KeptParts) Parts() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.whole {
		return 0
	}
	return len(k.parts)
}

// Size counts the records, their bytes as they are kept, and how many of these are on the disk; all
// are 0 before the job has succeeded, and what is lost or released is nowhere.
func (k *KeptParts) Size() (records, bytes, spilled int64) {
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
func (k *KeptParts) Lost() (list []int) {
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
func (k *KeptParts) Lose(host string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, w := range k.pending {
		w.lost = w.lost || w.host == host
	}
	for _, p := range k.parts {
		if p != nil && p.host == host {
			p.data.drop()
			p.data = nil
		}
	}
	for _, a := range k.again {
		a.Lose(host)
	}
}

// Hosts are the nodes on which the parts lie, empty for one that is lost or that no node wrote.
func (k *KeptParts) Hosts() []string {
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
func (k *KeptParts) Release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.released = true
	if k.holds == 0 {
		k.empty()
	}
}

// empty drops the records of all parts. The caller holds mu.
func (k *KeptParts) empty() {
	for _, p := range k.parts {
		if p != nil {
			p.data.drop()
			p.data = nil
		}
	}
}

// hold keeps the records until letGo; with revive set also those that are released, as far as they
// are made again.
func (k *KeptParts) hold(revive bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !k.whole:
		return fmt.Errorf("%s: %w", k.o.Name, ErrNotCollected)
	case k.released && !revive:
		return fmt.Errorf("%s: %w", k.o.Name, ErrReleased)
	}
	k.holds++
	return nil
}

func (k *KeptParts) letGo() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.holds--
	if k.released && k.holds == 0 {
		k.empty()
	}
}

// open returns the records of a part, to be dropped.
func (k *KeptParts) open(index int) (*keptData, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.parts[index]
	switch {
	case p.data != nil:
		return p.data.hold(), nil
	case k.released:
		return nil, Permanent(fmt.Errorf("%s: %w", k.partName(index), ErrReleased))
	}
	return nil, Permanent(fmt.Errorf("%s, on %s: %w", k.partName(index), p.host, ErrPartLost))
}

// damaged gives up a part that cannot be read back from the disk.
func (k *KeptParts) damaged(index int, data *keptData, err error) error {
	if !errors.Is(err, ErrPartLost) {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.parts[index]; p.data == data {
		p.data.drop()
		p.data = nil
	}
	return Permanent(fmt.Errorf("%s: %w", k.partName(index), err))
}

// partName is what a person calls a part.
func (k *KeptParts) partName(index int) string { return fmt.Sprintf("%s, part %d", k.o.Name, index) }

// sizeOf is the bytes of a part as it is kept; host the node it lies on.
func (k *KeptParts) sizeOf(index int) (size int64, host string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.parts[index]
	if p.data != nil {
		host = p.host
	}
	return p.bytes, host
}
