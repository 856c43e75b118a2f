package actors

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// abandonAfter is how long an attempt that was told to stop may go on.
const abandonAfter = 5 * time.Second

// errStopped is the cause of the context of an attempt that was ordered to stop.
var errStopped = errors.New("actors: the attempt was stopped")

// The fates of an attempt: it ends by itself, or it is abandoned.
const (
	fateOpen int32 = iota
	fateEnded
	fateAbandoned
)

// stop ends the attempt through its context. One whose user code does not heed that is abandoned
// after a grace.
func (a *attempt) stop(cause error) {
	a.cancel(cause)
	a.grace.Do(func() { time.AfterFunc(abandonAfter, a.abandon) })
}

// abandon gives up an attempt that goes on although it was stopped: nobody waits for it any more,
// its slot goes on with a goroutine of its own, and what it does yet counts for nothing. The memory
// that it holds is given back when it really ends.
func (a *attempt) abandon() {
	if !a.fate.CompareAndSwap(fateOpen, fateAbandoned) {
		return
	}
	a.env.cfg.Logger.Warn("an attempt is abandoned: its user code does not return", "attempt", a,
		"cause", context.Cause(a.ctx), "at", a.codePlace())
	a.releaseCompute()
	a.run.abandon(a)
	a.worker.leave()
	a.tell(&abandoned{attempt: a})
}

// settled says that the attempt has ended; false if it has been abandoned before.
func (a *attempt) settled() bool { return a.fate.CompareAndSwap(fateOpen, fateEnded) }

// deserted says whether the attempt has been abandoned.
func (a *attempt) deserted() bool { return a.fate.Load() == fateAbandoned }

// lastReport is how an attempt that was abandoned ended: it sends none itself.
func (a *attempt) lastReport() *report {
	r := &report{status: scheduling.Status{Attempt: a.id, State: scheduling.StateKilled}}
	r.phases.Start = a.began
	cause := context.Cause(a.ctx)
	if errors.Is(cause, errStopped) {
		return r
	}
	r.err = fmt.Errorf("%w; it did not heed its context and was left behind", cause)
	if at := a.hangs; at.Number > 0 {
		r.err = &mapreduce.RecordError{Input: at.Input, Offset: -1, Number: at.Number, Err: r.err}
	}
	r.status.State, r.status.Err = scheduling.StateFailed, r.err.Error()
	return r
}

// slotWorker is the goroutine in which the attempts of a slot work, one after the other.
type slotWorker struct {
	work  chan *attempt
	leave func() // nobody waits for it any more; may be called again
}

func (e *env) newSlotWorker() *slotWorker {
	e.attempts.Add(1)
	w := &slotWorker{work: make(chan *attempt, 1), leave: sync.OnceFunc(e.attempts.Done)}
	go w.serve()
	return w
}

// serve runs attempts until there will be no more. If user code ends the goroutine, another goes
// on.
func (w *slotWorker) serve() {
	over := false
	defer func() {
		if over {
			w.leave()
		} else {
			go w.serve()
		}
	}()
	number := goroutineNumber()
	for a := range w.work {
		a.number.Store(&number)
		a.work()
	}
	over = true
}

// goroutineNumber is the number of this goroutine in stacks.
func goroutineNumber() string {
	head := make([]byte, 64)
	head = head[:runtime.Stack(head, false)]
	number, _, _ := strings.Cut(strings.TrimPrefix(string(head), "goroutine "), " ")
	return number
}

// mostStacks bounds the stacks of all goroutines that are searched for one.
const mostStacks = 16 << 20

// codePlace is the file and line at which the user's code is, if that can be found out.
func (a *attempt) codePlace() string {
	number := a.number.Load()
	if number == nil {
		return ""
	}
	return cluster.StackPlace(stackOf(*number, func(buf []byte) int { return runtime.Stack(buf, true) }))
}

// stackOf finds the stack of the goroutine of that number in what dump writes into a buffer, the
// stacks of all goroutines as far as there is room; it returns how many bytes. The buffer grows to
// mostStacks at most. Nothing if the stack is not there.
func stackOf(number string, dump func(buf []byte) int) string {
	for size := 256 << 10; ; size *= 4 {
		buf := make([]byte, size)
		n := dump(buf)
		if n == len(buf) && size < mostStacks {
			continue
		}
		for stack := range strings.SplitSeq(string(buf[:n]), "\n\n") {
			if strings.HasPrefix(stack, "goroutine "+number+" ") {
				return stack
			}
		}
		return ""
	}
}
