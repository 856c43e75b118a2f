package watch

import (
	"bytes"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// State is the part of a plan that Plan.Debug sets: whether and how attempts watch the job's
// functions.
type State struct {
	debug *watched // nil: attempts are not watched
}

// Watch makes the attempts of the plan watch the job's functions.
func (s *State) Watch(o cluster.DebugOptions) { s.debug = &watched{DebugOptions: o} }

// Watches reports whether the plan is watched.
func (s *State) Watches() bool { return s.debug != nil }

// End is called when the job is over. It returns the error of the first misuse of emit, or nil.
func (s *State) End() error {
	s.debug.end()
	return s.debug.failed()
}

// watched is shared by the attempts of a watched plan.
type watched struct {
	cluster.DebugOptions
	misuse atomic.Pointer[error] // the first misuse of emit
	ended  atomic.Bool           // the job is over: misuse is not read any more
}

// failed returns the error of the first misuse of emit, or nil.
func (d *watched) failed() error {
	if d == nil {
		return nil
	}
	if err := d.misuse.Load(); err != nil {
		return *err
	}
	return nil
}

// end marks the job as over: a later misuse of emit panics.
func (d *watched) end() {
	if d != nil {
		d.ended.Store(true)
	}
}

// note stores the first error for the next call of failed.
func (d *watched) note(err error) {
	err = fault.Permanent(err)
	if d.misuse.CompareAndSwap(nil, &err) && d.ended.Load() {
		panic(memory.Outside)
	}
}

// userCall is one call of a user's function that may emit.
type userCall struct {
	*watched
	who       string // Map, Reduce or Close
	goroutine string
	over      atomic.Bool
	copies    []*Copies
	kept      error // bytes emitted beyond their lifetime
}

// watchCall runs code, which creates its emit from the call that it receives.
func (d *watched) watchCall(who string, copies []*Copies, code func(c *userCall) error) error {
	c := &userCall{watched: d, who: who, goroutine: goroutine(), copies: copies}
	defer c.over.Store(true)
	err := code(c)
	if out := d.failed(); out != nil {
		return out
	}
	if c.kept != nil {
		return fault.Permanent(c.kept)
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
