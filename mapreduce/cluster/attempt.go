package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// MapAttempt is one attempt of one map.
type MapAttempt struct {
	Index, Try int
	Split      Split
	// MaxSkips is how many records, on which the user's map returns an error or panics, are left
	// out with all that it emitted for them; then what it emits is held back until it returns. 0
	// means none, at no cost. See [Plan.SkipsFit].
	MaxSkips int
	// LeaveOut are records that the user's map is not to see, since it did not return from them in
	// earlier attempts: see [BadRecord]. They count as those on which it fails. It has no effect
	// without MaxSkips.
	LeaveOut []BadRecord
	// Stored says that nothing of its output stays in memory: see Segment.Export.
	Stored bool
	Resources
}

// ID names the attempt.
func (a *MapAttempt) ID() attempt.ID {
	return attempt.ID{Kind: attempt.Map, Index: a.Index, Try: a.Try}
}

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
func (a *ReduceAttempt) ID() attempt.ID {
	return attempt.ID{Kind: attempt.Reduce, Index: a.Index, Try: a.Try}
}

// RunMap runs a map attempt in this goroutine. A panic of the user's code comes
// back as a PanicError, a canceled ctx as its error. After an error nothing
// is left but what AbortTask removes.
func (p *Plan) RunMap(ctx context.Context, a *MapAttempt) (out *MapOutput, err error) {
	if p.job.Reduces == 0 && !p.job.MapOnly {
		return nil, output.ErrUnprepared
	}
	defer func() {
		if err != nil {
			out.Release()
			out = nil
		}
	}()
	defer fault.Present(ctx, &err)
	defer p.explainConsumed(a, &err)
	defer input.Verify(&err, p.job.Sources[a.Split.Source:][:max(a.Split.Files, 1)], false)
	defer fault.Catch(&err)
	defer fault.Guard(fault.Guard(true))
	err = fault.ErrExited // what stands if user code does not return
	a.Budget.Show(a.life())
	return p.tasks.RunMap(ctx, &p.job, a)
}

// ReadOnce reports whether the input may not be there for a second attempt: a stream, or a
// sequence.
func (p *Plan) ReadOnce() bool {
	return slices.ContainsFunc(p.job.Inputs, func(in InputPlan) bool { return in.Sequence }) ||
		slices.ContainsFunc(p.job.Sources, func(s input.Source) bool { return s.Data == nil })
}

// explainConsumed adds to the error of a second attempt over a stream or sequence why the
// first one failed, for that is what its owner must know.
func (p *Plan) explainConsumed(a *MapAttempt, err *error) {
	if *err == nil || p.job.Sources[a.Split.Source].Data != nil && !p.job.Inputs[a.Split.Source].Sequence {
		return
	}
	if !errors.Is(*err, fault.ErrConsumed) {
		p.streamFault.CompareAndSwap(nil, err)
	} else if first := p.streamFault.Load(); first != nil {
		*err = fmt.Errorf("%w; the attempt that read it failed: %w", *err, *first)
	}
}

// RunReduce runs a reduce attempt in this goroutine and leaves its part ready
// for CommitTask. Errors are as for RunMap.
func (p *Plan) RunReduce(ctx context.Context, a *ReduceAttempt) (err error) {
	defer fault.Present(ctx, &err)
	defer input.Verify(&err, p.job.Sources, true)
	defer fault.Catch(&err)
	defer fault.Guard(fault.Guard(true))
	err = fault.ErrExited
	a.Budget.Show(a.life())
	return p.tasks.RunReduce(ctx, &p.job, a)
}

// MapOutput is what a finished map attempt leaves for the reduces. A map-only
// attempt leaves one without segments.
type MapOutput struct {
	segments []Segment
	skipped  []Skipped
	release  func()
	once     sync.Once
}

// NewMapOutput returns the output of a map: a segment for each partition, what frees them, nil for
// none, and the records that were left out.
func NewMapOutput(segments []Segment, release func(), skipped []Skipped) *MapOutput {
	return &MapOutput{segments: segments, release: release, skipped: skipped}
}

// Skipped lists the records that were left out; see MapAttempt.MaxSkips.
func (o *MapOutput) Skipped() []Skipped { return o.skipped }

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

// Segment is the part of one map's output that goes to one reduce. It is
// immutable and may be given to many attempts.
type Segment struct {
	Map     int   // index of the map task
	Bytes   int64 // what a shuffle moves
	Records int64
	Data    any // what the reduces of the job know: *segment.Segment or *combine.Segment; nil if empty
}
