package core

import (
	"fmt"
	"math"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// Order is the part of a policy that says which job is next, and how a node's free slots are
// offered around. What it keeps of a job lies with the order, by the job's dense index.
type Order interface {
	// Add and remove keep the set of jobs that have not ended; add may refuse a job.
	Add(j *Job) error
	Remove(j *Job)
	// Changed tells that the job's waiting, running or done tasks of kind k, or what else its rank
	// depends on, have changed.
	Changed(j *Job, k TaskKind)
	// Settle works out which jobs may launch, after arrivals, ends, and changes of settings.
	Settle()
	// Update is the periodic step: shares, clocks, preemption.
	Update()
	// Assign offers the free slots of n.
	Assign(n *NodeState)
	// Line is the i-th line of jobs that have a task of kind k to launch, in the order in which
	// lines, and jobs in them, are offered a slot: a pool, a queue, or all; nil after the last. A
	// walk asks for line 0 first.
	Line(k TaskKind, i int) *JobList
	// Urgent tells that j claims slots of kind k from others: it takes what it gets, however far
	// from its data.
	Urgent(j *Job, k TaskKind) bool
	// Share is the job's fair share of slots and the weight by which it was worked out; NaN and 1
	// where the order gives no shares.
	Share(j *Job, k TaskKind) (share, weight float64)
	// Idle says why no free slot of n was offered to j.
	Idle(j *Job, n *NodeState, k TaskKind) Reason
	// Took takes over what a former order knows that this one needs.
	Took(former Order)
}

// Policies are the parts that a Core may be made of, besides those that a program brings along:
// orders by name, placements by rule. A rule that is not there launches at once.
type Policies struct {
	Orders  map[string]func(c *Core, p *Policy) (Order, error)
	Maps    map[LocalityRule]func(c *Core, p LocalityPolicy, former Placement) Placement
	Reduces map[ReduceRule]func(c *Core, p ReducePolicy, former Placement) Placement

	Speculate func(c *Core, p SpeculationPolicy, former Speculation) Speculation
}

// newOrder makes the order that p names, a built-in one or from outside.
func (c *Core) newOrder(p *Policy) (Order, error) {
	if make := c.built.Orders[p.Order]; make != nil {
		return make(c, p)
	}
	if len(c.Config.Parts.Orders) > 0 {
		return newRankedOrder(c, p.Order)
	}
	return nil, fmt.Errorf("%w: no order %q", ErrUnknownPolicy, p.Order)
}

// What only some orders do:

// mover is an order with pools or queues, between which jobs may be moved.
type mover interface {
	Move(j *Job, name string) error
}

// poolLister is an order with pools, queueLister one with queues, as views show them.
type (
	poolLister  interface{ PoolViews() []PoolView }
	queueLister interface{ QueueViews() []QueueView }
)

// preempter is an order that kills attempts in rounds.
type preempter interface{ PreemptNow() }

// reclaimer is an order that may take slots from running attempts within a heartbeat.
type reclaimer interface{ MayReclaim() bool }

// ager is an order whose ranks change as time goes by: age ranks anew what has changed by now. Each
// heartbeat begins with it, also that of a node which gets no work.
type ager interface{ Age() }

// resumer is an order that suspends attempts.
type resumer interface {
	// ResumeOn gives the free slots of a cordoned node to what is suspended there.
	ResumeOn(n *NodeState)
}

// learner is an order that learns from the progress of the attempt at a place in the slab, and from
// one that has succeeded, after how much work.
type learner interface {
	Progressed(ai int32)
	Succeeded(ai int32, a Attempt)
}

// Simple is what most orders answer: all jobs may launch at once, nothing is done from time to
// time, nobody claims slots, there are no shares.
type Simple struct{ C *Core }

// Add implements Order.
func (s Simple) Add(j *Job) error {
	s.C.Admit(j)
	return nil
}

// Remove implements Order.
func (Simple) Remove(*Job) {}

// Settle implements Order.
func (Simple) Settle() {}

// Update implements Order.
func (Simple) Update() {}

// Urgent implements Order.
func (Simple) Urgent(*Job, TaskKind) bool { return false }

// Share implements Order.
func (Simple) Share(*Job, TaskKind) (float64, float64) { return math.NaN(), 1 }

// Idle implements Order.
func (Simple) Idle(*Job, *NodeState, TaskKind) Reason { return Reason{Cause: CauseNotOffered} }

// Took implements Order.
func (Simple) Took(Order) {}

// FifoRank is the order of submission within five priorities.
func FifoRank(j *Job, _ TaskKind) index.Rank {
	return index.Rank{Class: int16(j.Priority), Tie: int32(j.ID)}
}
