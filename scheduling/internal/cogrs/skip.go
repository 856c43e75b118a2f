package cogrs

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// A fast path, which changes no answer. With thousands of jobs most offers are refused by jobs that
// wait for their centers, and their records are not in the cache. A job may refuse a node because
// none of its reduces may go there. It then refuses all such nodes until something changes on which
// its answer depends.

// waiting records the refusal of a job that waits for its centers, and the state it depended on.
type waiting struct {
	Period  uint64         // Placement.Period
	cluster uint64         // Core.Cluster: changes with the nodes
	changes int32          // Job.Changes: changes with map outputs and failed reduces
	allowed model.Locality // distance from a center that the job accepted
	until   time.Duration  // length of the job's wait at which it may accept more
}

// stillWaits reports whether the job's last refusal holds for n too, and the distance it accepts.
func (r *Placement) stillWaits(j *core.Job, n *core.NodeState) (allowed model.Locality, still bool) {
	w := r.Waiting.Of(j)
	if w.Period != r.Period || w.cluster != r.C.Cluster || w.changes != j.Changes || r.Of.Of(j).Wait >= w.until {
		return 0, false
	}
	return w.allowed, !r.mayTake(j, n, w.allowed) && !r.C.Order.Urgent(j, model.Reduce)
}

// mayTake reports whether a reduce of j may go to n. That is so if n is a candidate or has a reduce
// of j. Otherwise the job must accept any node, or the rack of a best candidate and n is in it.
func (r *Placement) mayTake(j *core.Job, n *core.NodeState, allowed model.Locality) bool {
	return allowed >= model.OffRack || r.Near[0].Has(int32(n.ID), j.Index) || allowed == model.RackLocal && r.Near[1].Has(n.Site[1], j.Index)
}

// keepsWaiting records that j refuses all nodes for which mayTake is false, until its wait allows
// more or idle slots end the wait.
func (r *Placement) keepsWaiting(j *core.Job, allowed model.Locality) {
	until := time.Duration(0)
	for l := r.Of.Of(j).Level; l <= allowed; l++ {
		until += r.Length(l)
	}
	if r.pol.Waits == [2]time.Duration{} && j.Unfinished(model.Map) == 0 {
		until = min(until, r.C.HeartbeatInterval())
	}
	*r.Waiting.Of(j) = waiting{r.Period, r.C.Cluster, j.Changes, allowed, until}
}
