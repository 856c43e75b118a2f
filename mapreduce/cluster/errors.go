package cluster

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// ErrCommitted is returned by CommitTask for a task that has been committed.
var ErrCommitted = output.ErrCommitted

// Handover is what CommitAs needs to know of an attempt that ran in another process. It can be made
// JSON and back.
type Handover = output.Handover

// NewPanicError describes a panic from which the caller, a deferred function, has recovered v.
func NewPanicError(v any) *fault.PanicError { return fault.NewPanicError(v) }

// Exited is the error of user code that has ended its goroutine, with the place in that code; the
// caller is a deferred function that runs because of it.
func Exited() error { return fault.Exited() }

// StackPlace finds the user's code in the stack of one goroutine, as [runtime.Stack] writes it:
// the innermost function that is neither of the standard library nor of this engine. It returns
// its file and line, such as "words/count.go:17", or nothing if there is none.
func StackPlace(stack string) string { return fault.StackPlace(stack) }
