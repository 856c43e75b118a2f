package watch

import (
	"bytes"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// State belongs to a plan and says whether debug mode (Plan.Debug) checks the functions of its job.
// All attempts share it.
type State struct {
	on      bool
	options cluster.DebugOptions
	misuse  atomic.Pointer[error] // the first misuse of emit
	ended   atomic.Bool           // the job is over: misuse is not read anymore
}

// Watch turns debug mode on for the attempts of the plan.
func (s *State) Watch(o cluster.DebugOptions) { s.on, s.options = true, o }

// End is called when the job is over. It returns the error of the first misuse of emit. A later one
// panics, as no one returns its error.
func (s *State) End() error {
	s.ended.Store(true)
	return s.failed()
}

// failed returns the error of the first misuse of emit, or nil.
func (s *State) failed() error {
	if err := s.misuse.Load(); err != nil {
		return *err
	}
	return nil
}

// note stores the error of a misuse of emit, if it is the first, for failed.
func (s *State) note(err error) {
	err = fault.Permanent(err)
	if s.misuse.CompareAndSwap(nil, &err) && s.ended.Load() {
		panic(memory.Outside)
	}
}

// userCall is one call of a user's function that gets an emit.
type userCall struct {
	*State
	who       string // Map, Reduce or Close
	goroutine string
	over      atomic.Bool
	copies    []*Copies
}

// watchCall calls code, which calls the user's function who, and returns its or emit's error.
func (s *State) watchCall(who string, copies []*Copies, code func(c *userCall) error) error {
	c := &userCall{State: s, who: who, goroutine: goroutine(), copies: copies}
	defer c.over.Store(true)
	err := code(c)
	if out := s.failed(); out != nil {
		return out
	}
	for _, l := range copies {
		if l.kept != "" {
			err = fault.Permanent(l.keptError(who))
			l.kept = ""
		}
	}
	return err
}

// inPlace reports whether emit may be called by this goroutine now; if not, it notes an error.
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

// goroutine returns the name of the calling goroutine, to recognize calls from others.
func goroutine() string {
	var buf [64]byte
	text := buf[:runtime.Stack(buf[:], false)]
	name, _, _ := bytes.Cut(text, []byte(" ["))
	return string(name)
}

// callPlace returns file and line of the user's code that has called the engine.
func callPlace() string {
	place, _ := fault.UserCaller()
	return place
}
