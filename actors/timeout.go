package actors

import (
	"errors"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

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
