package core

import (
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// The limits of Avoidance that are relative to the cluster [Hadoop JobInProgress, JobTracker].
const (
	avoidedByJob = 0.25 // maximum fraction of the nodes
	avoidedByAll = 0.5  // maximum fraction of the nodes
	aboveMean    = 1.5  // times the mean of the nodes' faults
)

// isBad reports whether enough attempts of j have failed on a node for j to avoid it.
func (c *Core) isBad(j *Job, n model.NodeID) bool {
	return int(j.Failures[n]) >= c.Policy.Avoid.JobFailures
}

// BadNodes returns the number of nodes on which enough attempts of j have failed for j to avoid it.
func (c *Core) BadNodes(j *Job) (bad int) {
	for n := range j.Failures {
		if c.isBad(j, n) {
			bad++
		}
	}
	return bad
}

// CountFailure records a failed attempt of j on n. At the policy's limit it emits event.Avoided.
func (c *Core) CountFailure(j *Job, n *NodeState) {
	if j.Failures == nil {
		j.Failures = map[model.NodeID]int32{}
	}
	j.Failures[n.ID]++
	if int(j.Failures[n.ID]) != c.Policy.Avoid.JobFailures {
		return
	}
	c.newWork() // the job may have to use all nodes now; see Avoids
	c.Emit(event.Event{Type: event.Avoided, JobID: j.ID, Node: n.ID, Reason: c.failureReason(j, n)})
	c.changed(j, model.Map)
	c.changed(j, model.Reduce)
}

// failureReason returns a Reason with the number of failures of j on n and the limit.
func (c *Core) failureReason(j *Job, n *NodeState) model.Reason {
	return model.Reason{Cause: model.CauseAvoided, Count: j.Failures[n.ID], Of: int32(c.Policy.Avoid.JobFailures)}
}

// Avoids reports whether j launches nothing on n because too many of its attempts have failed
// there. If a quarter of the nodes would be avoided, the job is to blame, not the nodes, and none
// is avoided.
func (c *Core) Avoids(j *Job, n *NodeState) bool {
	return len(j.Failures) > 0 && c.isBad(j, n.ID) && float64(c.BadNodes(j)) < avoidedByJob*float64(c.Live)
}

// blameNodes counts a fault for each node that j, which has succeeded, had reason to avoid: the
// job's code works on other nodes.
func (c *Core) blameNodes(j *Job) {
	if len(j.Failures) == 0 {
		return
	}
	for _, n := range c.Nodes {
		if !c.isBad(j, n.ID) {
			continue
		}
		n.Faults, n.faultAt = n.Faults+1, c.Now
		if !n.Avoided && c.tooFaulty(n) {
			c.SetAvoided(n, true)
		}
	}
}

// tooFaulty reports whether all jobs should avoid n.
func (c *Core) tooFaulty(n *NodeState) bool {
	faults, avoided := 0, 0
	for _, m := range c.Nodes {
		faults += m.Faults
		if m.Live && m.Avoided {
			avoided++
		}
	}
	mean := float64(faults) / float64(max(1, c.Live))
	return n.Faults >= c.Policy.Avoid.Jobs && float64(n.Faults) > aboveMean*mean &&
		float64(avoided) < avoidedByAll*float64(c.Live)
}

// SetAvoided starts or stops keeping new tasks of all jobs from n.
func (c *Core) SetAvoided(n *NodeState, avoided bool) {
	c.countSlots(n, -1)
	n.Avoided = avoided
	c.countSlots(n, 1)
	c.Dirty = true
	what := event.Admitted
	if avoided {
		what = event.Avoided
	}
	c.Emit(event.Event{Type: what, Node: n.ID, Reason: model.Reason{Cause: model.CauseAvoided, Count: int32(n.Faults), Of: int32(c.Policy.Avoid.Jobs)}})
	if n.Live && !avoided {
		c.Call(n)
	}
}

// forgive removes one fault from each node without a recent one, and opens nodes with few faults
// for new tasks.
func (c *Core) forgive() {
	for _, n := range c.Nodes {
		if n.Faults == 0 || c.Now-n.faultAt < c.Policy.Avoid.Forgive {
			continue
		}
		n.Faults, n.faultAt = n.Faults-1, c.Now
		if n.Avoided && n.Faults < c.Policy.Avoid.Jobs {
			c.SetAvoided(n, false)
		}
	}
}

// clearFailures clears the faults of n and each job's failure count for n; Hadoop keeps the latter.
// The caller must have removed n from the cluster's totals; see countSlots.
func (c *Core) clearFailures(n *NodeState) {
	n.Faults, n.Avoided = 0, false
	for _, j := range c.Active {
		delete(j.Failures, n.ID)
	}
}
