package cluster

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// ErrCommitted is returned by CommitTask for a task that is already committed.
var ErrCommitted = output.ErrCommitted

// Errors of running a plan; test with errors.Is.
var (
	// ErrReleased is wrapped by the error of a job over a dataset that has been released.
	ErrReleased = kept.ErrReleased
	// ErrPartLost is wrapped by the error of an attempt that reads a lost part of a dataset. Its
	// node is lost, or its spill damaged. Retries fail until the part has been recomputed.
	ErrPartLost = kept.ErrPartLost
	// ErrOutputBusy is wrapped by the error for an output that another run is writing. That error
	// also wraps mapreduce.ErrOutputExists.
	ErrOutputBusy = output.ErrOutputBusy
	// ErrConsumed is the error of a second attempt over a stream, which can be read only once.
	ErrConsumed = fault.ErrConsumed
	// ErrExited is the error of an attempt or another step whose user code ended its goroutine by
	// runtime.Goexit, as t.Fatal does in a test.
	ErrExited = fault.ErrExited
)

// IsPermanent reports whether another attempt would meet err again. It would if user code has
// marked err, or a record is too large. It also would if the input is damaged, changed, without a
// good replica of a block, or readable only once.
func IsPermanent(err error) bool { return fault.IsPermanent(err) }

// IsBad reports whether user code has marked err with mapreduce.BadRecord: one record is the cause.
func IsBad(err error) bool { return fault.IsBad(err) }

// PanicError is the error that a panic of user code becomes.
type PanicError = fault.PanicError

// TaskKind says whether a task is a map or a reduce.
type TaskKind = attempt.Kind

// The two kinds of task.
const (
	MapKind    = attempt.Map
	ReduceKind = attempt.Reduce
)

// Handover describes a finished attempt in another process, for CommitAs. It can be encoded as
// JSON.
type Handover = output.Handover

// NewPanicError returns the error for a panic with value v, which the deferred caller recovered.
func NewPanicError(v any) *fault.PanicError { return fault.NewPanicError(v) }

// Exited returns the error for user code that has ended its goroutine, with the place in that code.
// Only a deferred function that runs for this reason may call it.
func Exited() error { return fault.Exited() }

// StackPlace returns the place of user code in a stack of one goroutine, as [runtime.Stack] writes
// it: file and line, such as "words/count.go:17". It is the innermost function outside of the
// standard library and this engine; "" if there is none.
func StackPlace(stack string) string { return fault.StackPlace(stack) }
