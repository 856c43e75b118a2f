package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

var (
	// ErrNoPlan is the error of running a nil plan, such as that of a Bind whose error was ignored.
	ErrNoPlan = errors.New("no plan: look at the error of Bind")
	// ErrPlanUsed is the error of running a plan a second time.
	ErrPlanUsed = errors.New("a plan runs once: bind the job again")
)

// Plan is a job bound to its input and output, with erased types: what a cluster runs. Bind makes
// it. The calls come in this order:
//
//  1. Claim, SetupJob, Prepare, then Splits, once each;
//  2. RunMap for each split and RunReduce for each partition, from any number of goroutines, each
//     success followed by CommitTask (reduces, and maps of a map-only plan) or AbortTask;
//  3. CommitJob or AbortJob, once; AbortJob also after a CommitJob that failed.
//
// A panic of user code, whether job, input or output, becomes the call's error, a PanicError of
// package mapreduce. User code that ends its goroutine ends the caller's.
type Plan struct {
	job   Bound
	kept  []*kept.Store // the stores whose parts the sources are
	holds bool          // kept is held until the job ends
	tasks Tasks
	// streamFault is the first error of an attempt over a stream or sequence, for explainConsumed.
	streamFault atomic.Pointer[error]
	claimed     atomic.Bool
	watched     bool // see Debug
}

// Claim reserves the plan for the caller. The error is ErrNoPlan for a nil plan, and ErrPlanUsed
// for one claimed before: then the caller must leave its input and output alone.
func (p *Plan) Claim() error {
	if p == nil {
		return ErrNoPlan
	}
	if p.claimed.Swap(true) {
		return fmt.Errorf("job %q: %w", p.job.Name, ErrPlanUsed)
	}
	return nil
}

// Spec describes a plan to NewPlan, except for its Tasks.
type Spec struct {
	Name     string
	Types    string // names of the types of records, keys, values and output
	Reducers int    // number of reduces that the job asks for; 0: not set
	MapOnly  bool
	Ordered  bool // see Plan.Ordered
	Folds    bool // see Plan.Folds
	Sources  []input.Source
	Inputs   []InputPlan // one per source
	// Beside are further sources, which the Tasks read themselves.
	Beside []input.Source
	To     output.Destination
}

// Bound is what both a Plan and its Tasks need of the job.
type Bound struct {
	Spec
	Output  *output.Committer
	Reduces int // fixed by Prepare; 0 for a map-only plan
	Maps    int // fixed by Splits and JoinSmall
	// Ranges are the encoded starts of the key ranges of a total order, except for the first one's.
	// They are nil until Prepare or Adopt sets them.
	Ranges [][]byte
}

// NewPlan returns a plan that runs the tasks of t. It copies the list of sources and keeps their
// files open.
func NewPlan(s Spec, t Tasks) (*Plan, error) {
	sources, err := input.Own(s.Sources)
	if err != nil {
		return nil, err
	}
	s.Sources = sources
	return &Plan{
		job:  Bound{Spec: s, Output: output.NewCommitter(s.To)},
		kept: kept.ReadBy(kept.ReadBy(nil, sources), s.Beside), tasks: t,
	}, nil
}

// Tasks is the typed code of a job, which the plan calls.
type Tasks interface {
	// Watch turns on the checks of Plan.Debug for all attempts. It is called first, or never.
	Watch(o DebugOptions)
	// Prepare makes the tasks ready to run, and sets p.Ranges if they are nil.
	Prepare(ctx context.Context, p *Bound) error
	RunMap(ctx context.Context, p *Bound, a *MapAttempt) (*MapOutput, error)
	RunReduce(ctx context.Context, p *Bound, a *ReduceAttempt) error
	// RunLocal runs all tasks and returns the skipped bad records, at most `most`.
	RunLocal(ctx context.Context, p *Bound, splits []Split, c *counter.Set, most int) ([]Skipped, error)
	// End is called when the job is over. It returns the first mistake that a watched attempt has
	// made.
	End() error
}

// Name returns the job's name.
func (p *Plan) Name() string { return p.job.Name }

// MapOnly reports whether the job has no reduces, so that maps write the output.
func (p *Plan) MapOnly() bool { return p.job.MapOnly }

// Ordered reports whether the parts, joined in order, are in key order with any number of reduces;
// see Job.TotalOrder.
func (p *Plan) Ordered() bool { return p.job.Ordered }

// Folds reports whether maps fold the values of equal keys into one of fixed size, such as a sum.
// Then a map's output grows with its distinct keys and not with its records. It is false for values
// without bytes: such a job computes its distinct keys, which may be as many as its records.
func (p *Plan) Folds() bool { return p.job.Folds }

// Reduces returns the number of reduces, once Prepare has set it; 0 for a map-only plan.
func (p *Plan) Reduces() int { return p.job.Reduces }

