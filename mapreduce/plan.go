package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Sentinel errors; test with errors.Is.
var (
	// ErrOutputExists is returned by SetupJob if the output directory exists.
	ErrOutputExists = errors.New("output exists")
	// ErrCommitted is returned by CommitTask for a task that has been committed.
	ErrCommitted = errors.New("task is already committed")
	// ErrConsumed is the error of a second attempt over a stream that can be read only once.
	ErrConsumed = errors.New("input stream can be read only once")
	// ErrNoPlan is the error of running a nil plan: that of a Bind whose error nobody looked at.
	ErrNoPlan = errors.New("no plan: look at the error of Bind")
	// ErrPlanUsed is the error of running a plan a second time.
	ErrPlanUsed = errors.New("a plan runs once: bind the job again")
	// ErrCorruptInput is wrapped by errors about damaged or truncated compressed input.
	ErrCorruptInput = errors.New("corrupt or truncated input")
	// ErrInputChanged is the error of a job whose input file was written to, grew, shrank or vanished while it ran.
	ErrInputChanged = dfs.ErrChanged
)

var errUnprepared = errors.New("mapreduce: attempt before Plan.SetupJob and Plan.Prepare")

// Memory is a byte budget that attempts share; see [NewMemory].
type Memory = memory.Budget

// Buffers is a pool of large buffers that attempts and jobs share; see [NewBuffers].
type Buffers = memory.Pool

// Spills is where attempts spill; see [NewSpills].
type Spills = segment.Files

// NewSpills returns the place of the spills of any number of attempts: at most 8 files in
// dir, or in os.TempDir if that is empty, open while there are spills in them.
func NewSpills(dir string) *Spills { return segment.NewFiles(dir) }

// NewMemory returns a budget of limit bytes; 0 or less means no limit. Give each
// attempt a Sub of it and Close that when the attempt has ended.
func NewMemory(limit int64) *Memory { return memory.NewBudget(limit) }

// NewBuffers returns a pool that keeps at most idle bytes for reuse, charged to budget.
func NewBuffers(budget *Memory, idle int64) *Buffers { return memory.NewPool(budget, idle) }

// LimitHeap has the Go runtime keep its heap within what the buffers of all pools leave of
// total bytes, as long as what is in use leaves room, and return what it does not need: by
// itself it lets the heap grow to twice what is in use. end ends that. The limit is the
// process's, as by [runtime/debug.SetMemoryLimit], of which a lower value stays: so this is
// for programs, not for packages, and once at a time.
func LimitHeap(total int64) (end func()) { return memory.LimitHeap(total) }

// Plan is a job bound to its input and output, with its types erased: what a
// cluster runs. It is made by Bind. The calls come in this order:
//
//  1. Claim, SetupJob, Prepare, then Splits, once each;
//  2. RunMap for each split and RunReduce for each partition, from any number of
//     goroutines, each success followed by CommitTask (reduces, and maps of a
//     map-only plan) or AbortTask;
//  3. CommitJob or AbortJob, once; AbortJob also after a CommitJob that failed.
//
// A panic of user code, whether job, input or output, is an error of the call, a
// [*PanicError]. User code that ends its goroutine ends the caller's.
type Plan struct {
	name    string
	asked   int // Job.Reducers
	mapOnly bool
	sources []Source
	input   inputPlan
	tasks   tasks
	output  *committer

	reduces int // fixed by Prepare
	// distinct is the number of keys that the map that ended last found: the
	// next one's table begins with that size. It is 12 % of a word count's time
	// to grow tables.
	distinct atomic.Int64
	// streamFault is the error of the first failed attempt over a stream or sequence.
	streamFault atomic.Pointer[error]
	claimed     atomic.Bool
}

// Claim makes the caller the one who runs the plan. A nil plan is ErrNoPlan, a plan that
// somebody has claimed before ErrPlanUsed; then its output and input are not the caller's.
func (p *Plan) Claim() error {
	if p == nil {
		return ErrNoPlan
	}
	if p.claimed.Swap(true) {
		return fmt.Errorf("job %q: %w", p.name, ErrPlanUsed)
	}
	return nil
}

// tasks is a job's typed half, behind its erased plan.
type tasks interface {
	prepare(ctx context.Context, p *Plan) error
	runMap(ctx context.Context, p *Plan, a *MapAttempt) (*MapOutput, error)
	runReduce(ctx context.Context, p *Plan, a *ReduceAttempt) error
	runLocal(ctx context.Context, p *Plan, splits []Split, c *Counters) error
}

