package cogrs

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// A fast path, which changes no answer: with thousands of jobs most of the work are offers that jobs
// refuse because they wait for their centers, and what is read of each job is not in the cache. A
// job that has refused a node because none of its reduces may go there refuses all such nodes until
// something changes that its answer depends on.

// waiting is what a job that waits for its centers has answered by.
type waiting struct {
	Period  uint64 // cogrs.period
	cluster uint64 // Core.cluster
	changes int32  // job.changes
	allowed core.Locality
	until   time.Duration // the wait at which more may be allowed
}

// stillWaits reports whether j refuses n as it has refused others.
func (r *Placement) stillWaits(j *core.Job, n *core.NodeState) (allowed core.Locality, still bool) {
	w := r.Waiting.Of(j)
	if w.Period != r.Period || w.cluster != r.C.Cluster || w.changes != j.Changes || r.Of.Of(j).Wait >= w.until {
		return 0, false
	}
	return w.allowed, !r.mayTake(j, n, w.allowed) && !r.C.Order.Urgent(j, core.Reduce)
}

// mayTake reports whether a reduce of j may have n as candidate, or if allowed its rack, or reduces
// of j run there.
func (r *Placement) mayTake(j *core.Job, n *core.NodeState, allowed core.Locality) bool {
	return allowed >= core.OffRack || r.Near[0].Has(int32(n.ID), j.Index) || allowed == core.RackLocal && r.Near[1].Has(n.Groups[1], j.Index)
}

// keepsWaiting notes that j refuses all nodes that may not take a reduce, until more may be allowed
// or idle slots count.
func (r *Placement) keepsWaiting(j *core.Job, allowed core.Locality) {
	until := time.Duration(0)
	for l := r.Of.Of(j).Level; l <= allowed; l++ {
		until += r.Length(l)
	}
	if r.pol.Waits == [2]time.Duration{} && j.Unfinished(core.Map) == 0 {
		until = min(until, r.C.HeartbeatInterval())
	}
	*r.Waiting.Of(j) = waiting{r.Period, r.C.Cluster, j.Changes, allowed, until}
}
