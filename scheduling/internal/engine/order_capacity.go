package engine

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// capacity is the order of Hadoop's Capacity Scheduler: a tree of queues with guaranteed parts of
// the cluster, jobs in the leaves. At every level the queue with the smallest part of its capacity
// in use goes first; queues of equal load keep the order that they had. A queue may borrow what
// others leave idle, up to its maximum; nothing is taken back by killing. A user holds at most the
// queue's user limit while others want slots.
type capacity struct {
	simple
	queues []*queue // as configured
	byName map[string]*queue
	top    queue // the parent of the top queues: the cluster

	of       []queueJob // by index of the job
	spots    spots
	reserved [kinds][]*job // by node: the job that needs several slots there
	walk     []*queue      // scratch: leaves in order
	shown    []*queue      // likewise, as questions see them
}

// queue is a part of the cluster; one without children has jobs.
type queue struct {
	QueueConfig
	parent   *queue
	children []*queue
	sorted   [kinds][]*queue // children, in the order of the last walk
	percent  float64         // of the parent
	slots    [kinds]int      // capacity
	most     [kinds]int      // maximum capacity, NoLimit if none
	occupied [kinds]int      // slots held by its jobs or those below it
	lists    [kinds]jobList
	waiting  index.List[*job] // jobs that have launched nothing yet
	users    map[string]*queueUser
	jobs     int
	told     groupStanding
	wants    [kinds]int // slots that its jobs or those below it could use, when that was last told
	stale    bool       // another of its jobs may be initialized
}

// queueJob is what the order keeps of a job.
type queueJob struct {
	queue   *queue
	rank    index.Rank // among the queue's waiting jobs, until it has begun
	begun   bool       // has launched a task
	told    bool       // the event that it is held back was emitted
	counted [kinds]int // slots that the queue has counted of it
}

// queueUser is what a user has in a queue.
type queueUser struct {
	jobs     int // not ended, waiting ones too
	occupied [kinds]int
}

func newCapacity(c *Core, p *Policy) (order, error) {
	o := &capacity{simple: simple{c}, byName: map[string]*queue{}}
	configs := p.Queues
	if len(configs) == 0 {
		configs = []QueueConfig{{Name: defaultName, Capacity: 100}}
	}
	for _, cfg := range configs {
		q := &queue{QueueConfig: cfg, users: map[string]*queueUser{}, told: groupStanding{since: c.now}}
		q.UserLimit = cmp.Or(cfg.UserLimit, 100)
		q.InitJobs = cmp.Or(cfg.InitJobs, 2)
		q.parent = &o.top
		if cfg.Parent != "" {
			if q.parent = o.byName[cfg.Parent]; q.parent == nil {
				return nil, fmt.Errorf("%w: queue %s stands before its parent %q", ErrBadConfig, cfg.Name, cfg.Parent)
			}
		}
		if o.byName[cfg.Name] != nil || cfg.Name == "" {
			return nil, fmt.Errorf("%w: queue %q without a name or twice", ErrBadConfig, cfg.Name)
		}
		o.byName[cfg.Name] = q
		o.queues = append(o.queues, q)
		q.parent.children = append(q.parent.children, q)
	}
	for _, q := range append([]*queue{&o.top}, o.queues...) {
		if err := q.divide(); err != nil {
			return nil, err
		}
		for k := range q.sorted {
			q.sorted[k] = append([]*queue(nil), q.children...)
		}
	}
	o.resize()
	return o, nil
}

// percentNoise is how far sums of per cents may be off by rounding.
const percentNoise = 1e-6

