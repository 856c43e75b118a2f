// Package capacity implements Hadoop's Capacity Scheduler: hierarchical queues with capacities, and
// limits for their users.
package capacity

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Order is the order of Hadoop's Capacity Scheduler: a tree of queues with guaranteed fractions of
// the cluster, and jobs in its leaves. At every level the queue that uses the smallest fraction of
// its capacity comes first; equal queues keep their former order. A queue may borrow idle slots, up
// to its maximum; no job is killed to return them. A user holds at most the queue's user limit
// while other users want slots.
type Order struct {
	core.BaseOrder
	Queues []*Queue // in the order of the configuration
	byName map[string]*Queue
	Top    Queue // the parent of the top queues: the cluster

	Of       core.Records[queueJob]
	spots    core.Spots
	reserved [model.Kinds][]*core.Job // by node: the job that needs several slots there
	walk     []*Queue                 // scratch: leaves in order
	lines    []*Queue                 // the leaf queues of the last Line(k, 0)
}

// Queue has a fraction of its parent's slots; only queues without children have jobs.
type Queue struct {
	model.QueueConfig
	Above      *Queue // the parent; Order.Top for the top queues
	Children   []*Queue
	Sorted     [model.Kinds][]*Queue // children, in the order of the last walk
	percent    float64               // its capacity in percent of the parent's
	slots      [model.Kinds]int      // capacity
	maxSlots   [model.Kinds]int      // maximum capacity, NoLimit if none
	Occupied   [model.Kinds]int      // slots held by its jobs or those below it
	lists      [model.Kinds]core.JobList
	Waiting    index.List[*core.Job] // jobs that have not launched a task
	Users      map[string]*queueUser
	jobs       int
	lastShares core.GroupShares // as the last event reported them
	wants      [model.Kinds]int // slots that its jobs or those below it could use, as last computed
	stale      bool             // Settle must check which waiting jobs may launch (Hadoop: are initialized)
}

// queueJob is what the order records of a job: its queue, its rank and its slots.
type queueJob struct {
	queue      *Queue
	rank       index.Rank       // among the queue's waiting jobs, until Begun
	Begun      bool             // has launched a task
	isReported bool             // an event has reported that it is held back
	counted    [model.Kinds]int // slots of the job that Occupied of its queue contains
}

// queueUser counts one user's jobs and slots in a queue, for the limits on users.
type queueUser struct {
	jobs     int // that have not ended, including waiting ones
	occupied [model.Kinds]int
}

// New returns the order "capacity".
func New(c *core.Core, p *model.Policy) (core.Order, error) {
	o := &Order{BaseOrder: core.BaseOrder{C: c}, byName: map[string]*Queue{}}
	configs := p.Queues
	if len(configs) == 0 {
		configs = []model.QueueConfig{{Name: model.DefaultName, Capacity: 100}}
	}
	for _, cfg := range configs {
		q := &Queue{QueueConfig: cfg, Users: map[string]*queueUser{}, lastShares: core.GroupShares{Since: c.Now}}
		q.UserLimit = cmp.Or(cfg.UserLimit, 100)
		q.InitJobs = cmp.Or(cfg.InitJobs, 2)
		q.Above = &o.Top
		if cfg.Parent != "" {
			if q.Above = o.byName[cfg.Parent]; q.Above == nil {
				return nil, fmt.Errorf("%w: queue %s must follow its parent %q", model.ErrBadConfig, cfg.Name, cfg.Parent)
			}
		}
		if o.byName[cfg.Name] != nil || cfg.Name == "" {
			return nil, fmt.Errorf("%w: queue %q without a name or twice", model.ErrBadConfig, cfg.Name)
		}
		o.byName[cfg.Name] = q
		o.Queues = append(o.Queues, q)
		q.Above.Children = append(q.Above.Children, q)
	}
	for _, q := range append([]*Queue{&o.Top}, o.Queues...) {
		if err := q.divide(); err != nil {
			return nil, err
		}
		for k := range q.Sorted {
			q.Sorted[k] = append([]*Queue(nil), q.Children...)
		}
	}
	o.resize()
	return o, nil
}

// percentNoise is the maximum rounding error of sums of percentages.
const percentNoise = 1e-6

