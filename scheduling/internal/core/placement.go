package core

import "time"

// Placement weighs waiting for a better node against launching a task here: one for maps, one for
// reduces. What it keeps of a job lies with the placement, by the job's dense index; a record of
// zeros is that of a job it has not met.
type Placement interface {
	// Begin opens a heartbeat's offers of slots of the kind; called before each of them, it does
	// something at the first.
	Begin()
	// Place proposes the task of j to launch on n now. It is a question: but for caches it changes
	// nothing.
	Place(j *Job, n *NodeState) Proposal
	// Refused tells that j, offered a slot, has tasks to launch but none that may go there; launched,
	// that a task of j is about to be launched on n, and how far from its data. AnyPlace: it has no
	// place; a reduce: it is a copy. What a placement remembers it learns here.
	Refused(j *Job)
	Launched(j *Job, n *NodeState, l Locality)
	// Again reports whether a job that has refused a slot of a node is to be asked about the next
	// one in the same heartbeat: whether each slot counts.
	Again() bool
	// Remove forgets a job that has ended.
	Remove(j *Job)
	// View is how j stands, and the time at which its wait ends (0: not by time).
	View(j *Job) (LocalityView, time.Duration)
}

// Proposal is what a placement proposes for a job and a node.
type Proposal struct {
	Task    int32    // -1: none
	Level   Locality // how far the task is from its data
	Allowed Locality // how far a task may be now
	Why     Cause
}

// newMapPlacement makes the placement of maps that p asks for. It takes over the waits of a former
// one of the same kind.
func (c *Core) newMapPlacement(p LocalityPolicy, former Placement) (Placement, error) {
	if p.Part != "" {
		return newAskedLocality(c, p.Part, former)
	}
	if make := c.built.Maps[p.Rule]; make != nil {
		return make(c, p, former), nil
	}
	return greedy{c}, nil
}

// newReducePlacement makes the placement of reduces that p asks for, likewise.
func (c *Core) newReducePlacement(p ReducePolicy, former Placement) (Placement, error) {
	if p.Part != "" {
		return newAskedPlacement(c, p.Part, former)
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
	return Proposal{Task: j.Work[Reduce].Pending.First(), Allowed: a.c.Far, Why: CauseAnyReduce}
}

// explainer is a placement that can tell more of a decision than a Reason does.
type explainer interface {
	// Explain is about task i of j on n, which is about to be launched, or, below 0, about a refusal.
	Explain(j *Job, i int32, n *NodeState) *Placed
}

// greedy launches the nearest map at once [Hadoop].
type greedy struct{ c *Core }

func (g greedy) Place(j *Job, n *NodeState) Proposal {
	return g.c.Nearest(j, n, g.c.Far, CauseGreedy)
}

func (greedy) Begin()                                  {}
func (greedy) Refused(*Job)                            {}
func (greedy) Launched(*Job, *NodeState, Locality)     {}
func (greedy) Again() bool                             { return false }
func (greedy) Remove(*Job)                             {}
func (greedy) View(*Job) (LocalityView, time.Duration) { return LocalityView{}, 0 }

// Nearest proposes the pending map of j nearest to n, if it is within the level allowed: else the
// job waits. The cause is that of a map off its data.
func (c *Core) Nearest(j *Job, n *NodeState, allowed Locality, off Cause) Proposal {
	m, l := c.Pick(j, n, allowed)
	if m < 0 {
		off = CauseWaiting
	}
	return Proposal{Task: m, Level: l, Allowed: allowed, Why: off}
}

// Records is what a placement keeps of each job, by dense index.
type Records[T any] []T

// Of is the record of a job.
func (r *Records[T]) Of(j *Job) *T {
	if int(j.Index) >= len(*r) {
		*r = Reach(*r, j.Index)
	}
	return &(*r)[j.Index]
}

// Remove makes the record that of a job not met.
func (r *Records[T]) Remove(j *Job) { *r.Of(j) = *new(T) }

// MaxLevels bounds the levels of locality: node, racks up to Config.RackDepth of 8, and beyond.
const MaxLevels = 10
