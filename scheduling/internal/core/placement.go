package core

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// Placement decides whether a job launches a task on the offered node or waits for a better one; a
// policy has one for maps and one for reduces. A placement keeps its own records of jobs, by the
// job's dense index; the zero record is that of an unknown job.
type Placement interface {
	// Begin starts the offers of a heartbeat. It is called before each offer; only the first call
	// in a heartbeat has an effect.
	Begin()
	// Place proposes the task of j to launch on n now. It changes nothing but caches.
	Place(j *Job, n *NodeState) Proposal
	// Refused is called when j, offered a slot, has tasks to launch but none that may run there.
	// Launched is called when a task of j is about to be launched on n, with its distance from its
	// data; AnyPlace means a map without a place, or a speculative attempt of a reduce. A placement
	// changes its records only in these two methods, Begin and Remove.
	Refused(j *Job)
	Launched(j *Job, n *NodeState, l model.Locality)
	// CountsSlots reports whether the placement counts each refused slot. If so, a job that has
	// refused a slot of a node is asked about the next one in the same heartbeat, too.
	CountsSlots() bool
	// Remove forgets a job that has ended.
	Remove(j *Job)
	// View returns the state of j and the time at which its wait ends (0: not by time).
	View(j *Job) (view.Locality, time.Duration)
}

// Proposal is what a placement proposes for a job and a node.
type Proposal struct {
	Task    int32          // -1 for none
	Level   model.Locality // distance of the task from its data
	Allowed model.Locality // maximum distance allowed now
	Why     model.Cause
}

// newMapPlacement creates the placement of maps that p selects. It takes over the waits of a former
// one of the same kind.
func (c *Core) newMapPlacement(p model.LocalityPolicy, former Placement) (Placement, error) {
	if p.Part != "" {
		return c.built.Custom(c, model.Map, p.Part, former)
	}
	if make := c.built.Maps[p.Rule]; make != nil {
		return make(c, p, former), nil
	}
	return greedy{c}, nil
}

// newReducePlacement is like newMapPlacement, for reduces.
func (c *Core) newReducePlacement(p model.ReducePolicy, former Placement) (Placement, error) {
	if p.Part != "" {
		return c.built.Custom(c, model.Reduce, p.Part, former)
	}
	if make := c.built.Reduces[p.Rule]; make != nil {
		return make(c, p, former), nil
	}
	return Anywhere{greedy{c}}, nil
}

// Anywhere launches the first pending reduce anywhere [Hadoop].
type Anywhere struct{ greedy }

// Place implements Placement.
func (a Anywhere) Place(j *Job, _ *NodeState) Proposal {
	return Proposal{Task: j.Work[model.Reduce].Pending.First(), Allowed: model.OffRack, Why: model.CauseAnyReduce}
}

// explainer is a placement that can explain more of a decision than a Reason does.
type explainer interface {
	// Explain explains the launch of task i of j on n, which is about to happen, or a refusal if i
	// is negative.
	Explain(j *Job, i int32, n *NodeState) *event.Placed
}

// greedy launches the nearest map at once [Hadoop].
type greedy struct{ c *Core }

func (g greedy) Place(j *Job, n *NodeState) Proposal {
	return g.c.Nearest(j, n, model.OffRack, model.CauseGreedy)
}

func (greedy) Begin()                                    {}
func (greedy) Refused(*Job)                              {}
func (greedy) Launched(*Job, *NodeState, model.Locality) {}
func (greedy) CountsSlots() bool                         { return false }
func (greedy) Remove(*Job)                               {}
func (greedy) View(*Job) (view.Locality, time.Duration)  { return view.Locality{}, 0 }

// Nearest proposes the pending map of j nearest to n, within the allowed level; if there is none, j
// waits. off is the cause for a map that is not node-local.
func (c *Core) Nearest(j *Job, n *NodeState, allowed model.Locality, off model.Cause) Proposal {
	m, l := c.Pick(j, n, allowed)
	if m < 0 {
		off = model.CauseWaiting
	}
	return Proposal{Task: m, Level: l, Allowed: allowed, Why: off}
}

// Records holds what an order or a placement records of each job, by dense index.
type Records[T any] []T

// Reach returns list, extended if necessary so that index i exists.
func Reach[T any](list []T, i int32) []T {
	if need := int(i) + 1 - len(list); need > 0 {
		list = append(list, make([]T, need)...)
	}
	return list
}

// Of returns the record of a job.
func (r *Records[T]) Of(j *Job) *T {
	if int(j.Index) >= len(*r) {
		*r = Reach(*r, j.Index)
	}
	return &(*r)[j.Index]
}

// Remove resets the record of a job to that of an unknown one.
func (r *Records[T]) Remove(j *Job) { *r.Of(j) = *new(T) }
