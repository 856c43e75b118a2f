package core

import (
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// Figures are the shares, demand and limits of a job, pool or queue, by kind of task.
type Figures struct {
	Shares   [model.Kinds]float64
	Demand   [model.Kinds]int
	Running  [model.Kinds]int
	Min, Max [model.Kinds]int
}

// lastShares is what events last reported of a job's shares.
type lastShares struct {
	at       time.Duration // of the last event.Shares
	said     Figures
	virtual  [model.Kinds]event.Projected
	launched [model.Kinds]int // at the last update
}

// GroupShares is what events last reported of a pool or queue.
type GroupShares struct {
	Since time.Duration // when it was created
	at    time.Duration // of the last event.Shares
	said  Figures
}

// Events report the shares and demand of a job again only after 1/tellAgain of its age, so that a
// job of any length causes at most some hundred such events. For a pool or queue the interval is
// at most maxSilent.
const (
	tellAgain = 20
	maxSilent = 10 * time.Second
)

// grouper is an order with pools or queues: TellGroups, called at each update, emits their shares.
type grouper interface{ TellGroups() }

// projector is an order that can report a job's progress in its virtual cluster (hfsp).
type projector interface {
	Projected(j *Job, k model.TaskKind) (v view.Virtual, has bool)
}

// emitShares emits events for the shares of jobs and queues, and for jobs that wait because all
// slots are taken. Pools report their own.
func (c *Core) emitShares() {
	if !c.Tells() {
		return
	}
	if o, ok := c.Order.(grouper); ok {
		o.TellGroups()
	}
	for _, j := range c.Active {
		c.tellShare(j)
		for k := range model.TaskKind(model.Kinds) {
			c.tellWaiting(j, k)
		}
	}
}

// tellShare emits a job's shares and demand, if they have changed and were not reported recently.
func (c *Core) tellShare(j *Job) {
	t := &c.told.Of(j).lastShares
	if c.Now-t.at < (c.Now-j.Submitted)/tellAgain {
		return
	}
	var now Figures
	var virtual [model.Kinds]event.Projected
	for k := range model.TaskKind(model.Kinds) {
		if share, _ := c.Order.Share(j, k); !math.IsNaN(share) {
			now.Shares[k] = share
		}
		now.Demand[k], now.Running[k] = j.Demand(k), j.Work[k].Running
		if o, ok := c.Order.(projector); ok {
			v, _ := o.Projected(j, k)
			virtual[k] = event.Projected(v)
		}
	}
	if now == t.said && virtual == t.virtual {
		return
	}
	t.at, t.said, t.virtual = c.Now, now, virtual
	c.Emit(event.Event{
		Type: event.Shares, JobID: j.ID, Node: model.NoNode, Pool: j.Group,
		Shares: now.Shares, Demand: now.Demand, Running: now.Running, Virtual: virtual,
	})
}

// TellGroup emits the shares and limits of a pool or queue at once if these have changed. With
// Config.Explain it also emits changes of demand and running tasks, if it has not done so recently.
func (c *Core) TellGroup(name string, t *GroupShares, now Figures) {
	if now == t.said {
		return
	}
	should := now.Shares != t.said.Shares || now.Min != t.said.Min || now.Max != t.said.Max
	if !should && (!c.Tells() || c.Now-t.at < min((c.Now-t.Since)/tellAgain, maxSilent)) {
		return
	}
	t.at, t.said = c.Now, now
	c.Emit(event.Event{
		Type: event.Shares, Node: model.NoNode, Pool: name,
		Shares: now.Shares, Demand: now.Demand, Running: now.Running, Min: now.Min, Max: now.Max,
	})
}

// tellWaiting emits an event if a job waits because no slot is free: nothing of it was launched
// since the last update, and no other reason was reported since its last launch.
func (c *Core) tellWaiting(j *Job, k model.TaskKind) {
	w, t := &j.Work[k], c.told.Of(j)
	before := t.launched[k]
	t.launched[k] = w.Launched()
	waits := j.Launchable(k) && w.Waiting() > 0 && t.skips[k].cause == model.NoCause
	if !waits || c.Room[k] >= int(j.Slots) || before != w.Launched() {
		return
	}
	t.skips[k].cause, t.skips[k].level, t.skips[k].count = model.CauseNoSlot, model.AnyPlace, 0
	c.Emit(event.Event{
		Type: event.Skipped, JobID: j.ID, Kind: k, Node: model.NoNode,
		Reason: model.Reason{Cause: model.CauseNoSlot, Count: int32(c.Slots[k] - c.Room[k]), Of: int32(c.Slots[k])},
	})
}

// MaximumTold returns a limit in the encoding of events: 0 for no limit, -1 for limit 0.
func MaximumTold(limit int) int {
	switch limit {
	case model.NoLimit:
		return 0
	case 0:
		return -1
	}
	return limit
}
