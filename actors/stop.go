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

// abandonAfter is how long a stopped attempt may run on before it is abandoned.
const abandonAfter = 5 * time.Second

// errStopped is the cause of the context of an attempt that was ordered to stop.
var errStopped = errors.New("actors: the attempt was stopped")

// An attempt's fate: it ends by itself, or it is abandoned.
const (
	fateOpen int32 = iota
	fateEnded
	fateAbandoned
)

// stop ends the attempt through its context. If its user code ignores that, the attempt is
// abandoned after abandonAfter.
func (a *attempt) stop(cause error) {
	a.cancel(cause)
	a.grace.Do(func() { time.AfterFunc(abandonAfter, a.abandon) })
}

// abandon gives up an attempt that runs on after stop. Neither the job nor Close waits for it any
// longer, its slot is free, and its result is ignored. Its memory is freed when it really ends.
func (a *attempt) abandon() {
	if !a.fate.CompareAndSwap(fateOpen, fateAbandoned) {
		return
	}
	a.env.cfg.Logger.Warn("an attempt is abandoned: its user code does not return", "attempt", a,
		"cause", context.Cause(a.ctx), "at", a.codePlace())
	a.releaseCompute()
	a.run.abandon(a)
	a.tell(a.lastReport())
}

// settled marks the attempt as ended. It returns false if the attempt was abandoned before.
func (a *attempt) settled() bool { return a.fate.CompareAndSwap(fateOpen, fateEnded) }

// isAbandoned reports whether the attempt has been abandoned.
func (a *attempt) isAbandoned() bool { return a.fate.Load() == fateAbandoned }

// lastReport returns the report for an abandoned attempt, which sends none itself.
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

// goroutineNumber returns the number of this goroutine in stack traces.
func goroutineNumber() string {
	head := make([]byte, 64)
	head = head[:runtime.Stack(head, false)]
	number, _, _ := strings.Cut(strings.TrimPrefix(string(head), "goroutine "), " ")
	return number
}

// maxStacks limits the size of the stack dump that is searched for one goroutine.
const maxStacks = 16 << 20

// codePlace returns the file and line at which the user's code is, or "" if unknown.
func (a *attempt) codePlace() string {
	number := a.number.Load()
	if number == nil {
		return ""
	}
	all := make([]byte, maxStacks)
	for stack := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		if strings.HasPrefix(stack, "goroutine "+*number+" ") {
			return cluster.StackPlace(stack)
		}
	}
	return ""
}

// ErrTaskTimeout is wrapped by the error of an attempt, and by the cause of its context, that made
// no progress for [Config].TaskTimeout.
var ErrTaskTimeout = errors.New("task timeout")

// progressSample is what a node saw of an attempt's progress when it last looked.
type progressSample struct {
	pulse int64         // at the last look
	still time.Duration // how long it has been unchanged
}

// watch stops attempts that have made no progress for too long. It ignores attempts that are
// suspended or wait for a compute token, for map outputs or for the JobTracker. Time in which this
// process did not run does not count.
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

// pulse returns a number that differs from the last one if the attempt has made progress.
func (a *attempt) pulse() int64 { return a.progress.Pulse() + a.fetched.Load() + a.input.Load() }

// hung returns the error of an attempt that makes no progress.
func (a *attempt) hung(limit time.Duration) error {
	text := a.stand()
	if at := a.codePlace(); at != "" {
		text += ", at " + at
	}
	return fmt.Errorf("%w: no progress for %v, %s", ErrTaskTimeout, limit, text)
}

// stand returns how far the attempt has come, as text for the error of a timeout.
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

// placed returns the cause of an attempt's end, with the record at which its map ended if a task
// timeout stopped it.
func placed(cause, err error) error {
	var at *mapreduce.RecordError
	if !errors.Is(cause, ErrTaskTimeout) || !errors.As(err, &at) {
		return cause
	}
	record := *at
	record.Err = cause
	return &record
}
