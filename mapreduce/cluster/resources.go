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

// Resources are the resources of an attempt; the zero value has no limits.
type Resources struct {
	Budget   *Memory  // the attempt's sub-budget; nil means no limit
	Pool     *Buffers // nil allocates new buffers
	Spills   *Spills  // nil means a separate file for each spill in SpillDir
	SpillDir string   // empty means os.TempDir
	// Pause, if not nil, is called between pieces of work. It may block while the attempt is
	// suspended, and returns an error to end the attempt.
	Pause func(ctx context.Context) error
	// Host names the node of the attempt, for outputs that stay there; see KeptOptions.
	Host string
	// Log is what Task.Logger writes to; nil means slog.Default.
	Log *slog.Logger
	// Progress and Counters, if not nil, receive the attempt's progress and, at its end, its
	// counters.
	Progress *Progress
	Counters *counter.Set
}

// Progress shows how far an attempt has come; any goroutine may read it at any time.
type Progress struct {
	Bytes   atomic.Int64 // input bytes read (maps) or shuffled (reduces)
	Records atomic.Int64 // input records, updated from time to time; 0 for chunks
	Spilled atomic.Int64 // bytes spilled

	life        memory.Liveness
	file        atomic.Pointer[string] // the file that a map reads
	run, runEnd atomic.Int64           // range of file, uncompressed, with the current record
	number      atomic.Int64           // number of that record, if the attempt may skip records
	exit        error                  // the error of a map whose code has ended the goroutine
}

// Exited returns the error for an attempt whose code has ended its goroutine, with the current
// record. Only a deferred function of that goroutine may call it.
func (p *Progress) Exited() error {
	if p.exit != nil {
		return p.exit
	}
	return fault.Exited()
}

// Where returns the file that a map reads and the range, uncompressed, that contains its record; it
// is empty before the first record. Any goroutine may call it.
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

// AtHand returns the last record passed to the map of an attempt that may skip records, as a
// RecordError of package mapreduce numbers it; number is 0 if there is none or no record may be
// skipped. Any goroutine may call it.
func (p *Progress) AtHand() (input string, number int64) {
	name := p.file.Load()
	if name == nil {
		return "", 0
	}
	return *name, p.number.Load()
}

// Open records the name of the file that the map reads next, for Where.
func (p *Progress) Open(name string) {
	p.number.Store(0)
	p.run.Store(0)
	p.runEnd.Store(0)
	p.file.Store(&name)
}

// Run records the range of the open file, uncompressed, that is read next.
func (p *Progress) Run(at int64, n int) {
	p.run.Store(at)
	p.runEnd.Store(at + int64(n))
}

// Record records the number of the next record, in an attempt that may skip records.
func (p *Progress) Record(number int64) { p.number.Store(number) }

// Exit records the error of an attempt whose code has ended its goroutine.
func (p *Progress) Exit(err error) { p.exit = err }

// Pulse returns a number that changes when the attempt has made progress since the last call: it
// has read, emitted, written or spilled something, changed a user's counter or called
// Task.Progress. Any goroutine may call it.
func (p *Progress) Pulse() int64 {
	return p.life.Ask() + p.Bytes.Load() + p.Records.Load() + p.Spilled.Load()
}

// life returns the attempt's liveness, or nil if the attempt has no Progress.
func (r *Resources) life() *memory.Liveness {
	if r.Progress == nil {
		return nil
	}
	return &r.Progress.life
}

// Report passes the counters of a successful attempt to its owner.
func (r *Resources) Report(c *counter.Set) {
	if r.Counters != nil {
		r.Counters.Merge(c)
	}
	if r.Progress != nil {
		r.Progress.Spilled.Store(c.Get(counter.FileBytesWritten))
	}
}

// Memory is a byte budget shared by attempts; see [NewMemory].
type Memory = memory.Budget

// NewMemory returns a budget of limit bytes; 0 or less means no limit. Give each attempt a Sub of
// it and Close that when the attempt has ended.
func NewMemory(limit int64) *Memory { return memory.NewBudget(limit) }

// Buffers is a pool of large buffers shared by attempts and jobs; see [NewBuffers].
type Buffers = memory.Pool

// NewBuffers returns a pool that keeps at most idle bytes for reuse, charged to budget.
func NewBuffers(budget *Memory, idle int64) *Buffers { return memory.NewPool(budget, idle) }

// Spills stores the spills of attempts; see [NewSpills].
type Spills = segment.Files

// NewSpills returns a Spills for any number of attempts: at most 8 files in dir, or in os.TempDir
// if that is empty, open while they contain spills.
func NewSpills(dir string) *Spills { return segment.NewFiles(dir) }

// SpillFile is a temporary file for spills: it vanishes when it is closed.
type SpillFile = segment.File

// NewSpillsOn is like NewSpills, with files that open creates; one goroutine at a time calls open.
func NewSpillsOn(open func() (SpillFile, error)) *Spills { return segment.NewFilesOn(open) }

// LimitHeap makes the Go runtime keep its heap within total bytes minus the buffers of all pools,
// as far as the memory in use allows, and return free memory; by default the heap may grow to twice
// what is in use. end removes the limit. The limit applies to the process, like
// [runtime/debug.SetMemoryLimit], and a lower limit stays. Therefore only programs should call it,
// not packages, and only one limit may exist at a time.
func LimitHeap(total int64) (end func()) { return memory.LimitHeap(total) }
