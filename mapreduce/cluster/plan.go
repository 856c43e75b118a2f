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
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

var (
	// ErrNoPlan is the error of running a nil plan, for example after a Bind whose error was
	// ignored.
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
	job     Bound
	asked   int // Spec.Reduces
	folds   bool
	ordered bool
	kept    []*kept.Store // the stores whose parts the sources are
	holds   bool          // kept is held until the job ends
	tasks   Tasks
	// streamFault is the error of the first failed attempt over a stream or sequence.
	streamFault atomic.Pointer[error]
	claimed     atomic.Bool
	watched     bool // see Debug
}

// Bound is the part of a plan that its Tasks use, too.
type Bound struct {
	name    string
	types   string
	MapOnly bool
	Sources []input.Source
	Inputs  []InputPlan // one per source
	Output  *output.Committer
	Reduces int // fixed by Prepare; 0 for a map-only plan
	Maps    int // fixed by Splits and JoinSmall
}

// Claim reserves the plan for the caller. It returns ErrNoPlan for a nil plan and ErrPlanUsed for a
// plan claimed before; in that case the caller must not use its output and input.
func (p *Plan) Claim() error {
	if p == nil {
		return ErrNoPlan
	}
	if p.claimed.Swap(true) {
		return fmt.Errorf("job %q: %w", p.job.name, ErrPlanUsed)
	}
	return nil
}

// Spec describes a plan, except for its Tasks.
type Spec struct {
	Name    string
	Types   string // names of the types of records, keys, values and output
	Reduces int    // as requested by the job; 0: not set
	MapOnly bool
	Ordered bool // see Plan.Ordered
	Folds   bool // see Plan.Folds
	Sources []input.Source
	Inputs  []InputPlan // one per source
	// Beside are further sources, which the Tasks read themselves.
	Beside []input.Source
	Output output.Destination
}

// NewPlan returns a plan that runs the tasks of t. It has its own copies of the sources, whose
// files it keeps open.
func NewPlan(s Spec, t Tasks) (*Plan, error) {
	sources, err := input.Own(s.Sources)
	if err != nil {
		return nil, err
	}
	return &Plan{
		job: Bound{
			name: s.Name, types: s.Types, MapOnly: s.MapOnly, Sources: sources, Inputs: s.Inputs, Output: output.NewCommitter(s.Output),
		},
		asked: s.Reduces, folds: s.Folds, ordered: s.Ordered,
		kept: kept.ReadBy(kept.ReadBy(nil, sources), s.Beside), tasks: t,
	}, nil
}

// Tasks is the code of a job that depends on its types. The plan calls it.
type Tasks interface {
	// Watch makes the attempts check the user's functions; if called, it is called first.
	Watch(o DebugOptions)
	Prepare(ctx context.Context, p *Bound) error
	RunMap(ctx context.Context, p *Bound, a *MapAttempt) (*MapOutput, error)
	RunReduce(ctx context.Context, p *Bound, a *ReduceAttempt) error
	// Ranged returns the ranges of a total order, and Adopt sets those that another process has
	// chosen.
	Ranged() [][]byte
	Adopt(ctx context.Context, p *Bound, ranges [][]byte) error
	// Imported returns the Segment.Data for a segment from another process.
	Imported(s *segment.Segment) any
	// RunLocal runs all tasks and skips at most `most` bad records.
	RunLocal(ctx context.Context, p *Bound, splits []Split, c *counter.Set, most int) ([]Skipped, error)
	// End is called when the job is over. It returns the first mistake that a watched attempt has
	// seen.
	End() error
}

// NoReduces has the methods of Tasks about reduces, for jobs without any.
type NoReduces struct{}

// Prepare does nothing.
func (NoReduces) Prepare(context.Context, *Bound) error { return nil }

// RunReduce returns an error.
func (NoReduces) RunReduce(context.Context, *Bound, *ReduceAttempt) error {
	return errors.New("mapreduce: a map-only plan has no reduces")
}

// Ranged returns nil.
func (NoReduces) Ranged() [][]byte { return nil }

// Adopt does nothing.
func (NoReduces) Adopt(context.Context, *Bound, [][]byte) error { return nil }

// Imported returns nil.
func (NoReduces) Imported(*segment.Segment) any { return nil }

