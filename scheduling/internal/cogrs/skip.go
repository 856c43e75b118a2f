package cogrs

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// A fast path, which changes no answer. With thousands of jobs most offers are refused by jobs that
// wait for their centers, and their records are not in the cache. A job that has refused a node
// because none of its reduces may go there refuses all such nodes until an input of its answer
// changes.

// waiting records the refusal of a job that waits for its centers, and what it depended on.
type waiting struct {
	Period  uint64        // Placement.Period
	cluster uint64        // Core.Cluster: changes with the nodes
	changes int32         // Job.Changes: changes with map outputs and failed reduces
	allowed core.Locality // distance from a center that the job accepted
	until   time.Duration // the job may accept more when it has waited this long
}

// stillWaits reports whether the job's last refusal still holds for n, and the distance it accepts.
func (r *Placement) stillWaits(j *core.Job, n *core.NodeState) (allowed core.Locality, still bool) {
	w := r.Waiting.Of(j)
	if w.Period != r.Period || w.cluster != r.C.Cluster || w.changes != j.Changes || r.Of.Of(j).Wait >= w.until {
		return 0, false
	}
	return w.allowed, !r.mayTake(j, n, w.allowed) && !r.C.Order.Urgent(j, core.Reduce)
}

// mayTake reports whether a reduce of j may go to n: the job accepts any node, or n is a candidate
// of a reduce or runs one, or the job accepts racks and n is in the rack of a best candidate.
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
