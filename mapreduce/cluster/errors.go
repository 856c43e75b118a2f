package cluster

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// ErrCommitted is returned by CommitTask for a task that is already committed.
var ErrCommitted = output.ErrCommitted

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
