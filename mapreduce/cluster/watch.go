package cluster

import (
	"context"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// PauseEvery is the number of checks of a Watch per call of Pause.
const PauseEvery = 16

// Watch tells the goroutine of an attempt whether to continue. Its check is cheap enough for every
// record.
type Watch struct {
	ctx      context.Context
	pause    func(context.Context) error // may be nil
	canceled uint32                      // 1 if canceled; atomic
	checks   uint
	life     *memory.Liveness // never nil
}

// NewWatch returns a Watch that observes ctx and r. stop frees it at the end of the attempt.
func NewWatch(ctx context.Context, r *Resources) (w *Watch, stop func()) {
	w = &Watch{ctx: ctx, pause: r.Pause, life: r.life()}
	if w.life == nil {
		w.life = new(memory.Liveness)
	}
	after := context.AfterFunc(ctx, func() { atomic.StoreUint32(&w.canceled, 1) })
	return w, func() { after() }
}

// Check returns an error if the attempt must end, and blocks while the attempt is suspended. It
// counts as progress.
func (w *Watch) Check() error {
	w.life.Sign()
	if w.checks++; w.checks%PauseEvery != 0 && atomic.LoadUint32(&w.canceled) == 0 {
		return nil
	}
	return w.Halt()
}

// Halt does what Check does rarely: it returns the error of a canceled attempt and calls Pause.
func (w *Watch) Halt() error {
	if atomic.LoadUint32(&w.canceled) != 0 {
		return context.Cause(w.ctx)
	}
	if w.pause == nil {
		return nil
	}
	return w.pause(w.ctx)
}

// Now is like Check, but calls Resources.Pause each time instead of at every 16th call.
func (w *Watch) Now() error {
	w.checks |= PauseEvery - 1
	if w.ctx.Err() != nil { // the flag may be set late
		return context.Cause(w.ctx)
	}
	return w.Check()
}

// Flags returns two flags for a loop that reads them itself, with atomic loads. asked is 1 if a
// sign of life is due, canceled is 1 if the attempt must end.
func (w *Watch) Flags() (asked, canceled *uint32) { return &w.life.Asked, &w.canceled }

// Asked reports whether a sign of life is due or the attempt is canceled.
func (w *Watch) Asked() bool {
	return atomic.LoadUint32(&w.life.Asked)|atomic.LoadUint32(&w.canceled) != 0
}

// GoesOn gives a sign of life and reports whether the attempt may continue.
func (w *Watch) GoesOn() bool {
	w.life.Sign()
	return atomic.LoadUint32(&w.canceled) == 0
}
