package cogrs

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// A fast path, which changes no answer. With thousands of jobs most offers are refused by jobs that
// wait for their centers, and their records are not in the cache. A job that has refused a node
// because none of its reduces may go there refuses all such nodes until an input of its answer
// changes.

// waiting holds the inputs of the answer of a job that waits for its centers.
type waiting struct {
	Period  uint64 // Placement.Period
	cluster uint64 // Core.Cluster
	changes int32  // Job.Changes
	allowed core.Locality
	until   time.Duration // wait after which more may be allowed
}

// stillWaits reports whether j refuses n for the same reason as other nodes before.
func (r *Placement) stillWaits(j *core.Job, n *core.NodeState) (allowed core.Locality, still bool) {
	w := r.Waiting.Of(j)
	if w.Period != r.Period || w.cluster != r.C.Cluster || w.changes != j.Changes || r.Of.Of(j).Wait >= w.until {
		return 0, false
	}
	return w.allowed, !r.mayTake(j, n, w.allowed) && !r.C.Order.Urgent(j, core.Reduce)
}

// mayTake reports whether a reduce of j may have n, or if allowed its rack, as candidate, or
// reduces of j run there.
func (r *Placement) mayTake(j *core.Job, n *core.NodeState, allowed core.Locality) bool {
	return allowed >= core.OffRack || r.Near[0].Has(int32(n.ID), j.Index) || allowed == core.RackLocal && r.Near[1].Has(n.Groups[1], j.Index)
}

// keepsWaiting records that j refuses all nodes that may not take a reduce, until more may be
// allowed or idle slots count.
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
