package mapreduce

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"unsafe"
)

// PanicError is a panic of the user's code in an attempt.
type PanicError struct {
	Value any    // what panic was called with
	Stack string // of the goroutine that panicked
}

// Error returns the value and the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// catch turns a panic into an error. A fault on an address outside the Go heap
// is a mapped file that has shrunk, see debug.SetPanicOnFault.
func catch(err *error) {
	v := recover()
	if v == nil {
		return
	}
	if m, ok := v.(marshalError); ok {
		*err = m.err
		return
	}
	if f, ok := v.(interface {
		runtime.Error
		Addr() uintptr
	}); ok && f.Addr() > 1<<20 {
		*err = &faultError{PanicError{Value: f, Stack: string(debug.Stack())}, readable(f.Addr())}
		return
	}
	*err = &PanicError{Value: v, Stack: string(debug.Stack())}
}

// faultError is a fault on an address outside the Go heap, until verify finds out why.
type faultError struct {
	PanicError
	readable bool // so it was written to
}

// cause is the error of a fault although no input has changed.
func (e *faultError) cause() error {
	what := "memory that is not Go's cannot be read: the disk failed below an input, or a pointer is wrong"
	if e.readable {
		what = "written to memory that is read-only: records show the input itself, copy what is to be changed"
	}
	return &PanicError{Value: fmt.Errorf("%w: %v", errors.New(what), e.Value), Stack: e.Stack}
}

// readable reports whether the byte at an address outside the Go heap can be read.
func readable(addr uintptr) (ok bool) {
	defer guardFaults()()
	defer func() { ok = recover() == nil }()
	_ = strings.Clone(unsafe.String(*(**byte)(unsafe.Pointer(&addr)), 1))
	return true
}

// verify is called when work on sources has ended. If one of them has changed meanwhile, that is the outcome, whatever it
// seemed to be: a file that shrank shows zeros up to the end of its last page, and faults only beyond. With held set,
// work that went well is not asked about sources that nobody looks into any more.
func verify(err *error, sources []Source, held bool) {
	for _, s := range sources {
		file, ok := s.Data.(interface {
			Unchanged() error
			Views() int
		})
		if !ok || held && *err == nil && file.Views() == 0 {
			continue
		}
		changed := file.Unchanged()
		if changed == nil {
			continue
		}
		fault, _ := errors.AsType[*faultError](*err)
		if *err != nil && fault == nil && !errors.Is(*err, ErrInputChanged) {
			changed = fmt.Errorf("%w: %w", changed, *err)
		}
		*err = changed
		return
	}
	if fault, ok := errors.AsType[*faultError](*err); ok {
		*err = fault.cause()
	}
}

// guardFaults makes faults on mapped input panics of this goroutine, which catch
// turns into errors, until the returned function is called.
func guardFaults() func() {
	old := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(old) }
}
