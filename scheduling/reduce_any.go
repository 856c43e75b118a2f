package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/index"

// reduceRule weighs waiting for a better node against launching a reduce here. What it keeps of a
// job lies with the rule, by the job's dense index; where the outputs of maps lie the Core keeps.
type reduceRule interface {
	add(j *job)                        // makes room for a new job
	remove(j *job)                     // a job has ended
	waits() bool                       // as localityRule.waits, for reduces
	changed(j *job, ready, plain bool) // as localityRule.changed, for reduces
	begin()                            // as localityRule.begin, for reduces
	// next is as localityRule.next, for reduces.
	next(l *jobList, at *index.Cursor, n *node) (job int32, ok bool)
	accepts(j *job, n *node) bool     // tells whether offer would launch one
	offer(j *job, n *node) bool       // launches a reduce of j on n, or refuses
	end()                             // closes a heartbeat
	pendingChange(j *job)             // the pending reduces of j, or its outputs, are about to change
	copied(j *job, n *node)           // a copy of a reduce of j was launched on n
	reduceGone(j *job, n *node)       // an attempt at a reduce on n has come to nothing
	outputsChanged(j *job, gone bool) // a map is done, its output may be known, or (gone) one is no longer there
	nodeChanged(n *node)              // n may no longer be able to take a reduce soon
	clusterChanged()                  // nodes or slots have come or gone
	took(former reduceRule)           // takes over the waits of a former rule of the same kind
}

// newReduceRule makes the rule of p.
func newReduceRule(c *Core, p ReducePolicy) (reduceRule, error) {
	if p.Part != "" {
		return newAskedPlacement(c, p.Part)
	}
	any := anyNode{c}
	switch p.Rule {
	case CoGRS, LARTS:
		return newCoGRS(any, p), nil
	case AnyNode:
	}
	return any, nil
}

// anyNode launches the first pending reduce anywhere [Hadoop].
type anyNode struct{ c *Core }

func (anyNode) add(*job)                                                 {}
func (anyNode) remove(*job)                                              {}
func (anyNode) waits() bool                                              { return false }
func (anyNode) changed(*job, bool, bool)                                 {}
func (anyNode) begin()                                                   {}
func (anyNode) end()                                                     {}
func (anyNode) next(l *jobList, at *index.Cursor, _ *node) (int32, bool) { return l.Next(at) }
func (anyNode) accepts(*job, *node) bool                                 { return true }
func (anyNode) pendingChange(*job)                                       {}
func (anyNode) copied(*job, *node)                                       {}
func (anyNode) reduceGone(*job, *node)                                   {}
func (anyNode) outputsChanged(*job, bool)                                {}
func (anyNode) nodeChanged(*node)                                        {}
func (anyNode) clusterChanged()                                          {}
func (anyNode) took(reduceRule)                                          {}

func (r anyNode) offer(j *job, n *node) bool {
	i := r.c.selected(j, Reduce, n, j.w[Reduce].pending.First(), AnyPlace)
	r.c.launch(j, Reduce, i, n, AnyPlace, Reason{Cause: CauseAnyReduce}, nil)
	return true
}
