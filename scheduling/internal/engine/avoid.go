package engine

import (
	"cmp"
	"math"
	"time"
)

// Avoidance says when a node on which attempts fail gets no more tasks [Hadoop: tracker
// blacklists]. A node that joins anew under its name, with another incarnation, has no faults.
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

// trouble is where attempts of a job have failed. The methods that read take nil for a job without
// failures.
type trouble struct {
	failures map[NodeID]int32
	nodes    int // with so many failures that the job avoids them
}

// avoided is how many nodes the job has reason to avoid.
func (t *trouble) avoided() int {
	if t == nil {
		return 0
	}
	return t.nodes
}

// recount counts the nodes to avoid anew, under a new policy.
func (t *trouble) recount(limit int) {
	if t == nil {
		return
	}
	t.nodes = 0
	for _, failures := range t.failures {
		if int(failures) >= limit {
			t.nodes++
		}
	}
}

// troubled counts a failed attempt of j on n.
func (c *Core) troubled(j *job, n *node) {
	if j.trouble == nil {
		j.trouble = &trouble{failures: map[NodeID]int32{}}
	}
	t := j.trouble
	t.failures[n.id]++
	if int(t.failures[n.id]) != c.pol.Avoid.JobFailures {
		return
	}
	t.nodes++
	c.newWork() // of so many nodes the job may have to use all
	if c.cfg.Events != nil {
		c.emit(Event{Type: EventAvoided, JobID: j.id, Node: n.id, Reason: t.reason(c, n)})
	}
	c.changed(j, Map)
	c.changed(j, Reduce)
}

// reason says how often attempts have failed on n, and the limit.
func (t *trouble) reason(c *Core, n *node) Reason {
	return Reason{Cause: CauseAvoided, Count: t.failures[n.id], Of: int32(c.pol.Avoid.JobFailures)}
}

// avoids tells whether j launches nothing on n because too many of its attempts have failed there.
// When a quarter of the nodes would be avoided, the job rather than the nodes is at fault, and none
// is.
func (c *Core) avoids(j *job, n *node) bool {
	t := j.trouble
	return t.avoided() > 0 && int(t.failures[n.id]) >= c.pol.Avoid.JobFailures &&
		float64(t.nodes) < avoidedByJob*float64(c.live)
}

// blameNodes counts a fault for each node that j, which has succeeded, had reason to avoid: the
// job's code can do its work elsewhere.
func (c *Core) blameNodes(j *job) {
	if j.trouble.avoided() == 0 {
		return
	}
	for _, n := range c.nodes {
		if int(j.trouble.failures[n.id]) < c.pol.Avoid.JobFailures {
			continue
		}
		if n.faults == 0 {
			c.faulty++
		}
		n.faults, n.faultAt = n.faults+1, c.now
		if !n.barred.has(barFaults) && c.tooFaulty(n) {
			c.setAvoided(n, true)
		}
	}
}

// tooFaulty tells whether all jobs should avoid n.
func (c *Core) tooFaulty(n *node) bool {
	faults, avoided := 0, 0
	for _, m := range c.nodes {
		faults += m.faults
		if m.live && m.barred.has(barFaults) {
			avoided++
		}
	}
	mean := float64(faults) / float64(max(1, c.live))
	return n.faults >= c.pol.Avoid.Jobs && float64(n.faults) > aboveMean*mean &&
		float64(avoided) < avoidedByAll*float64(c.live)
}

// setAvoided keeps new tasks from a node, or lets them in again.
func (c *Core) setAvoided(n *node, avoided bool) {
	c.countSlots(n, -1)
	n.bar(barFaults, avoided)
	c.countSlots(n, 1)
	c.dirty = true
	if c.cfg.Events != nil {
		t := EventAdmitted
		if avoided {
			t = EventAvoided
		}
		c.emit(Event{Type: t, Node: n.id, Reason: Reason{Cause: CauseAvoided, Count: int32(n.faults), Of: int32(c.pol.Avoid.Jobs)}})
	}
	if n.live && !avoided {
		c.call(n)
	}
}

// forgive takes one fault off the nodes that have had none for long, and lets new tasks in where
// few are left.
func (c *Core) forgive() {
	if c.faulty == 0 {
		return
	}
	for _, n := range c.nodes {
		if n.faults == 0 || c.now-n.faultAt < c.pol.Avoid.Forgive {
			continue
		}
		n.faults, n.faultAt = n.faults-1, c.now
		if n.faults == 0 {
			c.faulty--
		}
		if n.barred.has(barFaults) && n.faults < c.pol.Avoid.Jobs {
			c.setAvoided(n, false)
		}
	}
}

// absolve forgives a node all, also what single jobs hold against it (Hadoop's jobs remember): it
// begins anew. Its slots are not counted while it does.
func (c *Core) absolve(n *node) {
	if n.faults > 0 {
		c.faulty--
	}
	n.faults = 0
	n.bar(barFaults, false)
	for _, j := range c.active {
		if j.state.Ended() || j.trouble == nil {
			continue
		}
		if int(j.trouble.failures[n.id]) >= c.pol.Avoid.JobFailures {
			j.trouble.nodes--
		}
		delete(j.trouble.failures, n.id)
		c.changed(j, Map)
		c.changed(j, Reduce)
	}
}
