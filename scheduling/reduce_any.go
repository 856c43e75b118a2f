package scheduling

// reduceRule weighs waiting for a better node against launching a reduce here.
type reduceRule interface {
	begin()                                          // as localityRule.begin, for reduces
	passes(w *waitState, n *node) bool               // as localityRule.passes, for reduces
	accepts(j *job, n *node) bool                    // tells whether offer would launch one
	offer(j *job, n *node) bool                      // launches a reduce of j on n, or refuses
	end()                                            // closes a heartbeat
	catchUp(j *job)                                  // the pending reduces of j are about to change
	reduceGone(j *job, n *node)                      // an attempt at a reduce on n has come to nothing
	mapGone(j *job, m int32)                         // an attempt, or the output, of map m is gone
	mapDone(j *job, m int32, n *node, bytes []int64) // the output of map m lies on n; bytes per reduce, nil if unknown
	ended(j *job)
}

// newReduceRule makes the rule of p.
func newReduceRule(c *Core, p ReducePolicy) reduceRule {
	any := anyNode{c}
	switch p.Rule {
	case CoGRS, LARTS:
		return newCoGRS(any, p)
	case AnyNode:
	}
	return any
}

// anyNode launches the first pending reduce anywhere [Hadoop]. It keeps the outputs all the same,
// for whoever asks for distances.
type anyNode struct{ c *Core }

func (anyNode) begin()                        {}
func (anyNode) end()                          {}
func (anyNode) passes(*waitState, *node) bool { return false }
func (anyNode) accepts(*job, *node) bool      { return true }
func (anyNode) catchUp(*job)                  {}

func (r anyNode) offer(j *job, n *node) bool {
	i := r.c.selected(j, Reduce, n, j.w[Reduce].pending.first(), AnyPlace)
	r.c.launch(j, Reduce, i, n, AnyPlace, Reason{Cause: CauseAnyReduce}, nil)
	return true
}

func (anyNode) reduceGone(*job, *node) {}

func (anyNode) mapGone(j *job, m int32) {
	j.wait[Reduce].until = 0
	if j.gravity != nil {
		j.gravity.remove(m)
	}
}

func (r anyNode) mapDone(j *job, m int32, n *node, bytes []int64) {
	if len(bytes) == 0 || len(j.w[Reduce].tasks) == 0 {
		return
	}
	j.wait[Reduce].until = 0
	if j.gravity == nil {
		j.gravity = newGravity(len(j.w[Map].tasks), len(j.w[Reduce].tasks))
	}
	j.gravity.remove(m)
	j.gravity.add(m, n, bytes)
}

func (anyNode) ended(j *job) { j.gravity = nil }
