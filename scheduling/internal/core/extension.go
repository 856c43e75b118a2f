package core

import (
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// LoadManager reports whether a node with a free slot may get one more task of kind k. load is the
// number of such tasks that the cluster could run now, slots the number of its slots for them.
// Hadoop: mapred.fairscheduler.loadmanager.
type LoadManager func(n view.Node, k model.TaskKind, load, slots int) bool

// TaskSelector picks the task to launch, after the policy has chosen the job and the node. If the
// returned task is not pending, or is a map farther from its data than the policy allows now, the
// policy's own choice, s.Index, is launched. Hadoop: mapred.fairscheduler.taskselector.
type TaskSelector func(s Selection) (index int32)

// Selection is the argument of a TaskSelector.
type Selection struct {
	Job     model.JobID
	Kind    model.TaskKind
	Node    model.NodeID
	Index   int32            // the policy's own choice
	Allowed model.Locality   // of a map: the maximum level that the policy allows now
	Pending func(int32) bool // reports whether the task with that index waits to be launched; valid during the call
}

// Selected returns the task to launch: the task selector's choice or, if it is invalid, i.
func (c *Core) Selected(j *Job, k model.TaskKind, n *NodeState, i int32, allowed model.Locality) int32 {
	if c.Config.TaskSelector == nil {
		return i
	}
	pending := func(m int32) bool {
		w := &j.Work[k]
		return m >= 0 && int(m) < len(w.Tasks) && w.Tasks[m].State == TaskPending
	}
	m := c.Config.TaskSelector(Selection{Job: j.ID, Kind: k, Node: n.ID, Index: i, Allowed: allowed, Pending: pending})
	if !pending(m) || k == model.Map && c.Level(j, m, n) > allowed {
		return i
	}
	return m
}

// Level returns the distance that map m would have from its data if it ran on n.
func (c *Core) Level(j *Job, m int32, n *NodeState) model.Locality {
	if !j.HasPlace(m) {
		return model.AnyPlace
	}
	p, best := j.Spec.Places, c.Far
	for _, id := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
		groups := c.Nodes[id].Groups
		for l := model.Locality(0); l < best && groups != nil; l++ {
			if groups[l] == n.Groups[l] {
				best = l
			}
		}
	}
	return best
}
