package mapreduce

import (
	"bytes"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// debugState is what Plan.Debug adds to the typed half of a plan.
type debugState struct {
	debug *debugging // nil: attempts are not watched
}

func (s *debugState) Watch(o DebugOptions) { s.debug = &debugging{DebugOptions: o} }

func (s *debugState) End() error {
	s.debug.end()
	return s.debug.failed()
}

// debugging is shared by the attempts of a watched plan.
type debugging struct {
	DebugOptions
	misuse atomic.Pointer[error] // the first misuse of emit
	ended  atomic.Bool           // the job is over: misuse is not read any more
}

// failed returns the error of the first misuse of emit, or nil.
func (d *debugging) failed() error {
	if d == nil {
		return nil
	}
	if err := d.misuse.Load(); err != nil {
		return *err
	}
	return nil
}

// end marks the job as over: a later misuse of emit panics.
func (d *debugging) end() {
	if d != nil {
		d.ended.Store(true)
	}
}

// note stores the first error for the next call of failed.
func (d *debugging) note(err error) {
	err = Permanent(err)
	if d.misuse.CompareAndSwap(nil, &err) && d.ended.Load() {
		panic(memory.Outside)
	}
}

// userCall is one call of a user's function that may emit.
type userCall struct {
	*debugging
	who            string // Map, Reduce or Close
	goroutine      string
	over           atomic.Bool
	poisonedCopies []*poisonedCopies
	kept           error // bytes emitted beyond their lifetime
}

// watchCall runs code, which creates its emit from the call that it receives.
func (d *debugging) watchCall(who string, poisonedCopies []*poisonedCopies, code func(c *userCall) error) error {
	c := &userCall{debugging: d, who: who, goroutine: goroutine(), poisonedCopies: poisonedCopies}
	defer c.over.Store(true)
	err := code(c)
	if out := d.failed(); out != nil {
		return out
	}
	if c.kept != nil {
		return Permanent(c.kept)
	}
	return err
}

// inPlace reports whether emit may be called now; otherwise it notes an error.
func (c *userCall) inPlace() bool {
	switch {
	case c.over.Load():
		c.note(fmt.Errorf("mapreduce: emit was called after the %s that it was given to had returned (%s): "+
			"it must not be kept, and goroutines that emit must be waited for", c.who, callPlace()))
	case goroutine() != c.goroutine:
		c.note(fmt.Errorf("mapreduce: emit was called from another goroutine than that of %s (%s): "+
			"hand results to the goroutine that %s runs in, and emit them there", c.who, callPlace(), c.who))
	default:
		return true
	}
	return false
}

// goroutine returns the name of the calling goroutine.
func goroutine() string {
	var buf [64]byte
	text := buf[:runtime.Stack(buf[:], false)]
	name, _, _ := bytes.Cut(text, []byte(" ["))
	return string(name)
}

// callPlace returns the file and line of the user code that called the engine.
func callPlace() string {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if !fault.OfEngine(f) && !strings.HasPrefix(f.Function, "runtime.") && !strings.HasPrefix(f.Function, "reflect.") {
			return fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(f.File)), path.Base(f.File), f.Line)
		}
	}
	return "unknown place"
}
