package engine

import "time"

// A fast path, which changes no answer: with thousands of jobs most of the work are offers that jobs
// refuse because they wait for their centers, and what is read of each job is not in the cache. A
// job that has refused a node because none of its reduces may go there refuses all such nodes until
// something changes that its answer depends on.

// waiting is what a job that waits for its centers has answered by.
type waiting struct {
	period  uint64 // cogrs.period
	cluster uint64 // Core.cluster
	changes int32  // job.changes
	allowed Locality
	until   time.Duration // the wait at which more may be allowed
}

// stillWaits reports whether j refuses n as it has refused others.
func (r *cogrs) stillWaits(j *job, n *node) (allowed Locality, still bool) {
	w := r.waiting.of(j)
	if w.period != r.period || w.cluster != r.c.cluster || w.changes != j.changes || r.of.of(j).wait >= w.until {
		return 0, false
	}
	return w.allowed, !r.mayTake(j, n, w.allowed) && !r.c.order.urgent(j, Reduce)
}

// mayTake reports whether a reduce of j may have n as candidate, or if allowed its rack, or reduces
// of j run there.
func (r *cogrs) mayTake(j *job, n *node, allowed Locality) bool {
	return allowed >= OffRack || r.near[0].Has(int32(n.id), j.index) || allowed == RackLocal && r.near[1].Has(n.groups[1], j.index)
}

// keepsWaiting notes that j refuses all nodes that may not take a reduce, until more may be allowed
// or idle slots count.
func (r *cogrs) keepsWaiting(j *job, allowed Locality) {
	until := time.Duration(0)
	for l := r.of.of(j).level; l <= allowed; l++ {
		until += r.length(l)
	}
	if r.pol.Waits == [2]time.Duration{} && j.unfinished(Map) == 0 {
		until = min(until, r.c.heartbeatInterval())
	}
	*r.waiting.of(j) = waiting{r.period, r.c.cluster, j.changes, allowed, until}
}
