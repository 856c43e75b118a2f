package core

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// jobTold is what events, and the skips of a heartbeat, last reported of a job.
type jobTold struct {
	lastShares
	skips [model.Kinds]skipTold
}

// skipTold is what was reported of a job that was passed over.
type skipTold struct {
	cause model.Cause    // of the last event; none since the last launch
	level model.Locality // of the last event
	count int            // skips of that cause and level so far
	at    int32          // index in Core.skips, if it is there
}

// resetSkip is called when j launches a task: the next time that it is passed over causes an event.
func (c *Core) resetSkip(j *Job, k model.TaskKind) {
	if c.Config.Explain {
		c.told.Of(j).skips[k].cause = model.NoCause
	}
}

// Skip records why j got no slot of n. It always returns false, so that a refusal is one line.
func (c *Core) Skip(j *Job, n *NodeState, k model.TaskKind, why model.Reason, until time.Duration) bool {
	return c.skipAt(j, n, k, why, until, model.AnyPlace, nil)
}

// skipAt is like Skip, for a job that waits for locality, with its allowed level. An event is
// emitted when reason or level change. Until the job launches, one is also emitted when the number
// of skips has doubled since the last event. placed, if not nil, returns what a reduce waits for.
func (c *Core) skipAt(j *Job, n *NodeState, k model.TaskKind, why model.Reason, until time.Duration, level model.Locality, placed func() *event.Placed) bool {
	if !c.Config.Explain {
		return false
	}
	t := &c.told.Of(j).skips[k]
	s := c.skipOf(j, k)
	if s == nil {
		t.at = int32(len(c.skips))
		c.skips = append(c.skips, model.Skip{Job: j.ID, Kind: k, Node: n.ID})
		s = &c.skips[t.at]
	}
	s.Reason, s.Until = why, until
	if c.Config.Events == nil {
		return false
	}
	if t.cause != why.Cause || t.level != level {
		t.cause, t.level, t.count = why.Cause, level, 0
	}
	t.count++
	if t.count&(t.count-1) == 0 {
		e := event.Event{Type: event.Skipped, JobID: j.ID, Kind: k, Node: n.ID, Reason: why, Until: until, Count: t.count}
		if level != model.AnyPlace {
			e.Level = level.String()
		}
		if placed != nil {
			e.Placed = placed()
		}
		c.Emit(e)
	}
	return false
}

// skipOf returns how j was passed over in the last heartbeat, nil if it was not.
func (c *Core) skipOf(j *Job, k model.TaskKind) *model.Skip {
	if len(c.skips) == 0 {
		return nil
	}
	if i := int(c.told.Of(j).skips[k].at); i < len(c.skips) && c.skips[i].Job == j.ID && c.skips[i].Kind == k {
		return &c.skips[i]
	}
	return nil
}
