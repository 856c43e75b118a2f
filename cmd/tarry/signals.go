package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tarry-mr/tarry/cmd/tarry/internal/early"
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
					stages.remove()
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

// stages are the directories of what runs write for their next stage.
var stages leftovers

// leftovers are temporary directories that go also if the process ends at once. What a run leaves in its output the next
// run cleans.
type leftovers struct {
	mu   sync.Mutex
	dirs []string
}

// add notes a directory.
func (l *leftovers) add(dir string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dirs = append(l.dirs, dir)
}

// done forgets a directory that is removed.
func (l *leftovers) done(dir string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dirs = slices.DeleteFunc(l.dirs, func(d string) bool { return d == dir })
}

// patience is how long somebody who wants to stop at once waits for what is nearly done.
const patience = 500 * time.Millisecond

// remove removes the directories as far as that is quick.
func (l *leftovers) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	atMost(patience, func() {
		for _, dir := range l.dirs {
			_ = os.RemoveAll(dir)
		}
	})
}

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
