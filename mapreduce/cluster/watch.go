package cluster

import (
	"context"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// PauseEvery is the number of calls of Watch.Check per call of Resources.Pause.
const PauseEvery = 16

// Watch tells an attempt's goroutine whether the attempt must end. Its Check is cheap enough to be
// called for each record.
type Watch struct {
	ctx      context.Context
	pause    func(context.Context) error // may be nil
	canceled uint32                      // 1 if canceled; atomic
	checks   uint
	life     *memory.Liveness // never nil
}

// NewWatch returns a Watch for an attempt with context ctx and resources r. stop frees it.
func NewWatch(ctx context.Context, r *Resources) (w *Watch, stop func()) {
	w = &Watch{ctx: ctx, pause: r.Pause, life: r.life()}
	if w.life == nil {
		w.life = new(memory.Liveness)
	}
	after := context.AfterFunc(ctx, func() { atomic.StoreUint32(&w.canceled, 1) })
	return w, func() { after() }
}

// Check returns an error if the attempt must end, and blocks while it is suspended. Each call shows
// that the attempt makes progress.
func (w *Watch) Check() error {
	w.life.Sign()
	if w.checks++; w.checks%PauseEvery != 0 && atomic.LoadUint32(&w.canceled) == 0 {
		return nil
	}
	return w.Halt()
}

// Halt is the rare part of Check: it returns the error of a canceled attempt, or calls Pause.
func (w *Watch) Halt() error {
	if atomic.LoadUint32(&w.canceled) != 0 {
		return context.Cause(w.ctx)
	}
	if w.pause == nil {
		return nil
	}
	return w.pause(w.ctx)
}

// Now is Check, but calls Resources.Pause in each call and not in every 16th.
func (w *Watch) Now() error {
	w.checks |= PauseEvery - 1
	if w.ctx.Err() != nil { // w.canceled may be set late
		return context.Cause(w.ctx)
	}
	return w.Check()
}

// Flags returns two flags that a loop can read itself, with atomic loads. asked is 1 if the attempt
// must give a sign of life, canceled is 1 if it must end.
func (w *Watch) Flags() (asked, canceled *uint32) { return &w.life.Asked, &w.canceled }

// GoesOn gives a sign of life and reports whether the attempt may continue.
func (w *Watch) GoesOn() bool {
	w.life.Sign()
	return atomic.LoadUint32(&w.canceled) == 0
}
