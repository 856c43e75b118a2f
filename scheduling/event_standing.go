package scheduling

import (
	"math"
	"time"
)

// standing is what events have said last of how a job stands.
type standing struct {
	at       time.Duration // of the last EventShares
	shares   [kinds]float64
	virtual  [kinds]Projected
	launched [kinds]int // at the last update
}

// tellAgain is the part of a job's age that passes before its share is told again, so that a job of
// any length has some hundred such events at most.
const tellAgain = 20

// grouper is an order that tells, at each update, what its groups of jobs should have.
type grouper interface{ tellGroups() }

// projector is an order with a virtual cluster.
type projector interface {
	projected(j *job, k TaskKind) VirtualView
}

// tellStanding puts on record how jobs and queues stand, and which job waits because all slots are
// taken. Pools tell of themselves.
func (c *Core) tellStanding() {
	if !c.tells() {
		return
	}
	if o, ok := c.order.(grouper); ok {
		o.tellGroups()
	}
	for _, j := range c.active {
		if j.state.Ended() {
			continue
		}
		if j.told == nil {
			j.told = &standing{at: math.MinInt64 / 2}
		}
		c.tellShare(j)
		for k := range TaskKind(kinds) {
			c.tellWaiting(j, k)
		}
	}
}

// tellShare says what a job should have, if that has changed and was not told just now.
func (c *Core) tellShare(j *job) {
	t := j.told
	if c.now-t.at < (c.now-j.submitted)/tellAgain {
		return
	}
	e := Event{Type: EventShares, JobID: j.id, Node: NoNode, Pool: j.group}
	for k := range TaskKind(kinds) {
		if share, _ := c.order.share(j, k); !math.IsNaN(share) {
			e.Shares[k] = share
		}
		e.Demand[k], e.Running[k] = j.demand(k), j.w[k].running
		if o, ok := c.order.(projector); ok {
			e.Virtual[k] = Projected(o.projected(j, k))
		}
	}
	if e.Shares == t.shares && e.Virtual == t.virtual {
		return
	}
	t.at, t.shares, t.virtual = c.now, e.Shares, e.Virtual
	c.emit(e)
}

// tellWaiting says that a job waits for a slot where none is free: nothing of it was launched since
// the last update, and nothing else has been told since its last launch.
func (c *Core) tellWaiting(j *job, k TaskKind) {
	w := &j.w[k]
	before := j.told.launched[k]
	j.told.launched[k] = w.launched()
	waits := j.launchable(k) && w.waiting() > 0 && w.skipped == NoCause
	if !waits || c.room[k] >= int(j.slots) || before != w.launched() {
		return
	}
	w.skipped, w.skipLevel, w.skips = CauseNoSlot, AnyPlace, 0
	c.emit(Event{
		Type: EventSkipped, JobID: j.id, Kind: k, Node: NoNode,
		Reason: Reason{Cause: CauseNoSlot, Count: int32(c.slots[k] - c.room[k]), Of: int32(c.slots[k])},
	})
}

// maximumTold is a limit as events tell it.
func maximumTold(limit int) int {
	switch limit {
	case NoLimit:
		return 0
	case 0:
		return -1
	}
	return limit
}
