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

// MapAttempt is what RunMap needs to know of one attempt at one map.
type MapAttempt struct {
	Index, Try int
	Split      Split
	// MaxSkips is the maximum number of records to skip because the user's map returns an error or
	// panics on them, with everything emitted for them; the attempt then holds back what the map
	// emits until it returns. 0 means none, at no cost. See [Plan.SkipsFit].
	MaxSkips int
	// LeaveOut are records that the user's map must not get, because it did not return from them in
	// earlier attempts; see [BadRecord]. They count like records on which it fails. Without
	// MaxSkips they have no effect.
	LeaveOut []BadRecord
	// Stored makes the attempt write all output to spills, so that Segment.Export can send it.
	Stored bool
	Resources
}

// ID returns the attempt's ID.
func (a *MapAttempt) ID() attempt.ID {
	return attempt.ID{Kind: attempt.Map, Index: a.Index, Try: a.Try}
}

// ReduceAttempt is what RunReduce needs to know of one attempt at one reduce.
type ReduceAttempt struct {
	Index, Try int
	// Next returns the next map's segment of this partition, in any order. It blocks until one is
	// available, and returns io.EOF after the last. Each map's segment must come once. The segments
	// still belong to their MapOutputs, which must not be released before RunReduce has returned.
	Next func(ctx context.Context) (Segment, error)
	Resources
}

// ID returns the attempt's ID.
func (a *ReduceAttempt) ID() attempt.ID {
	return attempt.ID{Kind: attempt.Reduce, Index: a.Index, Try: a.Try}
}

// RunMap runs a map attempt in this goroutine. It returns a panic of the user's code as a
// PanicError, and the cancellation of ctx as ctx's error. After an error only files remain, which
// AbortTask removes.
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
	err = fault.ErrExited // the error if user code ends the goroutine
	a.Budget.Show(a.life())
	return p.tasks.RunMap(ctx, &p.job, a)
}

// ReadOnce reports whether a second attempt may fail to read the input, a stream or a sequence.
func (p *Plan) ReadOnce() bool {
	return slices.ContainsFunc(p.job.Inputs, func(in InputPlan) bool { return in.Sequence }) ||
		slices.ContainsFunc(p.job.Sources, func(s input.Source) bool { return s.Data == nil })
}

// explainConsumed adds the error of the first attempt to that of a second attempt over a stream or
// sequence: it is the cause.
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

// RunReduce runs a reduce attempt in this goroutine and prepares its part for CommitTask. It
// returns the same errors as RunMap.
func (p *Plan) RunReduce(ctx context.Context, a *ReduceAttempt) (err error) {
	defer fault.Present(ctx, &err)
	defer input.Verify(&err, p.job.Sources, true)
	defer fault.Catch(&err)
	defer fault.Guard(fault.Guard(true))
	err = fault.ErrExited
	a.Budget.Show(a.life())
	return p.tasks.RunReduce(ctx, &p.job, a)
}

// MapOutput is the output of a finished map attempt for the reduces. That of a map-only attempt has
// no segments.
type MapOutput struct {
	segments []Segment
	skipped  []Skipped
	release  func()
	once     sync.Once
}

// NewMapOutput returns the output of a map: a segment for each partition, the function that frees
// them (may be nil), and the skipped records.
func NewMapOutput(segments []Segment, release func(), skipped []Skipped) *MapOutput {
	return &MapOutput{segments: segments, release: release, skipped: skipped}
}

// Skipped lists the records that the map has skipped; see MapAttempt.MaxSkips.
func (o *MapOutput) Skipped() []Skipped { return o.skipped }

// Sizes returns the bytes that each reduce will fetch of the output.
func (o *MapOutput) Sizes() []int64 {
	sizes := make([]int64, len(o.segments))
	for i, s := range o.segments {
		sizes[i] = s.Bytes
	}
	return sizes
}

// Segment returns the part of the output for the reduce of that number.
func (o *MapOutput) Segment(partition int) Segment { return o.segments[partition] }

// Release frees the memory and spill files of the output. Repeated calls do nothing.
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

// Segment is one map's output for one reduce. It is immutable and may be passed to many attempts.
type Segment struct {
	Map     int   // index of the map task
	Bytes   int64 // bytes that a shuffle moves
	Records int64
	Data    any // *segment.Segment or *combine.Segment; nil if empty
}
