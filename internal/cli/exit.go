package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"sync/atomic"
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

// nobodyReads reports whether the reader of our output has closed the pipe, which is not reported
// to the user.
func nobodyReads(err error) bool { return errors.Is(err, syscall.EPIPE) }

// firstError returns the first error that is not nil.
func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// signalError is the cause of a context that a signal has ended.
type signalError struct{ syscall.Signal }

func (e *signalError) Error() string {
	switch e.Signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "hung up"
	default:
		return "interrupted"
	}
}

// code returns the shell's exit code for a signal: 128 plus its number.
func (e *signalError) code() int { return 128 + int(e.Signal) }

// hangupReloads is set while SIGHUP does not end the program; see onHangup.
var hangupReloads atomic.Bool

// onHangup calls f at each SIGHUP until ctx ends. Meanwhile the signal does not end the program.
func onHangup(ctx context.Context, f func()) {
	signals := make(chan os.Signal, 1)
	hangupReloads.Store(true)
	signal.Notify(signals, syscall.SIGHUP) // does not exist on Windows
	go func() {
		defer hangupReloads.Store(false)
		defer signal.Stop(signals)
		for {
			select {
			case <-signals:
				f()
			case <-ctx.Done():
				return
			}
		}
	}()
}

// withSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, with a
// *signalError as its cause. It ignores SIGHUP if the program was started to ignore it. Commands
// then stop their work, clean up and report. The second signal ends the process at once. A write to
// a closed standard output fails with EPIPE and does not end the process.
func (p *program) withSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signal.Ignore(syscall.SIGPIPE)
	signals, done := make(chan os.Signal, 16), make(chan struct{})
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		for first := true; ; {
			select {
			case s := <-signals:
				if s == syscall.SIGHUP && hangupReloads.Load() {
					continue
				}
				e := &signalError{s.(syscall.Signal)}
				if !first {
					shortly(scratch.RemoveAll)
					os.Exit(e.code())
				}
				first = false
				shortly(p.display.Hide) // it would draw over the message
				fmt.Fprintf(p.stderr, "tarry: %v; cleaning up (once more to stop at once)\n", e)
				cancel(e)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() { close(done) }
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
