package actors

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Event is what the scheduling.Core says happened and, for attempts and jobs that have
// ended, what a live run knows besides. As JSON it is one flat object.
type Event struct {
	event.Event

	// Phases of an attempt that succeeded or failed.
	Phases *Phases `json:"phases,omitempty"`

	// Counters of an attempt that succeeded, or of a job that ended. They must not be
	// changed.
	Counters *counter.Set `json:"counters,omitempty"`
}

// Phases are the times of an attempt, in nanoseconds as JSON.
type Phases struct {
	Start   time.Duration `json:"start"`             // of the attempt, since the cluster's start
	Wait    time.Duration `json:"wait,omitempty"`    // for a turn to compute, see Config.Parallelism
	Read    time.Duration `json:"read,omitempty"`    // a map's, of its split over the emulated network
	Shuffle time.Duration `json:"shuffle,omitempty"` // a reduce's, until it had all segments
	Work    time.Duration `json:"work"`              // the rest: map, or merge and reduce
	Commit  time.Duration `json:"commit,omitempty"`
}

// tellBeginning is the first event of a cluster: what it is, and since when.
func (e *env) tellBeginning(p *scheduling.Policy) {
	if e.cfg.Events == nil {
		return
	}
	e.tell([]Event{{Event: event.Event{
		At: e.facts.Now, Type: event.Began, Node: scheduling.NoNode, Name: p.Name, Policy: p,
		Began: &event.Header{
			Schema: event.Schema, Wall: e.start.UTC().Round(0), Seed: e.cfg.Seed, Heartbeat: e.cfg.HeartbeatInterval,
			Expiry: e.cfg.Expiry, Nodes: e.cfg.Nodes, Racks: e.cfg.Racks,
		},
	}}})
}

// AppendJSON appends the event as [json.Marshal] writes it; see the event of package scheduling.
// Those with phases or counters, one an attempt, are left to package json.
func (e *Event) AppendJSON(b []byte) []byte {
	if e.Phases == nil && e.Counters == nil {
		return e.Event.AppendJSON(b)
	}
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // no field of an event can fail
	}
	return append(b, text...)
}

// What is the user's may panic. Functions that hear of the cluster (Events, Calls, a log handler) are
// called in the goroutine of an actor and must not end it; what a job needs, a store or an output, may
// also end its goroutine, as t.Fatal of a test does: that is called by isolate.

// tell hands events to the user's function, one after the other. It may panic: that is logged, and the
// events that follow are told all the same.
func (e *env) tell(events []Event) {
	for i := range events {
		e.tellOne(events[i])
	}
}

func (e *env) tellOne(ev Event) {
	defer func() {
		if p := recover(); p != nil {
			e.cfg.Logger.Error("the Events function panics", "event", ev.Type, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	e.cfg.Events(ev)
}

// guardCalls makes a function of the user's that may panic safe to call within a call of the Core.
func guardCalls(f func(*calls.Call), log *slog.Logger) func(*calls.Call) {
	if f == nil {
		return nil
	}
	return func(call *calls.Call) {
		err := recovered(func() error {
			f(call)
			return nil
		})
		if err != nil {
			log.Error("the Calls function panics", "op", call.Op, "err", err)
		}
	}
}

// guardedHandler keeps the panics of a log handler from those that log, actors among them.
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
	_ = recovered(func() error { yes = h.Handler.Enabled(ctx, l); return nil })
	return yes
}

// Handle implements slog.Handler.
func (h guardedHandler) Handle(ctx context.Context, r slog.Record) error {
	return recovered(func() error { return h.Handler.Handle(ctx, r) })
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
	_ = recovered(func() error { made = derive(); return nil })
	return guardedHandler{made}
}

// recovered runs f; a panic is its error.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = cluster.NewPanicError(v)
		}
	}()
	return f()
}

// isolate runs f in a goroutine of its own and waits for it.
func isolate(f func() error) error {
	done := make(chan error, 1)
	go func() {
		var err error
		returned := false
		defer func() {
			if !returned {
				err = cluster.Exited()
			}
			done <- err
		}()
		err = recovered(f)
		returned = true
	}()
	return <-done
}
