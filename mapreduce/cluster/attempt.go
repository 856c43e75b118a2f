package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// MapAttempt describes one attempt at one map, for RunMap.
type MapAttempt struct {
	Index, Try int
	Split      Split
	// MaxSkips is the maximum number of records to skip because the user's map returns an error or
	// panics on them; what it emitted for them is dropped. The attempt then holds back what the map
	// emits for a record until it returns. 0 means none, at no cost. See [Bound.SkipsFit].
	MaxSkips int
	// LeaveOut are records that the attempt must not pass to the user's map, because it did not
	// return from them in earlier attempts; see [BadRecord]. They count toward MaxSkips. If that is
	// 0, they have no effect.
	LeaveOut []BadRecord
	// Stored makes the attempt write all output to spills, which Segment.Export requires.
	Stored bool
	Resources
}

// ID returns the attempt's ID.
func (a *MapAttempt) ID() attempt.ID {
	return attempt.ID{Kind: attempt.Map, Index: a.Index, Try: a.Try}
}

// ReduceAttempt describes one attempt at one reduce, for RunReduce.
type ReduceAttempt struct {
	Index, Try int
	// Next returns the segment of another map for this partition, in any order of maps, each once.
	// It blocks until one is available, and returns io.EOF after the last. A segment belongs to its
	// MapOutput, which must not be released before RunReduce has returned.
	Next func(ctx context.Context) (Segment, error)
	Resources
}

// ID returns the attempt's ID.
func (a *ReduceAttempt) ID() attempt.ID {
	return attempt.ID{Kind: attempt.Reduce, Index: a.Index, Try: a.Try}
}

// RunMap runs a map attempt in this goroutine. A panic of user code is returned as a PanicError,
// and a cancellation of ctx as ctx's error. After an error only the attempt's files remain, which
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
	err = fault.ErrExited // returned if user code ends the goroutine below
	a.Budget.Show(a.life())
	return p.tasks.RunMap(ctx, &p.job, a)
}

// explainConsumed adds, to the error of a second attempt over a stream or sequence, the error of
// the first attempt: it is the cause.
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

// RunReduce runs a reduce attempt in this goroutine, and prepares its part for CommitTask. It
// returns errors in the forms that RunMap does.
func (p *Plan) RunReduce(ctx context.Context, a *ReduceAttempt) (err error) {
	defer fault.Present(ctx, &err)
	defer input.Verify(&err, p.job.Sources, true)
	defer fault.Catch(&err)
	defer fault.Guard(fault.Guard(true))
	err = fault.ErrExited
	a.Budget.Show(a.life())
	return p.tasks.RunReduce(ctx, &p.job, a)
}

// MapOutput is the output of a finished map attempt: a segment for each reduce, or none of a
// map-only job.
type MapOutput struct {
	segments []Segment
	skipped  []Skipped
	once     sync.Once
}

// NewMapOutput returns the output of a map. segments has one for each partition; it releases their
// Data. skipped are the records that the map has skipped.
func NewMapOutput(segments []Segment, skipped []Skipped) *MapOutput {
	return &MapOutput{segments: segments, skipped: skipped}
}

// Skipped lists the records that the map has skipped; see MapAttempt.MaxSkips.
func (o *MapOutput) Skipped() []Skipped { return o.skipped }

// Sizes returns, by reduce, the bytes that it will fetch of this output.
func (o *MapOutput) Sizes() []int64 {
	sizes := make([]int64, len(o.segments))
	for i, s := range o.segments {
		sizes[i] = s.Bytes
	}
	return sizes
}

// Segment returns the segment for one partition, that is, for the reduce of that number.
func (o *MapOutput) Segment(partition int) Segment { return o.segments[partition] }

// Release frees the output's memory and spill files. Further calls do nothing.
func (o *MapOutput) Release() {
	if o == nil {
		return
	}
	o.once.Do(func() {
		for _, s := range o.segments {
			if s.Data != nil {
				s.Data.Release()
			}
		}
	})
}

// Segment is one map's output for one reduce. It never changes; several attempts may read it.
type Segment struct {
	Map     int   // index of the map task
	Bytes   int64 // bytes that the shuffle moves
	Records int64
	Data    SegmentData // nil if empty
}

// SegmentData is the records of a [Segment]: a *segment.Segment or, of a job with Combine, a
// *combine.Segment.
type SegmentData interface {
	Bytes() int64
	Records() int64
	// Export writes the records for another process; see [Segment.Export].
	Export(w io.Writer) error
	Release()
}