// Name returns the job's name.
func (p *Plan) Name() string { return p.job.name }

// MapOnly reports whether the maps write the output themselves.
func (p *Plan) MapOnly() bool { return p.job.MapOnly }

// Ordered reports whether the concatenated parts are in key order, whatever the number of reduces;
// see Job.TotalOrder.
func (p *Plan) Ordered() bool { return p.ordered }

// Folds reports whether maps fold the values of equal keys into one of fixed size, such as a sum:
// then a map's output grows with its distinct keys rather than with its input. It is false if
// values have no bytes: such a job computes its distinct keys, which may be as many as its records.
func (p *Plan) Folds() bool { return p.folds }

// Reduces returns the number of reduces set by Prepare; 0 for a map-only plan.
func (p *Plan) Reduces() int { return p.job.Reduces }

// Sources returns the files of the input; Split.Source indexes it. The slice belongs to the plan.
func (p *Plan) Sources() []input.Source { return p.job.Sources }

// InputBytes returns the size of the input, counting unknown sizes as 0.
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

// UsualReduces returns the default number of reduces for the input: one per 64 MiB, rounded up to a
// power of two so that slots, mostly a power of two in number, get equal shares; at least 1 and at
// most 64.
func (p *Plan) UsualReduces() int {
	n := min(max((p.InputBytes()+bytesPerReduce-1)/bytesPerReduce, 1), maxReduces)
	return 1 << bits.Len64(uint64(n-1))
}

// PrepareOptions are the cluster's choices for one job.
type PrepareOptions struct {
	// Reduces is the number of reduces if the job does not set it; 0 means 1.
	Reduces int
	// SpillDir is the directory for parts that wait to be sent to a Writer; empty means os.TempDir.
	SpillDir string
}

// Prepare fixes the number of reduces. For a total order over more than one reduce it also reads a
// sample of the input to choose the ranges, which depend only on the input's bytes.
func (p *Plan) Prepare(ctx context.Context, o PrepareOptions) (err error) {
	defer fault.Present(ctx, &err)
	defer input.Verify(&err, p.job.Sources, true)
	defer fault.Catch(&err)
	defer fault.Guard(fault.Guard(true))
	p.job.Reduces = 0
	if !p.job.MapOnly {
		p.job.Reduces = max(p.asked, 0)
		if p.job.Reduces == 0 {
			p.job.Reduces = max(o.Reduces, 1)
		}
	}
	p.job.Output.SpillTo(o.SpillDir)
	return p.tasks.Prepare(ctx, &p.job)
}

// Block is a range of a source that is stored together.
type Block struct {
	Offset, Length int64
	Hosts          []string // names of the nodes with a replica
}

// Split is the input of one map: the records that start in [Offset, Offset+Length) of a source.
// Length -1 means a whole source of unknown size.
type Split struct {
	Source         int // index into Plan.Sources
	Offset, Length int64
	Hosts          []string // names of the nodes with its bytes
	// Files is the number of whole sources that the split spans, beginning with Source; 0 means 1.
	// See JoinSmall.
	Files int
}

// SetupJob prepares the output for attempts. It returns ErrOutputExists if the output exists.
func (p *Plan) SetupJob() error {
	err := p.Hold(false)
	if err == nil {
		if err = fault.Step(p.job.Output.SetupJob); err != nil {
			p.letGo()
		}
	}
	return err
}

// CommitTask makes the part of a finished attempt part of the output, by a rename. A task is
// committed at most once; later calls return ErrCommitted.
func (p *Plan) CommitTask(id attempt.ID) error { return p.job.CommitTask(id) }

// CommitTask commits the part of an attempt, like [Plan.CommitTask].
func (p *Bound) CommitTask(id attempt.ID) error {
	return fault.Step(func() error { return p.Output.CommitTask(id) })
}

// AbortTask removes the files of an attempt. Aborting a committed or unknown attempt does nothing.
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

// CommitJob completes the output: it removes the temporary directory and creates _SUCCESS. If an
// input has changed or cannot be closed, or a watched plan (see Debug) has seen a mistake, it only
// returns that error, and the caller must call AbortJob.
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
	_ = p.tasks.End() // the job has failed already
	defer p.letGo()
	return errors.Join(fault.Step(p.job.Output.AbortJob), input.CloseAll(p.job.Sources))
}
