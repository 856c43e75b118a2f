package engine

// LoadManager tells whether a node may be given one more task of kind k, free slots apart; load is
// the number of tasks that the cluster could run, slots the cluster's. Hadoop's Fair Scheduler has
// the same extension point (mapred.fairscheduler.loadmanager).
type LoadManager func(n NodeView, k TaskKind, load, slots int) bool

// TaskSelector picks which of a job's tasks to launch on a node that the policy has found for it.
// Index is the policy's own choice; a task that is not pending, or a map farther from its data than
// the policy allows now, leaves it at that. Hadoop: mapred.fairscheduler.taskselector.
type TaskSelector func(s Selection) (index int32)

// Selection is the question put to a TaskSelector.
type Selection struct {
	Job     JobID
	Kind    TaskKind
	Node    NodeID
	Index   int32            // the policy's own choice
	Allowed Locality         // of a map: the farthest level that the policy allows now
	Pending func(int32) bool // tells whether the task of that index waits to be launched; valid during the call
}

// selected asks the task selector for a task instead of i, the policy's choice.
func (c *Core) selected(j *job, k TaskKind, n *node, i int32, allowed Locality) int32 {
	if c.cfg.TaskSelector == nil {
		return i
	}
	pending := func(m int32) bool {
		w := &j.w[k]
		return m >= 0 && int(m) < len(w.tasks) && w.tasks[m].state == taskPending
	}
	m := c.cfg.TaskSelector(Selection{Job: j.id, Kind: k, Node: n.id, Index: i, Allowed: allowed, Pending: pending})
	if !pending(m) || k == Map && c.level(j, m, n) > allowed {
		return i
	}
	return m
}

// level is how far map m is from its data on n.
func (c *Core) level(j *job, m int32, n *node) Locality {
	if !j.hasPlace(m) {
		return AnyPlace
	}
	p, best := j.spec.Places, c.far
	for _, id := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
		groups := c.nodes[id].groups
		for l := Locality(0); l < best && groups != nil; l++ {
			if groups[l] == n.groups[l] {
				best = l
			}
		}
	}
	return best
}
