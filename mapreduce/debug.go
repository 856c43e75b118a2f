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

// debugState is what of Debug the typed half of a plan has.
type debugState struct {
	debug *debugging // nil: its attempts are not watched
}

func (s *debugState) Watch(o DebugOptions) { s.debug = &debugging{DebugOptions: o} }

func (s *debugState) End() error {
	s.debug.end()
	return s.debug.failed()
}

// debugging is what the attempts of a watched plan share.
type debugging struct {
	DebugOptions
	misuse atomic.Pointer[error] // the first emit out of place
	ended  atomic.Bool           // nobody looks at misuse any more
}

// failed returns the error of an emit out of place.
func (d *debugging) failed() error {
	if d == nil {
		return nil
	}
	if err := d.misuse.Load(); err != nil {
		return *err
	}
	return nil
}

// end says that the job is over: what is emitted now panics where it is.
func (d *debugging) end() {
	if d != nil {
		d.ended.Store(true)
	}
}

// note keeps the first error for whoever looks next.
func (d *debugging) note(err error) {
	err = Permanent(err)
	if d.misuse.CompareAndSwap(nil, &err) && d.ended.Load() {
		panic(memory.Outside)
	}
}

// userCall is one call of a function of the user's that may emit.
type userCall struct {
	*debugging
	who       string // Map, Reduce or Close
	goroutine string
	over      atomic.Bool
	loans     []*loans
	kept      error // bytes emitted beyond their lifetime
}

// watchCall runs code, which gets the call for its emit.
func (d *debugging) watchCall(who string, loans []*loans, code func(c *userCall) error) error {
	c := &userCall{debugging: d, who: who, goroutine: goroutine(), loans: loans}
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

// inPlace reports whether emit may be called here and now, and notes it if not.
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

// goroutine names the goroutine that calls it.
func goroutine() string {
	var buf [64]byte
	text := buf[:runtime.Stack(buf[:], false)]
	name, _, _ := bytes.Cut(text, []byte(" ["))
	return string(name)
}

// callPlace is the file and line of the user's code that has called the engine.
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
