package mapreduce

import (
	"context"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// pauseEvery is how many checks of a watch go by between two calls of Pause.
const pauseEvery = 16

// watch tells the goroutine of an attempt whether to go on. Its check is cheap
// enough for every record.
type watch struct {
	ctx      context.Context
	pause    func(context.Context) error // may be nil
	canceled uint32                      // 1 if it is; atomic
	checks   uint
	life     *memory.Life // never nil
}

// newWatch returns a watch and the function that ends it.
func newWatch(ctx context.Context, r *Resources) (w *watch, stop func()) {
	w = &watch{ctx: ctx, pause: r.Pause, life: r.life()}
	if w.life == nil {
		w.life = new(memory.Life)
	}
	after := context.AfterFunc(ctx, func() { atomic.StoreUint32(&w.canceled, 1) })
	return w, func() { after() }
}

// check returns an error if the attempt must end; it blocks while the attempt is
// suspended. It is a sign of life.
func (w *watch) check() error {
	w.life.Sign()
	if w.checks++; w.checks%pauseEvery != 0 && atomic.LoadUint32(&w.canceled) == 0 {
		return nil
	}
	return w.halt()
}

// halt is the part of check that only every so many need: the attempt's end, or its pause.
func (w *watch) halt() error {
	if atomic.LoadUint32(&w.canceled) != 0 {
		return context.Cause(w.ctx)
	}
	if w.pause == nil {
		return nil
	}
	return w.pause(w.ctx)
}

// now is check with a call of Pause in any case.
func (w *watch) now() error {
	w.checks |= pauseEvery - 1
	if w.ctx.Err() != nil { // the flag may come late
		return context.Cause(w.ctx)
	}
	return w.check()
}