// divide works out the children's parts in per cent: those without a capacity get equal parts of
// what the others leave.
func (q *queue) divide() error {
	rest, unset := 100.0, 0
	for _, ch := range q.children {
		if ch.Capacity < 0 || ch.Capacity > 100 || math.IsNaN(ch.Capacity) || ch.UserLimit < 1 || ch.UserLimit > 100 {
			return fmt.Errorf("%w: queue %s: capacity and user limit must be within 0 and 100 per cent", ErrBadConfig, ch.Name)
		}
		if !(ch.UserFactor >= 0) || math.IsInf(ch.UserFactor, 1) || ch.InitLimit < 0 || ch.JobLimit < 0 {
			return fmt.Errorf("%w: queue %s: user factor and limits on jobs must not be negative", ErrBadConfig, ch.Name)
		}
		rest -= ch.Capacity
		if ch.Capacity == 0 {
			unset++
		}
	}
	if rest < -percentNoise {
		return fmt.Errorf("%w: the queues below %q have more than 100 per cent", ErrBadConfig, q.Name)
	}
	for _, ch := range q.children {
		if ch.percent = ch.Capacity; ch.Capacity == 0 {
			ch.percent = max(0, rest) / float64(unset)
		}
		if ch.Max > 0 && ch.percent > ch.Max+percentNoise {
			return fmt.Errorf("%w: queue %s: capacity %v is above its maximum %v", ErrBadConfig, ch.Name, ch.percent, ch.Max)
		}
	}
	return nil
}

// resize works out the capacities in whole slots, cut down at each level.
func (o *capacity) resize() {
	o.top.slots = o.c.slots
	for _, q := range o.queues {
		for k := range q.slots {
			q.slots[k] = cut(q.percent, q.parent.slots[k])
			q.most[k] = NoLimit
			if q.Max > 0 {
				q.most[k] = max(min(1, o.c.slots[k]), cut(q.Max, q.parent.slots[k])) // one slot at least, else it starves
			}
		}
	}
}

func cut(percent float64, slots int) int { return int(math.Floor(percent*float64(slots)/100 + 1e-9)) }

// add puts a job into its queue, where it waits until it is initialized.
func (o *capacity) add(j *job) error {
	o.spots.add(j)
	o.of = roomFor(o.of, j.index)
	q, err := o.leaf(cmp.Or(strings.TrimSpace(j.spec.Queue), defaultName))
	if err != nil {
		return err
	}
	if o.c.job(j.id) == nil && q.full() { // a change of policy refuses nobody
		return q.refusal()
	}
	o.enter(j, q)
	return nil
}

// leaf finds the queue of a name, which must be one for jobs.
func (o *capacity) leaf(name string) (*queue, error) {
	q := o.byName[name]
	if q == nil || len(q.children) > 0 {
		return nil, fmt.Errorf("%w: %q is no leaf queue", ErrUnknownQueue, name)
	}
	return q, nil
}

// enter makes a job one of a queue.
func (o *capacity) enter(j *job, q *queue) {
	of := &o.of[j.index]
	begun := of.begun // in another queue
	*of = queueJob{queue: q, rank: q.rank(j), begun: begun}
	j.group = q.Name
	u := q.users[j.spec.User]
	if u == nil {
		u = &queueUser{}
		q.users[j.spec.User] = u
	}
	u.jobs++
	q.jobs++
	q.stale = true
	for k := range j.w {
		of.begun = of.begun || j.w[k].launched() > 0 // under a former policy
	}
	if !of.begun {
		q.waiting.Insert(of.rank, j)
	}
	switch {
	case of.begun && !j.runnable: // held back by a former policy; it was initialized long ago
		o.c.admit(j)
	case !j.runnable:
		j.hold = Reason{Cause: CauseNotInitialized}
	}
}

// queueOf is the queue of a job that has not ended.
func (o *capacity) queueOf(j *job) *queue { return o.of[j.index].queue }

// full tells whether the queue takes no more jobs.
func (q *queue) full() bool { return q.JobLimit > 0 && q.jobs >= q.JobLimit }

func (q *queue) refusal() error {
	return fmt.Errorf("%w: queue %s has %d jobs and takes no more", ErrQueueFull, q.Name, q.jobs)
}

// initialized counts the jobs of a queue that may launch tasks.
func (o *capacity) initialized(q *queue) (n int) {
	for _, j := range o.c.active {
		if !j.state.Ended() && o.queueOf(j) == q && j.runnable {
			n++
		}
	}
	return n
}

func (o *capacity) queueRank(j *job, _ TaskKind) index.Rank { return o.queueOf(j).rank(j) }