// Name is the job's name.
func (p *Plan) Name() string { return p.name }

// MapOnly reports whether the maps write the output themselves.
func (p *Plan) MapOnly() bool { return p.mapOnly }

// Reduces is the number of reduces as Prepare fixed it; 0 for a map-only plan.
func (p *Plan) Reduces() int { return p.reduces }

// Sources returns the files behind the input; Split.Source indexes it. The
// slice belongs to the plan.
func (p *Plan) Sources() []Source { return p.sources }

// InputBytes is the size of the input, with unknown sizes counted as 0.
func (p *Plan) InputBytes() int64 {
	var n int64
	for _, s := range p.sources {
		n += max(s.Size(), 0)
	}
	return n
}

// OutputName is what a person calls the output: a directory, or "-".
func (p *Plan) OutputName() string { return p.output.store.name() }

// PrepareOptions are the cluster's choices for one job.
type PrepareOptions struct {
	// Reduces is the number of reduces if the job itself does not say; 0 means 1.
	Reduces int
	// SpillDir is where parts go that wait their turn to be sent to a Writer;
	// empty means os.TempDir.
	SpillDir string
}

// Prepare fixes the number of reduces and, for a total order over more than one
// reduce, reads a sample of the input to choose the ranges. The ranges depend on
// the input's bytes only.
func (p *Plan) Prepare(ctx context.Context, o PrepareOptions) (err error) {
	defer present(ctx, &err)
	defer verify(&err, p.sources, true)
	defer catch(&err)
	defer guardFaults()()
	p.reduces = 0
	if !p.mapOnly {
		p.reduces = max(p.asked, 0)
		if p.reduces == 0 {
			p.reduces = max(o.Reduces, 1)
		}
	}
	if w, ok := p.output.store.(*writerStore); ok {
		w.spillDir = o.SpillDir
	}
	return p.tasks.prepare(ctx, p)
}

// Block is a stretch of a source that is stored as a whole.
type Block struct {
	Offset, Length int64
	Hosts          []string // names of the nodes that hold a replica
}

// Split is the input of one map: the records that start in
// [Offset, Offset+Length) of a source. Length -1 means the whole of a source
// whose size is unknown.
type Split struct {
	Source         int // index into Plan.Sources
	Offset, Length int64
	Hosts          []string // names of the nodes that hold its bytes
	// Files is the number of sources that the split spans, all whole and beginning
	// with Source; 0 means 1. See JoinSmall.
	Files int
}

// Progress shows how far an attempt is; its owner may read it at any time.
type Progress struct {
	Bytes   atomic.Int64 // input bytes read so far (maps), shuffled (reduces)
	Records atomic.Int64 // input records so far, updated now and then; 0 for chunks
	Spilled atomic.Int64 // bytes spilled so far
}

// Resources are what an attempt may use; the zero value has no limits.
type Resources struct {
	Budget   *Memory  // the attempt's sub-budget; nil means no limit
	Pool     *Buffers // nil means fresh buffers
	Spills   *Spills  // where spills go; nil means a file for each of them in SpillDir
	SpillDir string   // empty means os.TempDir
	// Pause, if not nil, is called between pieces of work; it may block while
	// the attempt is suspended and returns an error to end the attempt.
	Pause func(ctx context.Context) error
	// Progress and Counters, if not nil, receive the attempt's progress and, at
	// its end, its counters.
	Progress *Progress
	Counters *Counters
}

// MapAttempt is one attempt of one map.
type MapAttempt struct {
	Index, Try int
	Split      Split
	Resources
}

// ID names the attempt.
func (a *MapAttempt) ID() AttemptID { return AttemptID{MapKind, a.Index, a.Try} }

// ReduceAttempt is one attempt of one reduce.
type ReduceAttempt struct {
	Index, Try int
	// Next returns the next map's segment of this partition, in any order,
	// blocking until one is there, and io.EOF after the last. Each map's segment
	// must come once. The segments stay the property of their MapOutputs, which
	// must not be released before RunReduce has returned.
	Next func(ctx context.Context) (Segment, error)
	Resources
}

// ID names the attempt.
func (a *ReduceAttempt) ID() AttemptID { return AttemptID{ReduceKind, a.Index, a.Try} }

