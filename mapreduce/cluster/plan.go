package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/counter"
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
//     success followed by Bound.CommitTask (reduces, and maps of a map-only plan), each failure by
//     Bound.AbortTask;
//  3. CommitJob, AbortJob or LeaveJob, once; AbortJob also after a CommitJob that failed.
//
// In another process, [Layout.Adopt] takes the place of the first step.
//
// A panic of user code, whether job, input or output, becomes the call's error, a PanicError of
// package mapreduce. User code that ends its goroutine ends the caller's.
type Plan struct {
	job   Bound
	holds bool // job.Kept is held until the job ends
	begun bool // SetupJob has been called
	tasks Tasks
	// streamFault is the first error of an attempt over a stream or sequence, for explainConsumed.
	streamFault atomic.Pointer[error]
	claimed     atomic.Bool
}

// Job returns what the plan knows of its job. It belongs to the plan; do not modify it.
func (p *Plan) Job() *Bound { return &p.job }

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
	// Ordered says that the parts, joined in order, are in key order with any number of reduces;
	// see Job.TotalOrder.
	Ordered bool
	// Folds says that maps fold the values of equal keys into one of fixed size, such as a sum.
	// Then a map's output grows with its distinct keys and not with its records. It is false for
	// values without bytes: such a job computes its distinct keys, which may be as many as its
	// records.
	Folds   bool
	Sources []input.Source // the files of the input, which Split.Source numbers
	Inputs  []InputPlan    // one per source
	// Beside are further sources, which the Tasks read themselves.
	Beside []input.Source
	To     output.Destination
}

// NewPlan returns a plan that runs the tasks of t. It copies the list of sources and keeps their
// files open.
func NewPlan(s Spec, t Tasks) (*Plan, error) {
	sources, err := input.Own(s.Sources)
	if err != nil {
		return nil, err
	}
	s.Sources = sources
	datasets := kept.ReadBy(kept.ReadBy(nil, sources), s.Beside)
	return &Plan{job: Bound{Spec: s, Output: output.NewCommitter(s.To), Kept: datasets}, tasks: t}, nil
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
	Source         int // index into Spec.Sources
	Offset, Length int64
	Hosts          []string // names of the nodes with its bytes
	// Files is the number of whole sources in the split, from Source on; 0 means 1. See JoinSmall.
	Files int
}

// SetupJob prepares the output for attempts. If the output exists, it returns ErrOutputExists.
func (p *Plan) SetupJob() error {
	p.begun = true
	err := p.Hold(false)
	if err == nil {
		if err = fault.Step(p.job.Output.SetupJob); err != nil {
			p.letGo()
		}
	}
	return err
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

// AbortJob removes all output of the job. Before SetupJob, it only gives up the claimed plan: its
// input files are closed, and its datasets can be released.
func (p *Plan) AbortJob() (err error) {
	defer p.letGo()
	if p.begun {
		_ = p.tasks.End() // the job fails with another error
		err = fault.Step(p.job.Output.AbortJob)
	}
	return errors.Join(err, input.CloseAll(p.job.Sources))
}

// LeaveJob closes the output as it is, so that a later run can continue it. Call it in place of
// CommitJob and AbortJob, once no attempt is running.
func (p *Plan) LeaveJob() error {
	defer p.letGo()
	return errors.Join(fault.Step(p.job.Output.LeaveJob), input.CloseAll(p.job.Sources))
}
