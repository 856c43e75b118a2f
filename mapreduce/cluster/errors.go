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
	// ErrReleased is wrapped by the error of a job that would read kept records after Release.
	ErrReleased = kept.ErrReleased
	// ErrPartLost is wrapped by the error of an attempt that reads a part that was kept and is lost,
	// with its node or by a damaged spill. It is permanent: the part must be recomputed first.
	ErrPartLost = kept.ErrPartLost
	// ErrOutputBusy is wrapped, beside mapreduce.ErrOutputExists, by the error of an output that
	// another run is writing.
	ErrOutputBusy = output.ErrOutputBusy
	// ErrConsumed is the error of a second attempt over a stream that can be read only once.
	ErrConsumed = fault.ErrConsumed
	// ErrExited is the error of an attempt, or another step of a job, whose user code ended
	// the goroutine it ran in by runtime.Goexit, as t.Fatal of a test does.
	ErrExited = fault.ErrExited
)

// IsPermanent reports whether another attempt would meet err again: the user's code has marked it
// so, or input has changed, is damaged, has a block without a good replica or can be read only
// once, or a record is too large.
func IsPermanent(err error) bool { return fault.IsPermanent(err) }

// IsBad reports whether mapreduce.Bad has marked err: a record is wrong.
func IsBad(err error) bool { return fault.IsBad(err) }

// PanicError is a panic of the user's code.
type PanicError = fault.PanicError

// TaskKind says whether a task is a map or a reduce.
type TaskKind = attempt.Kind

// The two kinds of task.
const (
	MapKind    = attempt.Map
	ReduceKind = attempt.Reduce
)

// Handover is what CommitAs needs to know about an attempt in another process. It can be encoded as
// JSON.
type Handover = output.Handover

// NewPanicError describes a panic whose value v the caller, a deferred function, has recovered.
func NewPanicError(v any) *fault.PanicError { return fault.NewPanicError(v) }

// Exited returns the error for user code that has ended its goroutine, with the place in that code.
// The caller must be a deferred function that runs because of it.
func Exited() error { return fault.Exited() }

// StackPlace finds the user's code in the stack of one goroutine, as written by [runtime.Stack]:
// the innermost function outside of the standard library and this engine. It returns its file and
// line, such as "words/count.go:17", or "".
func StackPlace(stack string) string { return fault.StackPlace(stack) }