// divide computes the children's percentages. Those without a capacity share equally what the other
// children do not have.
func (q *Queue) divide() error {
	rest, unset := 100.0, 0
	for _, ch := range q.Children {
		if ch.Capacity < 0 || ch.Capacity > 100 || math.IsNaN(ch.Capacity) || ch.UserLimit < 1 || ch.UserLimit > 100 {
			return fmt.Errorf("%w: queue %s: capacity and user limit must be within 0 and 100 percent", model.ErrBadConfig, ch.Name)
		}
		if !(ch.UserFactor >= 0) || math.IsInf(ch.UserFactor, 1) || ch.InitLimit < 0 || ch.JobLimit < 0 {
			return fmt.Errorf("%w: queue %s: user factor and limits on jobs must not be negative", model.ErrBadConfig, ch.Name)
		}
		rest -= ch.Capacity
		if ch.Capacity == 0 {
			unset++
		}
	}
	if rest < -percentNoise {
		return fmt.Errorf("%w: the queues below %q have more than 100 percent", model.ErrBadConfig, q.Name)
	}
	for _, ch := range q.Children {
		if ch.percent = ch.Capacity; ch.Capacity == 0 {
			ch.percent = max(0, rest) / float64(unset)
		}
		if ch.Max > 0 && ch.percent > ch.Max+percentNoise {
			return fmt.Errorf("%w: queue %s: capacity %v is above its maximum %v", model.ErrBadConfig, ch.Name, ch.percent, ch.Max)
		}
	}
	return nil
}

// resize sets each queue's capacity and maximum in whole slots, rounded down at each level.
func (o *Order) resize() {
	o.Top.slots = o.C.Slots
	for _, q := range o.Queues {
		for k := range q.slots {
			q.slots[k] = cut(q.percent, q.Above.slots[k])
			q.maxSlots[k] = model.NoLimit
			if q.Max > 0 {
				q.maxSlots[k] = max(min(1, o.C.Slots[k]), cut(q.Max, q.Above.slots[k])) // at least one slot, otherwise it starves
			}
		}
	}
}

func cut(percent float64, slots int) int { return int(math.Floor(percent*float64(slots)/100 + 1e-9)) }

// Add adds a job to its queue, where it waits until initialize lets it run.
func (o *Order) Add(j *core.Job) error {
	o.Of.Remove(j)
	q, err := o.leaf(cmp.Or(strings.TrimSpace(j.Spec.Queue), model.DefaultName))
	if err != nil {
		return err
	}
	if o.C.Job(j.ID) == nil && q.full() { // a change of policy refuses no job
		return q.refusal()
	}
	o.enter(j, q)
	return nil
}

// leaf returns the named queue. If it does not exist, or has children, it returns ErrUnknownQueue.
func (o *Order) leaf(name string) (*Queue, error) {
	q := o.byName[name]
	if q == nil || len(q.Children) > 0 {
		return nil, fmt.Errorf("%w: %q is not a leaf queue", core.ErrUnknownQueue, name)
	}
	return q, nil
}

// enter adds a job to a queue; it is one of the waiting jobs until it has launched a task.
func (o *Order) enter(j *core.Job, q *Queue) {
	of := o.Of.Of(j)
	begun := of.Begun // it had launched a task when it was in another queue
	*of = queueJob{queue: q, rank: q.rank(j), Begun: begun}
	j.Group = q.Name
	u := q.Users[j.Spec.User]
	if u == nil {
		u = &queueUser{}
		q.Users[j.Spec.User] = u
	}
	u.jobs++
	q.jobs++
	q.stale = true
	for k := range j.Work {
		of.Begun = of.Begun || j.Work[k].Launched() > 0 // under a former policy
	}
	if !of.Begun {
		q.Waiting.Insert(of.rank, j)
	}
	switch {
	case of.Begun && !j.Runnable: // held back by a former policy, but it has launched a task
		o.C.Admit(j)
	case !j.Runnable:
		j.Hold = model.Reason{Cause: model.CauseNotInitialized}
	}
}

// QueueOf returns the queue of a job that has not ended.
func (o *Order) QueueOf(j *core.Job) *Queue { return o.Of.Of(j).queue }

// full reports whether the queue accepts no more jobs.
func (q *Queue) full() bool { return q.JobLimit > 0 && q.jobs >= q.JobLimit }

func (q *Queue) refusal() error {
	return fmt.Errorf("%w: queue %s has %d jobs and takes no more", core.ErrQueueFull, q.Name, q.jobs)
}

// initialized counts the jobs of a queue that may launch tasks.
func (o *Order) initialized(q *Queue) (n int) {
	for _, j := range o.C.Active {
		if o.QueueOf(j) == q && j.Runnable {
			n++
		}
	}
	return n
}

