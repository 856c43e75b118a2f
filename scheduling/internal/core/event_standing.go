package core

import (
	"math"
	"time"
)

// Figures are what a job, pool or queue should have and has, by kind of tasks.
type Figures struct {
	Shares   [Kinds]float64
	Demand   [Kinds]int
	Running  [Kinds]int
	Min, Max [Kinds]int
}

// standing is what events have said last of how a job stands.
type standing struct {
	at       time.Duration // of the last EventShares
	said     Figures
	virtual  [Kinds]Projected
	launched [Kinds]int // at the last update
}

// GroupStanding is what events have said last of a pool or queue.
type GroupStanding struct {
	Since time.Duration // it is there
	at    time.Duration // of the last EventShares
	said  Figures
}

// tellAgain is the part of its age that passes before the figures of a job are told again, so that
// a job of any length has some hundred such events at most; of a pool or queue no more than
// mostSilent passes.
const (
	tellAgain  = 20
	mostSilent = 10 * time.Second
)

// grouper is an order that tells, at each update, what its groups of jobs should have.
type grouper interface{ TellGroups() }

// projector is an order with a virtual cluster.
type projector interface {
	Projected(j *Job, k TaskKind) (v VirtualView, has bool)
}

// tellStanding puts on record how jobs and queues stand, and which job waits because all slots are
// taken. Pools tell of themselves.
func (c *Core) tellStanding() {
	if !c.Tells() {
		return
	}
	if o, ok := c.Order.(grouper); ok {
		o.TellGroups()
	}
	for _, j := range c.Active {
		if j.State.Ended() {
			continue
		}
		c.tellShare(j)
		for k := range TaskKind(Kinds) {
			c.tellWaiting(j, k)
		}
	}
}

// tellShare says what a job should have and has, if that has changed and was not told just now.
func (c *Core) tellShare(j *Job) {
	t := &c.told.Of(j).standing
	if c.Now-t.at < (c.Now-j.Submitted)/tellAgain {
		return
	}
	var now Figures
	var virtual [Kinds]Projected
	for k := range TaskKind(Kinds) {
		if share, _ := c.Order.Share(j, k); !math.IsNaN(share) {
			now.Shares[k] = share
		}
		now.Demand[k], now.Running[k] = j.Demand(k), j.Work[k].Running
		if o, ok := c.Order.(projector); ok {
			v, _ := o.Projected(j, k)
			virtual[k] = Projected(v)
		}
	}
	if now == t.said && virtual == t.virtual {
		return
	}
	t.at, t.said, t.virtual = c.Now, now, virtual
	c.Emit(Event{
		Type: EventShares, JobID: j.ID, Node: NoNode, Pool: j.Group,
		Shares: now.Shares, Demand: now.Demand, Running: now.Running, Virtual: virtual,
	})
}

// TellGroup says what a pool or queue should have as soon as that has changed, and to who listens to
// all that it wants and has, too, if that was not told just now.
func (c *Core) TellGroup(name string, t *GroupStanding, now Figures) {
	if now == t.said {
		return
	}
	should := now.Shares != t.said.Shares || now.Min != t.said.Min || now.Max != t.said.Max
	if !should && (!c.Tells() || c.Now-t.at < min((c.Now-t.Since)/tellAgain, mostSilent)) {
		return
	}
	t.at, t.said = c.Now, now
	c.Emit(Event{
		Type: EventShares, Node: NoNode, Pool: name,
		Shares: now.Shares, Demand: now.Demand, Running: now.Running, Min: now.Min, Max: now.Max,
	})
}

// tellWaiting says that a job waits for a slot where none is free: nothing of it was launched since
// the last update, and nothing else has been told since its last launch.
func (c *Core) tellWaiting(j *Job, k TaskKind) {
	w, t := &j.Work[k], c.told.Of(j)
	before := t.launched[k]
	t.launched[k] = w.Launched()
	waits := j.Launchable(k) && w.Waiting() > 0 && t.skips[k].cause == NoCause
	if !waits || c.Room[k] >= int(j.Slots) || before != w.Launched() {
		return
	}
	t.skips[k].cause, t.skips[k].level, t.skips[k].count = CauseNoSlot, AnyPlace, 0
	c.Emit(Event{
		Type: EventSkipped, JobID: j.ID, Kind: k, Node: NoNode,
		Reason: Reason{Cause: CauseNoSlot, Count: int32(c.Slots[k] - c.Room[k]), Of: int32(c.Slots[k])},
	})
}

// MaximumTold is a limit as events tell it.
func MaximumTold(limit int) int {
	switch limit {
	case NoLimit:
		return 0
	case 0:
		return -1
	}
	return limit
}