// Segment is the part of one map's output that goes to one reduce. It is
// immutable and may be given to many attempts.
type Segment struct {
	Map     int   // index of the map task
	Bytes   int64 // what a shuffle moves
	Records int64
	data    any // *segment.Segment or *combine.Segment[V]; nil if empty
}

// MapOutput is what a finished map attempt leaves for the reduces. A map-only
// attempt leaves one without segments.
type MapOutput struct {
	segments []Segment
	release  func()
	once     sync.Once
}

// Sizes returns the bytes that go to each reduce.
func (o *MapOutput) Sizes() []int64 {
	sizes := make([]int64, len(o.segments))
	for i, s := range o.segments {
		sizes[i] = s.Bytes
	}
	return sizes
}

// Segment returns the segment of a partition.
func (o *MapOutput) Segment(partition int) Segment { return o.segments[partition] }

// Release frees memory and spill files of the output; it may be called again.
func (o *MapOutput) Release() {
	if o == nil {
		return
	}
	o.once.Do(func() {
		if o.release != nil {
			o.release()
		}
	})
}

// RunMap runs a map attempt in this goroutine. A panic of the user's code comes
// back as a [*PanicError], a canceled ctx as its error. After an error nothing
// is left but what AbortTask removes.
func (p *Plan) RunMap(ctx context.Context, a *MapAttempt) (out *MapOutput, err error) {
	if p.reduces == 0 && !p.mapOnly {
		return nil, errUnprepared
	}
	defer func() {
		if err != nil {
			out.Release()
			out = nil
		}
	}()
	defer present(ctx, &err)
	defer p.explainConsumed(a, &err)
	defer verify(&err, p.sources[a.Split.Source:][:max(a.Split.Files, 1)], false)
	defer catch(&err)
	defer guardFaults()()
	err = ErrExited // what stands if user code does not return
	return p.tasks.runMap(ctx, p, a)
}

// explainConsumed adds to the error of a second attempt over a stream or sequence why the
// first one failed, for that is what its owner must know.
func (p *Plan) explainConsumed(a *MapAttempt, err *error) {
	if *err == nil || p.sources[a.Split.Source].Data != nil && !p.input.sequence {
		return
	}
	if !errors.Is(*err, ErrConsumed) {
		p.streamFault.CompareAndSwap(nil, err)
	} else if first := p.streamFault.Load(); first != nil {
		*err = fmt.Errorf("%w; the attempt that read it failed: %w", *err, *first)
	}
}

// RunReduce runs a reduce attempt in this goroutine and leaves its part ready
// for CommitTask. Errors are as for RunMap.
func (p *Plan) RunReduce(ctx context.Context, a *ReduceAttempt) (err error) {
	defer present(ctx, &err)
	defer verify(&err, p.sources, true)
	defer catch(&err)
	defer guardFaults()()
	err = ErrExited
	return p.tasks.runReduce(ctx, p, a)
}

// SetupJob makes the output ready for attempts, or returns ErrOutputExists.
func (p *Plan) SetupJob() error { return step(p.output.setupJob) }

// CommitTask makes the part of a finished attempt part of the output: a rename.
// A task is committed at most once; later calls return ErrCommitted.
func (p *Plan) CommitTask(id AttemptID) error {
	return step(func() error { return p.output.commitTask(id) })
}

// AbortTask removes what an attempt has written. Aborting a committed or unknown
// attempt does nothing.
func (p *Plan) AbortTask(id AttemptID) error {
	return step(func() error { return p.output.abortTask(id) })
}

// checkInputs returns an error that wraps [ErrInputChanged] if a file that the plan has read
// is not what it was when the plan was made.
func (p *Plan) checkInputs() error {
	return step(func() (err error) {
		verify(&err, p.sources, false)
		return err
	})
}

// CommitJob completes the output: the temporary directory goes, _SUCCESS comes. If an input
// has changed, or cannot be closed, it does nothing but return that error; AbortJob is to
// follow.
func (p *Plan) CommitJob() error {
	if err := p.checkInputs(); err != nil {
		return err
	}
	if err := closeSources(p.sources); err != nil {
		return err
	}
	return step(p.output.commitJob)
}

// AbortJob removes all output of the job.
func (p *Plan) AbortJob() error {
	return errors.Join(step(p.output.abortJob), closeSources(p.sources))
}

// step does something behind which user code may be: a panic of it is an error.
func step(do func() error) (err error) {
	defer present(context.Background(), &err)
	contained(&err, do)
	return err
}
