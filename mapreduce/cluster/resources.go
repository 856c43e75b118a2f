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
	Pool     *Buffers // nil allocates new buffers
	Spills   *Spills  // nil means files in SpillDir
	SpillDir string   // empty means os.TempDir
	// Pause, if not nil, is called regularly by the attempt. It blocks while the attempt is
	// suspended, and returns an error to end the attempt.
	Pause func(ctx context.Context) error
	// Host is the name of the attempt's node, for outputs that stay there; see KeptOptions.
	Host string
	// Log is what Task.Logger writes to; nil means slog.Default.
	Log *slog.Logger
	// Progress, if not nil, shows the attempt's progress. Counters, if not nil, gets the attempt's
	// counters at its end.
	Progress *Progress
	Counters *counter.Set
}

// Storage returns the budget, pool and spills of r for the packages that store records.
func (r *Resources) Storage() segment.Resources {
	files := r.Spills
	if files == nil {
		files = NewSpills(r.SpillDir)
	}
	return segment.Resources{Budget: r.Budget, Pool: r.Pool, Files: files}
}

// Progress shows how far an attempt has come; any goroutine may read it at any time.
type Progress struct {
	Bytes   atomic.Int64 // input bytes read (maps) or shuffled (reduces)
	Records atomic.Int64 // input records, updated from time to time; 0 for chunks
	Spilled atomic.Int64 // bytes spilled

	life        memory.Liveness
	file        atomic.Pointer[string] // name of the file that a map reads
	run, runEnd atomic.Int64           // range of the uncompressed file that has the current record
	number      atomic.Int64           // number of that record, if the attempt may skip records
	exit        error                  // if the map's code has ended the goroutine: the error
}

// Exited returns the error of an attempt whose code has ended its goroutine, with the record that
// it was processing. Only a deferred function of that goroutine may call it.
func (p *Progress) Exited() error {
	if p.exit != nil {
		return p.exit
	}
	return fault.Exited()
}

// Where returns the file that a map reads, and the range of its uncompressed bytes with the current
// record; "" before the first record. Any goroutine may call it.
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

// AtHand returns the record that the map is processing, if the attempt may skip records: its file,
// and its number as in a RecordError of package mapreduce. number is 0 without such a record. Any
// goroutine may call it.
func (p *Progress) AtHand() (input string, number int64) {
	name := p.file.Load()
	if name == nil {
		return "", 0
	}
	return *name, p.number.Load()
}

// Open stores the name of the file that the map reads next; Where reports it.
func (p *Progress) Open(name string) {
	p.number.Store(0)
	p.run.Store(0)
	p.runEnd.Store(0)
	p.file.Store(&name)
}

// Run stores the range of the file, uncompressed, from which the next records are.
func (p *Progress) Run(at int64, n int) {
	p.run.Store(at)
	p.runEnd.Store(at + int64(n))
}

// Record stores the number of the record that the map gets next, if it may be skipped.
func (p *Progress) Record(number int64) { p.number.Store(number) }

// Exit stores the error of an attempt whose code has ended its goroutine, for Exited.
func (p *Progress) Exit(err error) { p.exit = err }

// Pulse returns a number that changes if the attempt has made progress since the last call. It has
// if it read, emitted, wrote or spilled something, changed a user's counter or called
// Task.Progress. Any goroutine may call it.
func (p *Progress) Pulse() int64 {
	return p.life.Ask() + p.Bytes.Load() + p.Records.Load() + p.Spilled.Load()
}

// life returns where the attempt gives signs of life, or nil without Progress.
func (r *Resources) life() *memory.Liveness {
	if r.Progress == nil {
		return nil
	}
	return &r.Progress.life
}

// Report adds the counters of a successful attempt to r.Counters, if any.
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

// NewMemory returns a budget of limit bytes; 0 or less means no limit. Give each attempt its own
// Sub of the budget, and Close that when the attempt has ended.
func NewMemory(limit int64) *Memory { return memory.NewBudget(limit) }

// Buffers is a pool of large buffers shared by attempts and jobs; see [NewBuffers].
type Buffers = memory.Pool

// NewBuffers returns a pool. It keeps at most idle bytes of unused buffers, charged to budget.
func NewBuffers(budget *Memory, idle int64) *Buffers { return memory.NewPool(budget, idle) }

// Spills stores the spills of attempts; see [NewSpills].
type Spills = segment.Files

// NewSpills returns a Spills for any number of attempts. It has at most 8 files open in dir (empty:
// os.TempDir), as long as they have spills.
func NewSpills(dir string) *Spills { return segment.NewFiles(dir) }

// SpillFile is a temporary file for spills: it vanishes when it is closed.
type SpillFile = segment.File

// NewSpillsOn is NewSpills with files that open creates, called by one goroutine at a time.
func NewSpillsOn(open func() (SpillFile, error)) *Spills { return segment.NewFilesOn(open) }

// LimitHeap keeps the heap within total bytes minus all pools' buffers, as far as the memory in use
// allows, and returns free memory. By default the heap may grow to twice what is in use. end
// removes the limit. It applies to the process, like [runtime/debug.SetMemoryLimit], and does not
// replace a lower one. So only programs should call it, not packages, and only one at a time.
func LimitHeap(total int64) (end func()) { return memory.LimitHeap(total) }