// rank is a job's place in its queue.
func (q *queue) rank(j *job) index.Rank {
	r := index.Rank{Tie: int32(j.id)}
	if q.Priorities {
		r.Class = int16(j.spec.Priority)
	}
	return r
}

func (o *capacity) remove(j *job) {
	q := o.queueOf(j)
	u := q.users[j.spec.User]
	for k := range TaskKind(kinds) {
		q.lists[k].Put(&o.spots[k][j.index], false, index.Rank{}, 0)
		o.occupy(j, k, 0)
	}
	if of := &o.of[j.index]; !of.begun {
		q.waiting.Remove(of.rank)
	}
	q.jobs--
	q.stale = true
	if u.jobs--; u.jobs == 0 {
		delete(q.users, j.spec.User)
	}
}

// move takes a job to another leaf queue.
func (o *capacity) move(j *job, name string) error {
	q, err := o.leaf(name)
	if err != nil {
		return err
	}
	if q != o.queueOf(j) && q.full() {
		return q.refusal()
	}
	o.remove(j)
	o.enter(j, q)
	o.changed(j, Map)
	o.changed(j, Reduce)
	return nil
}

// occupy counts the slots that a job holds, up to the top of the tree.
func (o *capacity) occupy(j *job, k TaskKind, slots int) {
	of := &o.of[j.index]
	d := slots - of.counted[k]
	if d == 0 {
		return
	}
	of.counted[k] = slots
	of.queue.users[j.spec.User].occupied[k] += d
	for q := of.queue; q != nil; q = q.parent {
		q.occupied[k] += d
	}
}

func (o *capacity) changed(j *job, k TaskKind) {
	of, w := &o.of[j.index], &j.w[k]
	q := of.queue
	o.occupy(j, k, w.running*int(j.slots))
	if !of.begun {
		if r := q.rank(j); r != of.rank {
			q.waiting.Move(of.rank, r)
			of.rank, q.stale = r, true
		}
		if w.running > 0 {
			of.begun = true
			q.waiting.Remove(of.rank)
			q.stale, o.c.dirty = true, true
		}
	}
	o.spots.put(&q.lists[k], j, k, o.queueRank)
}

// settle follows changes of the cluster and initializes waiting jobs: per queue in its order, up to
// InitJobs a user and 100/user limit + 2 users, until more jobs than the product of the two have
// been met. Those initialized earlier count until they launch, so that a job of higher priority can
// go beyond.
func (o *capacity) settle() {
	o.resize()
	for _, q := range o.queues {
		if q.stale {
			q.stale = false
			o.initialize(q)
		}
	}
}

// tellHeld puts on record, once each, which jobs wait until others of their queue and user have
// begun.
func (o *capacity) tellHeld(q *queue) {
	if !o.c.cfg.Explain || o.c.cfg.Events == nil {
		return
	}
	var at index.Cursor
	for j, ok := q.waiting.Next(&at); ok; j, ok = q.waiting.Next(&at) {
		if of := &o.of[j.index]; !j.runnable && !of.told {
			of.told = true
			o.c.emit(Event{Type: EventSkipped, JobID: j.id, Node: NoNode, Reason: j.hold})
		}
	}
}

func (o *capacity) initialize(q *queue) {
	maxUsers := 100/q.UserLimit + 2
	met, of, full := 0, map[string]int{}, 0
	var at index.Cursor
	var chosen []*job
	for met <= maxUsers*q.InitJobs && (full < len(of) || len(of) < min(maxUsers, len(q.users))) {
		j, ok := q.waiting.Next(&at)
		if !ok {
			break
		}
		n, known := of[j.spec.User]
		switch {
		case j.runnable:
		case !known && len(of) < maxUsers, known && n < q.InitJobs:
			chosen = append(chosen, j)
		default:
			continue
		}
		if of[j.spec.User]++; n+1 == q.InitJobs {
			full++
		}
		met++
	}
	if q.InitLimit > 0 {
		chosen = chosen[:min(len(chosen), max(0, q.InitLimit-o.initialized(q)))]
	}
	for _, j := range chosen {
		o.c.setRunnable(j, true, Reason{})
	}
	o.tellHeld(q)
}
