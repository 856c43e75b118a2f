package engine

import (
	"math"
	"time"
)

// figures are what a job, pool or queue should have and has, by kind of tasks.
type figures struct {
	shares   [kinds]float64
	demand   [kinds]int
	running  [kinds]int
	min, max [kinds]int
}

// standing is what events have said last of how a job stands.
type standing struct {
	at       time.Duration // of the last EventShares
	said     figures
	virtual  [kinds]Projected
	launched [kinds]int // at the last update
}

// groupStanding is what events have said last of a pool or queue.
type groupStanding struct {
	since time.Duration // it is there
	at    time.Duration // of the last EventShares
	said  figures
}

// tellAgain is the part of its age that passes before the figures of a job are told again, so that
// a job of any length has some hundred such events at most; of a pool or queue no more than
// mostSilent passes.
const (
	tellAgain  = 20
	mostSilent = 10 * time.Second
)

// grouper is an order that tells, at each update, what its groups of jobs should have.
type grouper interface{ tellGroups() }

// projector is an order with a virtual cluster.
type projector interface {
	projected(j *job, k TaskKind) (v VirtualView, has bool)
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

// tellShare says what a job should have and has, if that has changed and was not told just now.
func (c *Core) tellShare(j *job) {
	t := j.told
	if c.now-t.at < (c.now-j.submitted)/tellAgain {
		return
	}
	var now figures
	var virtual [kinds]Projected
	for k := range TaskKind(kinds) {
		if share, _ := c.order.share(j, k); !math.IsNaN(share) {
			now.shares[k] = share
		}
		now.demand[k], now.running[k] = j.demand(k), j.w[k].running
		if o, ok := c.order.(projector); ok {
			v, _ := o.projected(j, k)
			virtual[k] = Projected(v)
		}
	}
	if now == t.said && virtual == t.virtual {
		return
	}
	t.at, t.said, t.virtual = c.now, now, virtual
	c.emit(Event{
		Type: EventShares, JobID: j.id, Node: NoNode, Pool: j.group,
		Shares: now.shares, Demand: now.demand, Running: now.running, Virtual: virtual,
	})
}

// tellGroup says what a pool or queue should have as soon as that has changed, and to who listens to
// all that it wants and has, too, if that was not told just now.
func (c *Core) tellGroup(name string, t *groupStanding, now figures) {
	if now == t.said {
		return
	}
	should := now.shares != t.said.shares || now.min != t.said.min || now.max != t.said.max
	if !should && (!c.tells() || c.now-t.at < min((c.now-t.since)/tellAgain, mostSilent)) {
		return
	}
	t.at, t.said = c.now, now
	c.emit(Event{
		Type: EventShares, Node: NoNode, Pool: name,
		Shares: now.shares, Demand: now.demand, Running: now.running, Min: now.min, Max: now.max,
	})
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
	w.skipped, w.skipLevel, j.skips[k] = CauseNoSlot, AnyPlace, 0
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