// Sources returns the files of the input, which Split.Source numbers. Do not modify the slice.
func (p *Plan) Sources() []input.Source { return p.job.Sources }

// InputBytes returns the size of the input in bytes; files of unknown size count as 0.
func (p *Plan) InputBytes() int64 { return p.job.InputBytes() }

// InputBytes returns the size of the input, like [Plan.InputBytes].
func (p *Bound) InputBytes() int64 {
	var n int64
	for _, s := range p.Sources {
		n += max(s.Size(), 0)
	}
	return n
}

const (
	bytesPerReduce = 64 << 20
	maxReduces     = 64
)

// UsualReduces returns the default number of reduces: one per 64 MiB of input, from 1 to 64. It is
// rounded up to a power of two, as most numbers of slots are, so that slots get equal shares.
func (p *Plan) UsualReduces() int {
	n := min(max((p.InputBytes()+bytesPerReduce-1)/bytesPerReduce, 1), maxReduces)
	return 1 << bits.Len64(uint64(n-1))
}

// PrepareOptions are what the cluster, not the job, determines before the job runs.
type PrepareOptions struct {
	// Reduces is the number of reduces for a job that does not set its own; 0 means 1.
	Reduces int
	// SpillDir is where parts wait that will be sent to a Writer; empty means os.TempDir.
	SpillDir string
}

// Prepare fixes the number of reduces. For a total order over several reduces it also samples the
// input to choose the ranges; they depend only on the input's bytes.
func (p *Plan) Prepare(ctx context.Context, o PrepareOptions) (err error) {
	defer fault.Present(ctx, &err)
	defer input.Verify(&err, p.job.Sources, true)
	defer fault.Catch(&err)
	defer fault.Guard(fault.Guard(true))
	p.job.Reduces = 0
	if !p.job.MapOnly {
		p.job.Reduces = max(p.job.Reducers, 0)
		if p.job.Reduces == 0 {
			p.job.Reduces = max(o.Reduces, 1)
		}
	}
	p.job.Output.SpillTo(o.SpillDir)
	return p.tasks.Prepare(ctx, &p.job)
}

// Block is a range of a source whose bytes are stored on the same nodes.
type Block struct {
	Offset, Length int64
	Hosts          []string // names of the nodes with a replica
}

// Split is the input of one map: the records that begin in [Offset, Offset+Length) of a source. A
// Length of -1 means a whole source of unknown size.
type Split struct {
	Source         int // index into Plan.Sources
	Offset, Length int64
	Hosts          []string // names of the nodes with its bytes
	// Files is the number of whole sources in the split, from Source on; 0 means 1. See JoinSmall.
	Files int
}

// SetupJob prepares the output for attempts. If the output exists, it returns ErrOutputExists.
func (p *Plan) SetupJob() error {
	err := p.Hold(false)
	if err == nil {
		if err = fault.Step(p.job.Output.SetupJob); err != nil {
			p.letGo()
		}
	}
	return err
}

// CommitTask adds the part of a finished attempt to the output, by a rename. The first attempt at a
// task wins; for later ones it returns ErrCommitted.
func (p *Plan) CommitTask(id attempt.ID) error { return p.job.CommitTask(id) }

// CommitTask commits the part of an attempt, like [Plan.CommitTask].
func (p *Bound) CommitTask(id attempt.ID) error {
	return fault.Step(func() error { return p.Output.CommitTask(id) })
}

// AbortTask removes an attempt's files. For a committed or unknown attempt it does nothing.
func (p *Plan) AbortTask(id attempt.ID) error {
	return fault.Step(func() error { return p.job.Output.AbortTask(id) })
}

// checkInputs returns an error that wraps [ErrInputChanged] if a file that the plan has read has
// changed since the plan was made.
func (p *Plan) checkInputs() error {
	return fault.Step(func() (err error) {
		input.Verify(&err, p.job.Sources, false)
		return err
	})
}

// CommitJob completes the output: it removes the temporary directory and creates _SUCCESS. It fails
// if an input has changed or cannot be closed, or if a watched plan (see Debug) has made a mistake.
// Then the caller must call AbortJob.
func (p *Plan) CommitJob() error {
	if err := p.checkInputs(); err != nil {
		return err
	}
	if err := input.CloseAll(p.job.Sources); err != nil {
		return err
	}
	if err := p.tasks.End(); err != nil {
		return err
	}
	defer p.letGo()
	return fault.Step(p.job.Output.CommitJob)
}

// AbortJob removes all output of the job.
func (p *Plan) AbortJob() error {
	_ = p.tasks.End() // the job fails with another error
	defer p.letGo()
	return errors.Join(fault.Step(p.job.Output.AbortJob), input.CloseAll(p.job.Sources))
}
