package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
)

// The exit codes. For a file the code depends on its purpose: exitFailed for an input of a command,
// exitConfig for configuration and for an output that cannot be made or written.
const (
	exitFailed = 1
	exitUsage  = 2
	exitConfig = 3
	exitNone   = 4
	exitPipe   = 128 + int(syscall.SIGPIPE)
)

// exitError is an error with its own exit code.
type exitError struct {
	code int
	err  error // nil if it was reported
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError returns the error for a wrong command line.
func usageError(format string, a ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, a...)}
}

// configError returns the error for an existing output or an invalid configuration.
func configError(format string, a ...any) error {
	return &exitError{exitConfig, fmt.Errorf(format, a...)}
}

// invalid makes err exit with exitConfig, as an error of the configuration; nil stays nil.
func invalid(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitConfig, err}
}

// exit reports err in one line and returns its exit code. If a signal has ended the context, it
// reports the signal instead.
func (p *program) exit(ctx context.Context, err error) int {
	if sig, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		fmt.Fprintln(p.stderr, "tarry:", sig)
		return sig.code()
	}
	if err == nil {
		return 0
	}
	if nobodyReads(err) {
		return exitPipe
	}
	if text := words.OneLine(err); text != "" {
		fmt.Fprintln(p.stderr, "tarry:", text)
	}
	e, known := errors.AsType[*exitError](err)
	switch {
	case known:
		return e.code
	case errors.Is(err, fs.ErrExist) || errors.Is(err, mapreduce.ErrOutputExists) || errors.Is(err, mapreduce.ErrNoOutput):
		return exitConfig
	}
	return exitFailed
}

// nobodyReads reports whether err means that the reader of our output has closed the pipe. The user
// gets no message about it.
func nobodyReads(err error) bool { return errors.Is(err, syscall.EPIPE) }

// firstError returns the first error that is not nil.
func firstError(list ...error) error { return cmp.Or(list...) }

// signalError is the cause of a context that a signal has ended.
type signalError struct{ syscall.Signal }

func (e *signalError) Error() string { return signalNames[e.Signal] }

// signalNames maps each signal that ends the program to the message about it.
var signalNames = map[syscall.Signal]string{
	syscall.SIGINT: "interrupted", syscall.SIGTERM: "terminated", syscall.SIGHUP: "hung up",
}

// code returns the shell's exit code for a signal: 128 plus its number.
func (e *signalError) code() int { return 128 + int(e.Signal) }

// onHangup makes each later SIGHUP call f and no longer end the program.
func (p *program) onHangup(f func()) {
	p.hangup.Store(&f)
	signal.Notify(p.signals, syscall.SIGHUP) // does not exist on Windows
}

// withSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, with a
// *signalError as its cause. It ignores SIGHUP if the program was started to ignore it. Commands
// then stop their work, clean up and report. The second signal ends the process at once. A write to
// a closed standard output fails with EPIPE and does not end the process.
func (p *program) withSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signal.Ignore(syscall.SIGPIPE)
	p.signals = make(chan os.Signal, 16)
	signal.Notify(p.signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(p.signals, syscall.SIGHUP)
	}
	go func() {
		for s := range p.signals {
			e := &signalError{s.(syscall.Signal)}
			switch f := p.hangup.Load(); {
			case ctx.Err() != nil: // the second signal
				shortly(scratch.RemoveAll)
				os.Exit(e.code())
			case e.Signal == syscall.SIGHUP && f != nil:
				go (*f)()
			default:
				shortly(p.display.Hide) // it would draw over the message
				fmt.Fprintf(p.stderr, "tarry: %v; cleaning up (once more to stop at once)\n", e)
				cancel(e)
			}
		}
	}()
	return ctx, func() { signal.Stop(p.signals); close(p.signals) }
}

// shortly runs f and waits at most 500 ms for it, because the user wants to stop at once.
func shortly(f func()) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(500 * time.Millisecond):
	}
}
