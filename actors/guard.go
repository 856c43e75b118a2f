package actors

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/tarry-mr/tarry/scheduling/calls"
)

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
func guardCalls(f func(*calls.Call), log *slog.Logger) func(*calls.Call) {
	if f == nil {
		return nil
	}
	return func(call *calls.Call) {
		err := apart(func() error {
			f(call)
			return nil
		})
		if err != nil {
			log.Error("the Calls function panics", "op", call.Op, "err", err)
		}
	}
}

// guardedHandler keeps from those that log, actors among them, that a log handler panics or ends
// its goroutine.
type guardedHandler struct{ slog.Handler }

// guardLog guards the handler of a user's logger; nil discards what is logged.
func guardLog(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	if _, guarded := log.Handler().(guardedHandler); guarded {
		return log
	}
	return slog.New(guardedHandler{log.Handler()})
}

// Enabled implements slog.Handler.
func (h guardedHandler) Enabled(ctx context.Context, l slog.Level) (yes bool) {
	_ = apart(func() error { yes = h.Handler.Enabled(ctx, l); return nil })
	return yes
}

// Handle implements slog.Handler.
func (h guardedHandler) Handle(ctx context.Context, r slog.Record) error {
	return apart(func() error { return h.Handler.Handle(ctx, r) })
}

// WithAttrs implements slog.Handler.
func (h guardedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(func() slog.Handler { return h.Handler.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (h guardedHandler) WithGroup(name string) slog.Handler {
	return h.with(func() slog.Handler { return h.Handler.WithGroup(name) })
}

// with is the handler that derive returns, or this one.
func (h guardedHandler) with(derive func() slog.Handler) slog.Handler {
	made := h.Handler
	_ = apart(func() error { made = derive(); return nil })
	return guardedHandler{made}
}
