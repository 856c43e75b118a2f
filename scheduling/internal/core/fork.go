package core

import "time"

// Fork turns one refusal into a launch, so that two runs that differ in nothing else tell what the
// wait was worth. It is the first refusal at or after At in which Job, offered a slot of kind Kind
// on Node, waits for a better one. Refusals for other reasons, such as limits, stay.
type Fork struct {
	At   time.Duration
	Job  JobID
	Kind TaskKind
	Node NodeID // NoNode: any node
}

// forks reports whether Config.Fork turns this refusal of j into a launch.
func (c *Core) forks(j *Job, n *NodeState, k TaskKind) bool {
	f := c.Config.Fork
	return f != nil && !c.forked && c.Now >= f.At && j.ID == f.Job && k == f.Kind && (f.Node == NoNode || f.Node == n.ID)
}

// instead proposes the task of j that is nearest to n, however far away; the first reduce, as without
// a placement. Without a pending task, the refusal p stays.
func (c *Core) instead(j *Job, n *NodeState, k TaskKind, p Proposal) Proposal {
	task, l := j.Work[k].Pending.First(), AnyPlace
	if k == Map {
		task, l = c.Pick(j, n, c.Far)
	}
	if task < 0 {
		return p
	}
	c.forked = true
	return Proposal{Task: task, Level: l, Allowed: c.Far, Why: CauseForked}
}
