package engine

import (
	"fmt"
	"math"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// order is the part of a policy that says which job is next, and how a node's free slots are
// offered around. What it keeps of a job lies with the order, by the job's dense index.
type order interface {
	// add and remove keep the set of jobs that have not ended; add may refuse a job.
	add(j *job) error
	remove(j *job)
	// changed tells that the job's waiting, running or done tasks of kind k, or what else its rank
	// depends on, have changed.
	changed(j *job, k TaskKind)
	// settle works out which jobs may launch, after arrivals, ends, and changes of settings.
	settle()
	// update is the periodic step: shares, clocks, preemption.
	update()
	// assign offers the free slots of n.
	assign(n *node)
	// line is the i-th line of jobs that have a task of kind k to launch, in the order in which
	// lines, and jobs in them, are offered a slot: a pool, a queue, or all; nil after the last. A
	// walk asks for line 0 first.
	line(k TaskKind, i int) *jobList
	// urgent tells that j claims slots of kind k from others: it takes what it gets, however far
	// from its data.
	urgent(j *job, k TaskKind) bool
	// share is the job's fair share of slots and the weight by which it was worked out; NaN and 1
	// where the order gives no shares.
	share(j *job, k TaskKind) (share, weight float64)
	// idle says why no free slot of n was offered to j.
	idle(j *job, n *node, k TaskKind) Reason
	// took takes over what a former order knows that this one needs.
	took(former order)
}

// Policies are the parts that a Core may be made of, besides those that a program brings along:
// orders by name, placements by rule. A rule that is not there launches at once.
type Policies struct {
	Orders  map[string]func(c *Core, p *Policy) (order, error)
	Maps    map[LocalityRule]func(c *Core, p LocalityPolicy, former placement) placement
	Reduces map[ReduceRule]func(c *Core, p ReducePolicy, former placement) placement
}

// newOrder makes the order that p names, a built-in one or from outside.
func (c *Core) newOrder(p *Policy) (order, error) {
	if make := c.built.Orders[p.Order]; make != nil {
		return make(c, p)
	}
	if len(c.cfg.Parts.Orders) > 0 {
		return newRankedOrder(c, p.Order)
	}
	return nil, fmt.Errorf("%w: no order %q", ErrUnknownPolicy, p.Order)
}

// What only some orders do:

// mover is an order with pools or queues, between which jobs may be moved.
type mover interface {
	move(j *job, name string) error
}

// poolLister is an order with pools, queueLister one with queues, as views show them.
type (
	poolLister interface{ poolViews() []PoolView }
	queueLister interface{ queueViews() []QueueView }
)

// preempter is an order that kills attempts in rounds.
type preempter interface{ preemptNow() }

// reclaimer is an order that may take slots from running attempts within a heartbeat.
type reclaimer interface{ mayReclaim() bool }

// ager is an order whose ranks change as time goes by: age ranks anew what has changed by now. Each
// heartbeat begins with it, also that of a node which gets no work.
type ager interface{ age() }

// resumer is an order that suspends attempts.
type resumer interface {
	// resumeOn gives the free slots of a cordoned node to what is suspended there.
	resumeOn(n *node)
}

// learner is an order that learns from the progress of the attempt at a place in the slab, and from
// one that has succeeded, after how much work.
type learner interface {
	progressed(ai int32)
	succeeded(ai int32, a attempt)
}

// simple is what most orders answer: all jobs may launch at once, nothing is done from time to
// time, nobody claims slots, there are no shares.
type simple struct{ c *Core }

func (s simple) add(j *job) error {
	s.c.admit(j)
	return nil
}

func (simple) remove(*job)                             {}
func (simple) settle()                                 {}
func (simple) update()                                 {}
func (simple) urgent(*job, TaskKind) bool              { return false }
func (simple) share(*job, TaskKind) (float64, float64) { return math.NaN(), 1 }
func (simple) idle(*job, *node, TaskKind) Reason       { return Reason{Cause: CauseNotOffered} }
func (simple) took(order)                              {}

// fifoRank is the order of submission within five priorities.
func fifoRank(j *job, _ TaskKind) index.Rank {
	return index.Rank{Class: int16(j.priority), Tie: int32(j.id)}
}
