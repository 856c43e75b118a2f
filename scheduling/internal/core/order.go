package core

import (
	"fmt"
	"math"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// Order is the part of a policy that decides which job is next and how a node's free slots are
// offered. An order keeps its own records of jobs, by the job's dense index.
type Order interface {
	// Add and Remove maintain the set of jobs that have not ended; Add may refuse a job.
	Add(j *Job) error
	Remove(j *Job)
	// Changed is called when the job's waiting, running or done tasks of kind k, or anything else
	// that determines its rank, have changed.
	Changed(j *Job, k model.TaskKind)
	// Settle recomputes which jobs may launch, after arrivals, ends, and changes of settings.
	Settle()
	// Update does the periodic work: shares, clocks, preemption.
	Update()
	// Assign offers the free slots of n.
	Assign(n *NodeState)
	// Line returns the i-th list of jobs that have a task of kind k to launch (of a pool, a queue,
	// or all jobs), nil after the last. Slots are offered to the lines, and to the jobs in them, in
	// this order. A walk begins with line 0.
	Line(k model.TaskKind, i int) *JobList
	// Urgent reports whether j claims slots of kind k from others: it takes any slot, at any
	// distance from its data.
	Urgent(j *Job, k model.TaskKind) bool
	// Share returns the job's fair share of slots and the weight it was computed with; NaN and 1 if
	// the order has no shares.
	Share(j *Job, k model.TaskKind) (share, weight float64)
	// Idle returns why no free slot of n was offered to j.
	Idle(j *Job, n *NodeState, k model.TaskKind) model.Reason
	// Adopt copies the state that this order needs from its predecessor.
	Adopt(former Order)
}

// Policies are the built-in parts of policies: orders by name, placements by rule. A rule without
// an entry launches at once.
type Policies struct {
	Orders  map[string]func(c *Core, p *model.Policy) (Order, error)
	Maps    map[model.LocalityRule]func(c *Core, p model.LocalityPolicy, former Placement) Placement
	Reduces map[model.ReduceRule]func(c *Core, p model.ReducePolicy, former Placement) Placement

	Speculate func(c *Core, p model.SpeculationPolicy, former Speculation) Speculation

	// CustomOrder and Custom create the parts in Config.Parts that a policy names.
	CustomOrder func(c *Core, name string) (Order, error)
	Custom      func(c *Core, k model.TaskKind, name string, former Placement) (Placement, error)
}

// newOrder creates the order that p names, a built-in or a custom one.
func (c *Core) newOrder(p *model.Policy) (Order, error) {
	if make := c.built.Orders[p.Order]; make != nil {
		return make(c, p)
	}
	if len(c.Config.Parts.Orders) > 0 {
		return c.built.CustomOrder(c, p.Order)
	}
	return nil, fmt.Errorf("%w: no order %q", ErrUnknownPolicy, p.Order)
}

// Optional interfaces of orders:

// mover is an order with pools or queues; jobs can be moved between them.
type mover interface {
	Move(j *Job, name string) error
}

// poolLister is an order with pools, queueLister one with queues, for views.
type (
	poolLister  interface{ PoolViews() []view.Pool }
	queueLister interface{ QueueViews() []view.Queue }
)

// preempter is an order that kills attempts in rounds.
type preempter interface{ PreemptNow() }

// reclaimer is an order that may take slots from running attempts within a heartbeat.
type reclaimer interface{ MayReclaim() bool }

// ager is an order whose ranks change with time: Age updates the ranks that have changed by now.
// Each heartbeat begins with it, even if the node gets no work.
type ager interface{ Age() }

// resumer is an order that suspends attempts.
type resumer interface {
	// ResumeOn gives the free slots of a cordoned node to its suspended attempts.
	ResumeOn(n *NodeState)
}

// learner is an order that learns from the progress of attempts and from successful ones. ai is the
// index of the attempt in Core.Attempts.
type learner interface {
	Progressed(ai int32)
	Succeeded(ai int32, a Attempt)
}

// BaseOrder has the default methods of most orders: all jobs may launch at once, there are no
// periodic tasks, no job claims slots, and shares do not exist.
type BaseOrder struct{ C *Core }

// Add implements Order.
func (s BaseOrder) Add(j *Job) error {
	s.C.Admit(j)
	return nil
}

// Remove implements Order.
func (BaseOrder) Remove(*Job) {}

// Settle implements Order.
func (BaseOrder) Settle() {}

// Update implements Order.
func (BaseOrder) Update() {}

// Urgent implements Order.
func (BaseOrder) Urgent(*Job, model.TaskKind) bool { return false }

// Share implements Order.
func (BaseOrder) Share(*Job, model.TaskKind) (float64, float64) { return math.NaN(), 1 }

// Idle implements Order.
func (BaseOrder) Idle(*Job, *NodeState, model.TaskKind) model.Reason {
	return model.Reason{Cause: model.CauseNotOffered}
}

// Adopt implements Order.
func (BaseOrder) Adopt(Order) {}

// FifoRank ranks jobs by priority, then by submission.
func FifoRank(j *Job, _ model.TaskKind) index.Rank {
	return index.Rank{Class: int16(j.Priority), Tie: int32(j.ID)}
}
