package actors

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Event is an event of the scheduling.Core with what a live run adds for attempts and jobs that
// have ended. As JSON it is one flat object.
type Event struct {
	event.Event

	// Phases is set for an attempt that succeeded or failed.
	Phases *Phases `json:"phases,omitempty"`

	// Counters is set for an attempt that succeeded and for a job that ended. It must not be
	// changed.
	Counters *counter.Set `json:"counters,omitempty"`
}

// Phases are the durations of an attempt's phases, in nanoseconds in JSON.
type Phases struct {
	Start   time.Duration `json:"start"`             // when the attempt began, since the cluster's start
	Wait    time.Duration `json:"wait,omitempty"`    // for a compute token, see Config.Parallelism
	Read    time.Duration `json:"read,omitempty"`    // map only: fetching its split over the emulated network
	Shuffle time.Duration `json:"shuffle,omitempty"` // reduce only: until it had all segments
	Work    time.Duration `json:"work"`              // the rest: map, or merge and reduce
	Commit  time.Duration `json:"commit,omitempty"`
}

// tellBeginning emits the first event of a cluster: its configuration and start time.
func (e *env) tellBeginning(p *scheduling.Policy) {
	e.tell(&Event{Event: event.Event{
		At: e.durable.Now, Type: event.Began, Node: scheduling.NoNode, Name: p.Name, Policy: p,
		Began: &event.Header{
			Schema: event.Schema, Wall: e.start.UTC().Round(0), Seed: e.cfg.Seed, Heartbeat: e.cfg.HeartbeatInterval,
			Expiry: e.cfg.Expiry, Nodes: e.cfg.Nodes, Racks: e.cfg.Racks,
		},
	}})
}

// AppendJSON appends the event as [json.Marshal] writes it. Events with phases or counters, at most
// one per attempt, go through package json; the others use the faster event.AppendJSON of package
// scheduling.
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

// User code may panic. Actors call the functions that observe the cluster (Events, Calls, a log
// handler) in their own goroutine, so these must not end it. Code that a job needs, such as a store
// or an output, may also end its goroutine, as t.Fatal does in a test; such code is called through
// isolate.

// tell passes an event to the user's Events function, if there is one. If it panics, the panic is
// logged.
func (e *env) tell(ev *Event) {
	if e.cfg.Events == nil {
		return
	}
	if err := recovered(func() error { e.cfg.Events(*ev); return nil }); err != nil {
		e.cfg.Logger.Error("the Events function panics", "event", ev.Type, "err", err)
	}
}

// guardCalls wraps the user's Calls function so that its panics cannot reach the Core.
func guardCalls(f func(*calls.Call), log *slog.Logger) func(*calls.Call) {
	if f == nil {
		return nil
	}
	return func(call *calls.Call) {
		if err := recovered(func() error { f(call); return nil }); err != nil {
			log.Error("the Calls function panics", "op", call.Op, "err", err)
		}
	}
}

// guardedHandler keeps panics of a log handler away from its callers, actors among them.
type guardedHandler struct{ slog.Handler }

// guardLog returns log with a handler that cannot panic; for nil, a logger that discards.
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

// with returns the guarded handler that derive returns, or this one if derive panics.
func (h guardedHandler) with(derive func() slog.Handler) slog.Handler {
	made := h.Handler
	_ = recovered(func() error { made = derive(); return nil })
	return guardedHandler{made}
}

// recovered runs f and returns a panic as an error.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = cluster.NewPanicError(v)
		}
	}()
	return f()
}

// isolate runs f in a new goroutine and returns its error, also if f panics or ends the goroutine.
func isolate(f func() error) error {
	done := make(chan error, 1)
	go func() {
		returned := false
		defer func() {
			if !returned {
				done <- cluster.Exited()
			}
		}()
		err := recovered(f)
		returned = true
		done <- err
	}()
	return <-done
}
