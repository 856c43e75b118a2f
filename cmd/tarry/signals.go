package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// signalError is why a run ended early.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string {
	if e.signal == syscall.SIGTERM {
		return "terminated"
	}
	return "interrupted"
}

// code is the exit code by the shell's convention: 128 plus the signal's number.
func (e *signalError) code() int {
	if s, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return exitFailed
}

// heedPipe makes a write to standard output that nobody reads any more fail with EPIPE, instead of ending the process at once: what
// was spilled is then removed.
func heedPipe() { signal.Ignore(syscall.SIGPIPE) }

// withSignals gives a context that the first SIGINT or SIGTERM cancels, with a *signalError as its cause: commands then
// finish what runs, clean up and report. The second signal ends the process at once.
func withSignals(parent context.Context, stderr io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			select {
			case s := <-signals:
				e := &signalError{s}
				if !first {
					os.Exit(e.code())
				}
				fmt.Fprintf(stderr, "tarry: %v; cleaning up (once more to stop at once)\n", e)
				cancel(e)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
	}
}
