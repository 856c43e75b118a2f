package fault

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"unsafe"
)

// PanicError is the error into which Catch turns a panic of user code.
type PanicError struct {
	Value any    // the argument of panic
	Stack string // of the goroutine that panicked
	At    string // file and line in the user's code, such as "words/count.go:17"; empty if unknown
}

// NewPanicError returns the error for a panic, whose value v the deferred caller has recovered.
func NewPanicError(v any) *PanicError {
	stack := string(debug.Stack())
	return &PanicError{Value: v, Stack: stack, At: panicPlace(stack)}
}

// Error returns the value, cut if it is long, and the place in user code, but not the stack.
func (e *PanicError) Error() string {
	text := "panic: " + CutText(fmt.Sprint(e.Value), LongestText/2)
	if e.At != "" {
		text += " (" + e.At + ")"
	}
	return text
}

// Unwrap returns the panic's value if that is an error, otherwise nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Exited returns [ErrExited] with the line of user code that ended the goroutine. Only a deferred
// function that runs for this reason may call it.
func Exited() error {
	if at := panicPlace(string(debug.Stack())); at != "" {
		return fmt.Errorf("%w at %s", ErrExited, at)
	}
	return ErrExited
}

// Thrown is what Throw panics with, to pass an error through functions that return none, such as a
// codec's.
type Thrown struct{ Err error }

// Throw panics such that Catch, deferred by a caller, returns exactly err.
func Throw(err error) { panic(Thrown{err}) }

// Catch turns a panic of the function that defers it into an error, which it stores in *err.
func Catch(err *error) {
	v := recover()
	if v == nil {
		return
	}
	if m, ok := v.(Thrown); ok {
		*err = m.Err
		return
	}
	if f, ok := v.(interface {
		runtime.Error
		Addr() uintptr
	}); ok && f.Addr() > 1<<20 {
		*err = &AccessError{*NewPanicError(f), readable(f.Addr())}
		return
	}
	*err = NewPanicError(v)
}

// Contained calls step, which may call user code, and stores its error, or that for its panic, in
// *err. If step ends the goroutine, *err is that of Exited when deferred functions run.
func Contained(err *error, step func() error) {
	defer Catch(err)
	returned := false
	defer func() {
		if !returned {
			*err = Exited()
		}
	}()
	*err = step()
	returned = true
}

// AccessError is a memory fault outside the Go heap. input.Verify replaces it if an input file has
// shrunk, which causes such faults.
type AccessError struct {
	PanicError
	readable bool // reading there works, so the fault was a write
}

// Cause returns the error to show if no input file has changed: the disk or user code is the cause.
func (e *AccessError) Cause() error {
	what := "memory that is not Go's cannot be read: the disk failed below an input, or a pointer is wrong"
	if e.readable {
		what = "written to memory that is read-only: records show the input itself, copy what is to be changed"
	}
	return &PanicError{Value: fmt.Errorf("%w: %v", errors.New(what), e.Value), Stack: e.Stack, At: e.At}
}

// readable reports whether reading the byte at addr, outside the Go heap, causes no fault.
func readable(addr uintptr) (ok bool) {
	defer Guard(Guard(true))
	defer func() { ok = recover() == nil }()
	_ = strings.Clone(unsafe.String(*(**byte)(unsafe.Pointer(&addr)), 1))
	return true
}

// Guard sets whether a memory fault in mapped input is a panic, which Catch turns into an error, or
// ends the process. It applies to this goroutine and returns the setting before. "defer
// fault.Guard(fault.Guard(true))" turns it on until a function returns.
func Guard(on bool) (before bool) { return debug.SetPanicOnFault(on) }

// Step calls do, which may call user code, and returns its error or that for its panic.
func Step(do func() error) (err error) {
	defer Present(context.Background(), &err)
	Contained(&err, do)
	return err
}

// Recovered calls f and returns its error or that for its panic. It panics again for a memory fault
// outside of the Go heap, because the input may be the cause.
func Recovered(f func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case Thrown:
			err = v.Err
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			panic(v)
		default:
			err = NewPanicError(v)
		}
	}()
	return f()
}
