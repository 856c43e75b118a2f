package actors

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/tarry-mr/tarry/scheduling"
)

// errSink is what a Logger's handler answers that panics.
var errSink = errors.New("actors: the log handler panics")

// tell hands events to the user's function, which may panic or end its goroutine (as a failed
// assertion of a test does): that is logged, and the events that follow are told all the same.
func (e *env) tell(events []Event) {
	for next := 0; next < len(events); {
		over := make(chan struct{})
		go func() {
			returned := false
			defer close(over)
			defer func() {
				if p := recover(); p != nil || !returned {
					e.cfg.Logger.Error("the Events function panics", "event", events[next-1].Type, "panic", p, "stack", string(debug.Stack()))
				}
			}()
			for next < len(events) {
				next++
				e.cfg.Events(events[next-1])
			}
			returned = true
		}()
		<-over
	}
}

// guardCalls makes a function of the user's that may panic safe to call within a call of the
// Core, also if it ends its goroutine.
func guardCalls(f func(*scheduling.Call), log *slog.Logger) func(*scheduling.Call) {
	if f == nil {
		return nil
	}
	return func(call *scheduling.Call) {
		err := apart(func() error {
			f(call)
			return nil
		})
		if err != nil {
			log.Error("the Calls function panics", "op", call.Op, "err", err)
		}
	}
}

// guardedHandler keeps the panics of a log handler from the actors that log.
type guardedHandler struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h guardedHandler) Enabled(ctx context.Context, l slog.Level) (yes bool) {
	defer func() { _ = recover() }()
	return h.Handler.Enabled(ctx, l)
}

// Handle implements slog.Handler.
func (h guardedHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	defer func() {
		if recover() != nil {
			err = errSink
		}
	}()
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h guardedHandler) WithAttrs(attrs []slog.Attr) (with slog.Handler) {
	defer func() {
		if recover() != nil {
			with = h
		}
	}()
	return guardedHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h guardedHandler) WithGroup(name string) (with slog.Handler) {
	defer func() {
		if recover() != nil {
			with = h
		}
	}()
	return guardedHandler{h.Handler.WithGroup(name)}
}
