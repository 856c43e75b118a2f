package actors

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
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

// ErrTaskTimeout is wrapped by the error of an attempt, and the cause of its context, that made no
// progress for [Config].TaskTimeout.
var ErrTaskTimeout = errors.New("task timeout")

// progressSample is what a node has seen of an attempt.
type progressSample struct {
	pulse int64         // when it was last looked at
	still time.Duration // since when it has been the same
}

// watch stops the attempts that have made no progress for too long. One that is suspended, or waits
// for its turn, for map outputs or for the JobTracker, is not to blame. Time in which this process
// did not run does not count.
func (n *node) watch() {
	now, limit := n.env.now(), n.env.cfg.TaskTimeout
	passed := min(now-n.watched, 2*n.env.cfg.HeartbeatInterval)
	n.watched = now
	if limit < 0 {
		return
	}
	for _, h := range n.running {
		a := h.attempt
		pulse := a.pulse()
		if pulse != h.seen.pulse || a.resting.Load() > 0 || h.paused {
			h.seen = progressSample{pulse: pulse}
			continue
		}
		if h.seen.still += passed; h.seen.still >= limit && a.ctx.Err() == nil {
			a.hangs.Input, a.hangs.Number = a.progress.AtHand()
			a.stop(a.hung(limit))
		}
	}
}

// pulse is another number when the attempt has done something since the last call.
func (a *attempt) pulse() int64 { return a.progress.Pulse() + a.fetched.Load() + a.input.Load() }

// hung is the error of an attempt that makes no progress.
func (a *attempt) hung(limit time.Duration) error {
	text := a.stand()
	if at := a.codePlace(); at != "" {
		text += ", at " + at
	}
	return fmt.Errorf("%w: no progress for %v, %s", ErrTaskTimeout, limit, text)
}

// stand says how far the attempt has come.
func (a *attempt) stand() string {
	if a.id.Task.Kind == scheduling.Reduce {
		if n, maps := a.fetched.Load(), int64(len(a.run.splits)); n < maps {
			return fmt.Sprintf("with the outputs of %d maps of %d", n, maps)
		}
		return fmt.Sprintf("after about %d of %d records", a.progress.Records.Load(), a.input.Load())
	}
	if where := a.progress.Where(); where != "" {
		return "in " + where
	}
	return "before the first record"
}

// placed is the cause of the end of an attempt, with the record at which its map says it ended.
func placed(cause, err error) error {
	var at *mapreduce.RecordError
	if !errors.Is(cause, ErrTaskTimeout) || !errors.As(err, &at) {
		return cause
	}
	record := *at
	record.Err = cause
	return &record
}
