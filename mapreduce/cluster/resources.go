package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Resources are what an attempt may use; the zero value has no limits.
type Resources struct {
	Budget   *Memory  // the attempt's sub-budget; nil means no limit
	Pool     *Buffers // nil means fresh buffers
	Spills   *Spills  // where spills go; nil means a file for each of them in SpillDir
	SpillDir string   // empty means os.TempDir
	// Pause, if not nil, is called between pieces of work; it may block while
	// the attempt is suspended and returns an error to end the attempt.
	Pause func(ctx context.Context) error
	// Host names the node that the attempt runs on, for outputs that stay there; see KeptOptions.
	Host string
	// Log is what Task.Logger writes to; nil means slog.Default.
	Log *slog.Logger
	// Progress and Counters, if not nil, receive the attempt's progress and, at
	// its end, its counters.
	Progress *Progress
	Counters *counter.Set
}

// Progress shows how far an attempt is; its owner may read it at any time.
type Progress struct {
	Bytes   atomic.Int64 // input bytes read so far (maps), shuffled (reduces)
	Records atomic.Int64 // input records so far, updated now and then; 0 for chunks
	Spilled atomic.Int64 // bytes spilled so far

	life        memory.Life
	file        atomic.Pointer[string] // that a map reads
	run, runEnd atomic.Int64           // the bytes of file, unpacked, with the record at hand
	number      atomic.Int64           // of that record, if the attempt may leave some out
	exit        error                  // of a map whose code has ended the goroutine
}

// Exited is the error of an attempt whose code has ended the goroutine it ran in, with the record
// that was at hand. Only a deferred function of that goroutine may call it.
func (p *Progress) Exited() error {
	if p.exit != nil {
		return p.exit
	}
	return fault.Exited()
}

// Where names the file that a map reads and the bytes, unpacked, among which its record is; it is
// empty before the first. Any goroutine may call it.
func (p *Progress) Where() string {
	name := p.file.Load()
	if name == nil {
		return ""
	}
	if p.runEnd.Load() == 0 {
		return *name
	}
	return fmt.Sprintf("%s, bytes %d to %d", *name, p.run.Load(), p.runEnd.Load())
}

// AtHand is the record with which the map of an attempt that may leave some out was called last, as
// a a RecordError of package mapreduce numbers it; number is 0 if there is none, or none may be
// left out. Any goroutine may call it.
func (p *Progress) AtHand() (input string, number int64) {
	name := p.file.Load()
	if name == nil {
		return "", 0
	}
	return *name, p.number.Load()
}

// Open notes the file that is read next.
func (p *Progress) Open(name string) {
	p.number.Store(0)
	p.run.Store(0)
	p.runEnd.Store(0)
	p.file.Store(&name)
}

// Run notes the bytes of that file, unpacked, that are read next.
func (p *Progress) Run(at int64, n int) {
	p.run.Store(at)
	p.runEnd.Store(at + int64(n))
}

// Record notes the number of the record that comes next, in an attempt that may leave some out.
func (p *Progress) Record(number int64) { p.number.Store(number) }

// Exit notes the error of an attempt whose code has ended the goroutine it ran in.
func (p *Progress) Exit(err error) { p.exit = err }

// Pulse returns a number that is another one when the attempt has gone on since the last call:
// when it has read, emitted, written or spilled something, changed a counter of the user's or
// called Task.Progress. Any goroutine may call it.
func (p *Progress) Pulse() int64 {
	return p.life.Ask() + p.Bytes.Load() + p.Records.Load() + p.Spilled.Load()
}

// life is what shows that the attempt goes on; nil if nobody looks.
func (r *Resources) life() *memory.Life {
	if r.Progress == nil {
		return nil
	}
	return &r.Progress.life
}

// Report hands the counters of a successful attempt to its owner.
func (r *Resources) Report(c *counter.Set) {
	if r.Counters != nil {
		r.Counters.Merge(c)
	}
	if r.Progress != nil {
		r.Progress.Spilled.Store(c.Get(counter.FileBytesWritten))
	}
}

// Memory is a byte budget that attempts share; see [NewMemory].
type Memory = memory.Budget

// NewMemory returns a budget of limit bytes; 0 or less means no limit. Give each
// attempt a Sub of it and Close that when the attempt has ended.
func NewMemory(limit int64) *Memory { return memory.NewBudget(limit) }

// Buffers is a pool of large buffers that attempts and jobs share; see [NewBuffers].
type Buffers = memory.Pool

// NewBuffers returns a pool that keeps at most idle bytes for reuse, charged to budget.
func NewBuffers(budget *Memory, idle int64) *Buffers { return memory.NewPool(budget, idle) }

// Spills is where attempts spill; see [NewSpills].
type Spills = segment.Files

// NewSpills returns the place of the spills of any number of attempts: at most 8 files in
// dir, or in os.TempDir if that is empty, open while there are spills in them.
func NewSpills(dir string) *Spills { return segment.NewFiles(dir) }

// SpillFile is what spills are written to: a file that is gone once it is closed.
type SpillFile = segment.File

// NewSpillsOn is NewSpills with files made by open, which is called by one goroutine at a time.
func NewSpillsOn(open func() (SpillFile, error)) *Spills { return segment.NewFilesOn(open) }

// LimitHeap has the Go runtime keep its heap within what the buffers of all pools leave of
// total bytes, as long as what is in use leaves room, and return what it does not need: by
// itself it lets the heap grow to twice what is in use. end ends that. The limit is the
// process's, as by [runtime/debug.SetMemoryLimit], of which a lower value stays: so this is
// for programs, not for packages, and once at a time.
func LimitHeap(total int64) (end func()) { return memory.LimitHeap(total) }
