package engine

import "time"

// placement weighs waiting for a better node against launching a task here: one for maps, one for
// reduces. What it keeps of a job lies with the placement, by the job's dense index; a record of
// zeros is that of a job it has not met.
type placement interface {
	// begin opens a heartbeat's offers of slots of the kind; called before each of them, it does
	// something at the first.
	begin()
	// place proposes the task of j to launch on n now. It is a question: but for caches it changes
	// nothing.
	place(j *job, n *node) proposal
	// refused tells that j, offered a slot, has tasks to launch but none that may go there; launched,
	// that a task of j is about to be launched on n, and how far from its data. AnyPlace: it has no
	// place; a reduce: it is a copy. What a placement remembers it learns here.
	refused(j *job)
	launched(j *job, n *node, l Locality)
	// again reports whether a job that has refused a slot of a node is to be asked about the next
	// one in the same heartbeat: whether each slot counts.
	again() bool
	// remove forgets a job that has ended.
	remove(j *job)
	// view is how j stands, and the time at which its wait ends (0: not by time).
	view(j *job) (LocalityView, time.Duration)
}

// proposal is what a placement proposes for a job and a node.
type proposal struct {
	task    int32    // -1: none
	level   Locality // how far the task is from its data
	allowed Locality // how far a task may be now
	why     Cause
}

// newMapPlacement makes the placement of maps that p asks for. It takes over the waits of a former
// one of the same kind.
func (c *Core) newMapPlacement(p LocalityPolicy, former placement) (placement, error) {
	if p.Part != "" {
		return newAskedLocality(c, p.Part, former)
	}
	if make := c.built.Maps[p.Rule]; make != nil {
		return make(c, p, former), nil
	}
	return greedy{c}, nil
}

// newReducePlacement makes the placement of reduces that p asks for, likewise.
func (c *Core) newReducePlacement(p ReducePolicy, former placement) (placement, error) {
	if p.Part != "" {
		return newAskedPlacement(c, p.Part, former)
	}
	if make := c.built.Reduces[p.Rule]; make != nil {
		return make(c, p, former), nil
	}
	return anyNode{greedy{c}}, nil
}

// anyNode launches the first pending reduce anywhere [Hadoop].
type anyNode struct{ greedy }

func (a anyNode) place(j *job, _ *node) proposal {
	return proposal{task: j.w[Reduce].pending.First(), allowed: a.c.far, why: CauseAnyReduce}
}

// explainer is a placement that can tell more of a decision than a Reason does.
type explainer interface {
	// explain is about task i of j on n, which is about to be launched, or, below 0, about a refusal.
	explain(j *job, i int32, n *node) *Placed
}

// greedy launches the nearest map at once [Hadoop].
type greedy struct{ c *Core }

func (g greedy) place(j *job, n *node) proposal {
	return g.c.nearest(j, n, g.c.far, CauseGreedy)
}

func (greedy) begin()                                  {}
func (greedy) refused(*job)                            {}
func (greedy) launched(*job, *node, Locality)          {}
func (greedy) again() bool                             { return false }
func (greedy) remove(*job)                             {}
func (greedy) view(*job) (LocalityView, time.Duration) { return LocalityView{}, 0 }

// nearest proposes the pending map of j nearest to n, if it is within the level allowed: else the
// job waits. The cause is that of a map off its data.
func (c *Core) nearest(j *job, n *node, allowed Locality, off Cause) proposal {
	m, l := c.pick(j, n, allowed)
	if m < 0 {
		off = CauseWaiting
	}
	return proposal{task: m, level: l, allowed: allowed, why: off}
}

// records is what a placement keeps of each job, by dense index.
type records[T any] []T

// of is the record of a job.
func (r *records[T]) of(j *job) *T {
	if int(j.index) >= len(*r) {
		*r = reach(*r, j.index)
	}
	return &(*r)[j.index]
}

// remove makes the record that of a job not met.
func (r *records[T]) remove(j *job) { *r.of(j) = *new(T) }

// maxLevels bounds the levels of locality: node, racks up to Config.RackDepth of 8, and beyond.
const maxLevels = 10
