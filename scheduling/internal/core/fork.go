package core

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Fork makes Job launch a task once where it would have waited for a better slot. Comparing the run
// with the one without Fork shows what the wait was worth. It acts on the first such offer of a
// slot of kind Kind on Node, at or after At. Refusals for other reasons, such as limits, stay.
type Fork struct {
	At   time.Duration
	Job  model.JobID
	Kind model.TaskKind
	Node model.NodeID // NoNode: any node
}

// forks reports whether Config.Fork turns this refusal of j into a launch.
func (c *Core) forks(j *Job, n *NodeState, k model.TaskKind) bool {
	f := c.Config.Fork
	return f != nil && !c.forked && c.Now >= f.At && j.ID == f.Job && k == f.Kind && (f.Node == model.NoNode || f.Node == n.ID)
}

// instead returns what j launches on n because of Config.Fork: its nearest map, at any distance, or
// its first reduce. If no task is pending, it returns p, the refusal.
func (c *Core) instead(j *Job, n *NodeState, k model.TaskKind, p Proposal) Proposal {
	task, l := j.Work[k].Pending.First(), model.AnyPlace
	if k == model.Map {
		task, l = c.Pick(j, n, model.OffRack)
	}
	if task < 0 {
		return p
	}
	c.forked = true
	return Proposal{Task: task, Level: l, Allowed: model.OffRack, Why: model.CauseForked}
}