func (o *Order) queueRank(j *core.Job, _ model.TaskKind) index.Rank { return o.QueueOf(j).rank(j) }

// rank returns a job's rank in the queue: by priority, if the queue uses priorities, then by age.
func (q *Queue) rank(j *core.Job) index.Rank {
	r := index.Rank{Tie: int32(j.ID)}
	if q.Priorities {
		r.Class = int16(j.Spec.Priority)
	}
	return r
}

// Remove implements core.Order.
func (o *Order) Remove(j *core.Job) {
	q := o.QueueOf(j)
	u := q.Users[j.Spec.User]
	for k := range model.TaskKind(model.Kinds) {
		q.lists[k].Put(&o.spots.Of(j)[k], false, index.Rank{}, j)
		o.occupy(j, k, 0)
	}
	if of := o.Of.Of(j); !of.Begun {
		q.Waiting.Remove(of.rank)
	}
	q.jobs--
	q.stale = true
	if u.jobs--; u.jobs == 0 {
		delete(q.Users, j.Spec.User)
	}
}

// Move moves a job to the named leaf queue. A queue that is full or does not exist is an error.
func (o *Order) Move(j *core.Job, name string) error {
	q, err := o.leaf(name)
	if err != nil {
		return err
	}
	if q != o.QueueOf(j) && q.full() {
		return q.refusal()
	}
	o.Remove(j)
	o.enter(j, q)
	o.Changed(j, model.Map)
	o.Changed(j, model.Reduce)
	return nil
}

// occupy updates the number of slots that a job holds, in its queue and all queues above.
func (o *Order) occupy(j *core.Job, k model.TaskKind, slots int) {
	of := o.Of.Of(j)
	d := slots - of.counted[k]
	if d == 0 {
		return
	}
	of.counted[k] = slots
	of.queue.Users[j.Spec.User].occupied[k] += d
	for q := of.queue; q != nil; q = q.Above {
		q.Occupied[k] += d
	}
}

// Changed implements core.Order.
func (o *Order) Changed(j *core.Job, k model.TaskKind) {
	of, w := o.Of.Of(j), &j.Work[k]
	q := of.queue
	o.occupy(j, k, w.Running*int(j.Slots))
	if !of.Begun {
		if r := q.rank(j); r != of.rank {
			q.Waiting.Move(of.rank, r)
			of.rank, q.stale = r, true
		}
		if w.Running > 0 {
			of.Begun = true
			q.Waiting.Remove(of.rank)
			q.stale, o.C.Dirty = true, true
		}
	}
	o.spots.Put(&q.lists[k], j, k, o.queueRank)
}

// Settle adapts the queues to changes of the cluster, and initializes waiting jobs: lets them run.
// A queue may have InitJobs such jobs of one user, 100/UserLimit + 2 users with such jobs, and one
// job more than the product. A job counts until it launches a task, but only for the jobs behind
// it: one of higher priority may exceed the limits.
func (o *Order) Settle() {
	o.resize()
	for _, q := range o.Queues {
		if q.stale {
			q.stale = false
			o.initialize(q)
		}
	}
}

// reportHeld emits an event, once per job, for jobs that wait until other jobs of their queue and
// user have launched tasks.
func (o *Order) reportHeld(q *Queue) {
	if !o.C.Tells() {
		return
	}
	for _, j := range q.Waiting.All() {
		if of := o.Of.Of(j); !j.Runnable && !of.isReported {
			of.isReported = true
			o.C.Emit(event.Event{Type: event.Skipped, JobID: j.ID, Node: model.NoNode, Reason: j.Hold})
		}
	}
}

func (o *Order) initialize(q *Queue) {
	maxUsers := 100/q.UserLimit + 2
	met, of, full := 0, map[string]int{}, 0
	var chosen []*core.Job
	for _, j := range q.Waiting.All() {
		if met > maxUsers*q.InitJobs || full == len(of) && len(of) >= min(maxUsers, len(q.Users)) {
			break
		}
		n, known := of[j.Spec.User]
		switch {
		case j.Runnable:
		case !known && len(of) < maxUsers, known && n < q.InitJobs:
			chosen = append(chosen, j)
		default:
			continue
		}
		if of[j.Spec.User]++; n+1 == q.InitJobs {
			full++
		}
		met++
	}
	if q.InitLimit > 0 {
		chosen = chosen[:min(len(chosen), max(0, q.InitLimit-o.initialized(q)))]
	}
	for _, j := range chosen {
		o.C.SetRunnable(j, true, model.Reason{})
	}
	o.reportHeld(q)
}
