package core

import (
	"cmp"
	"math"
	"time"
)

// Avoidance configures when a node on which attempts fail gets no more tasks [Hadoop: tracker
// blacklists]. A node that joins with another incarnation starts without faults.
type Avoidance struct {
	// JobFailures of a job's attempts on a node, whoever is to blame, make the job avoid the node,
	// unless a quarter of the nodes or more would be avoided then; 0 means 4, negative never
	// (mapred.max.tracker.failures).
	JobFailures int
	// Jobs that succeeded while they avoided a node make all jobs avoid it, if these are also half
	// as many again as the mean of the nodes, and while less than half of the nodes are avoided; 0
	// means 4, negative never (mapred.max.tracker.blacklists).
	Jobs int
	// Forgive is after what time without another one a node is forgiven one such job; 0 means 24 h
	// [Hadoop 0.20].
	Forgive time.Duration
}

// The parts of the cluster [Hadoop JobInProgress, JobTracker].
const (
	avoidedByJob = 0.25 // of the nodes, at most
	avoidedByAll = 0.5  // of the nodes, at most
	aboveMean    = 1.5  // times the mean of the nodes' faults
)

func (a Avoidance) withDefaults() Avoidance {
	never := func(n int) int {
		if n < 0 {
			return math.MaxInt32
		}
		return cmp.Or(n, 4)
	}
	return Avoidance{JobFailures: never(a.JobFailures), Jobs: never(a.Jobs), Forgive: cmp.Or(a.Forgive, 24*time.Hour)}
}

// Trouble is where attempts of a job have failed. The methods that read take nil for a job without
// failures.
type Trouble struct {
	Failures map[NodeID]int32
	Nodes    int // with so many failures that the job avoids them
}

// Avoided is how many nodes the job has reason to avoid.
func (t *Trouble) Avoided() int {
	if t == nil {
		return 0
	}
	return t.Nodes
}

// recount counts the nodes to avoid anew, under a new policy.
func (t *Trouble) recount(limit int) {
	if t == nil {
		return
	}
	t.Nodes = 0
	for _, failures := range t.Failures {
		if int(failures) >= limit {
			t.Nodes++
		}
	}
}

// Troubled counts a failed attempt of j on n.
func (c *Core) Troubled(j *Job, n *NodeState) {
	if j.Trouble == nil {
		j.Trouble = &Trouble{Failures: map[NodeID]int32{}}
	}
	t := j.Trouble
	t.Failures[n.ID]++
	if int(t.Failures[n.ID]) != c.Policy.Avoid.JobFailures {
		return
	}
	t.Nodes++
	c.newWork() // of so many nodes the job may have to use all
	c.Emit(Event{Type: EventAvoided, JobID: j.ID, Node: n.ID, Reason: t.reason(c, n)})
	c.changed(j, Map)
	c.changed(j, Reduce)
}

// reason says how often attempts have failed on n, and the limit.
func (t *Trouble) reason(c *Core, n *NodeState) Reason {
	return Reason{Cause: CauseAvoided, Count: t.Failures[n.ID], Of: int32(c.Policy.Avoid.JobFailures)}
}

// Avoids tells whether j launches nothing on n because too many of its attempts have failed there.
// When a quarter of the nodes would be avoided, the job rather than the nodes is at fault, and none
// is.
func (c *Core) Avoids(j *Job, n *NodeState) bool {
	t := j.Trouble
	return t.Avoided() > 0 && int(t.Failures[n.ID]) >= c.Policy.Avoid.JobFailures &&
		float64(t.Nodes) < avoidedByJob*float64(c.Live)
}

// blameNodes counts a fault for each node that j, which has succeeded, had reason to avoid: the
// job's code can do its work elsewhere.
func (c *Core) blameNodes(j *Job) {
	if j.Trouble.Avoided() == 0 {
		return
	}
	for _, n := range c.Nodes {
		if int(j.Trouble.Failures[n.ID]) < c.Policy.Avoid.JobFailures {
			continue
		}
		if n.Faults == 0 {
			c.Faulty++
		}
		n.Faults, n.faultAt = n.Faults+1, c.Now
		if !n.Barred.Has(BarFaults) && c.tooFaulty(n) {
			c.SetAvoided(n, true)
		}
	}
}

// tooFaulty tells whether all jobs should avoid n.
func (c *Core) tooFaulty(n *NodeState) bool {
	faults, avoided := 0, 0
	for _, m := range c.Nodes {
		faults += m.Faults
		if m.Live && m.Barred.Has(BarFaults) {
			avoided++
		}
	}
	mean := float64(faults) / float64(max(1, c.Live))
	return n.Faults >= c.Policy.Avoid.Jobs && float64(n.Faults) > aboveMean*mean &&
		float64(avoided) < avoidedByAll*float64(c.Live)
}

// SetAvoided keeps new tasks from a node, or lets them in again.
func (c *Core) SetAvoided(n *NodeState, avoided bool) {
	c.countSlots(n, -1)
	n.Bar(BarFaults, avoided)
	c.countSlots(n, 1)
	c.Dirty = true
	event := EventAdmitted
	if avoided {
		event = EventAvoided
	}
	c.Emit(Event{Type: event, Node: n.ID, Reason: Reason{Cause: CauseAvoided, Count: int32(n.Faults), Of: int32(c.Policy.Avoid.Jobs)}})
	if n.Live && !avoided {
		c.Call(n)
	}
}

// forgive takes one fault off the nodes that have had none for long, and lets new tasks in where
// few are left.
func (c *Core) forgive() {
	if c.Faulty == 0 {
		return
	}
	for _, n := range c.Nodes {
		if n.Faults == 0 || c.Now-n.faultAt < c.Policy.Avoid.Forgive {
			continue
		}
		n.Faults, n.faultAt = n.Faults-1, c.Now
		if n.Faults == 0 {
			c.Faulty--
		}
		if n.Barred.Has(BarFaults) && n.Faults < c.Policy.Avoid.Jobs {
			c.SetAvoided(n, false)
		}
	}
}

// absolve forgives a node all, also what single jobs hold against it (Hadoop's jobs remember): it
// begins anew. Its slots are not counted while it does.
func (c *Core) absolve(n *NodeState) {
	if n.Faults > 0 {
		c.Faulty--
	}
	n.Faults = 0
	n.Bar(BarFaults, false)
	for _, j := range c.Active {
		if j.State.Ended() || j.Trouble == nil {
			continue
		}
		if int(j.Trouble.Failures[n.ID]) >= c.Policy.Avoid.JobFailures {
			j.Trouble.Nodes--
		}
		delete(j.Trouble.Failures, n.ID)
		c.changed(j, Map)
		c.changed(j, Reduce)
	}
}
