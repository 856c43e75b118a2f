package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tarry-mr/tarry/cmd/tarry/internal/early"
	"github.com/tarry-mr/tarry/internal/scratch"
)

// signalError is why a run ended early.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string {
	switch e.signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "hung up"
	default:
		return "interrupted"
	}
}

// code is the exit code by the shell's convention: 128 plus the signal's number.
func (e *signalError) code() int {
	if s, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return exitFailed
}

// hangupReloads says that SIGHUP is for somebody else, see hangups.
var hangupReloads atomic.Bool

// withSignals gives a context that the first SIGINT, SIGTERM or SIGHUP cancels, with a *signalError as its cause: commands
// then finish what runs, clean up and report. The second signal ends the process at once.
func (p *program) withSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	done := make(chan struct{})
	go func() {
		for first := true; ; {
			select {
			case s := <-early.Signals:
				if s == syscall.SIGHUP && hangupReloads.Load() {
					continue
				}
				e := &signalError{s}
				if !first {
					atMost(patience, scratch.RemoveAll)
					os.Exit(e.code())
				}
				first = false
				p.display.hide() // it would draw over what is said
				fmt.Fprintf(p.stderr, "tarry: %v; cleaning up (once more to stop at once)\n", e)
				cancel(e)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() { close(done) }
}

// patience is how long somebody who wants to stop at once waits for what is nearly done.
const patience = 500 * time.Millisecond

// atMost waits for f, but not for long.
func atMost(d time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(d):
	}
}
