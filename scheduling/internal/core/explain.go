package core

import "github.com/tarry-mr/tarry/scheduling/internal/model"

// IdleReasons explains the free slots of a node: for each kind with a free slot, and each job with
// a task to launch, in order of submission, it returns one Skip. It uses the state after the last
// heartbeat and, with Config.Explain, that heartbeat's own reasons.
func (q View) IdleReasons(id model.NodeID) []model.Skip {
	c := q.c
	if id < 0 || int(id) >= len(c.Nodes) {
		return nil
	}
	n := c.Nodes[id]
	var list []model.Skip
	for k := range model.TaskKind(model.Kinds) {
		if !n.Live || n.Free(k) <= 0 {
			continue
		}
		for _, j := range c.Active {
			if j.Work[k].Waiting() > 0 {
				list = append(list, c.idleReason(j, n, k))
			}
		}
	}
	return list
}

// idleJobs is the maximum number of jobs that a heartbeat tells why they got nothing. The jobs take
// turns, so that a heartbeat does not cost more the more jobs wait.
const idleJobs = 8

// explainIdle emits, for the next idleJobs jobs with a task to launch, why each left a slot of n
// free, unless an offer of this heartbeat, after the job's last launch, has already reported that.
func (c *Core) explainIdle(n *NodeState) {
	if !c.Tells() {
		return
	}
	if c.idleTurn >= len(c.Active) || len(c.Active) <= idleJobs {
		c.idleTurn = 0
	}
	jobs := c.Active[c.idleTurn:]
	jobs = jobs[:min(idleJobs, len(jobs))]
	c.idleTurn += len(jobs)
	for k := range model.TaskKind(model.Kinds) {
		if n.Free(k) <= 0 {
			continue
		}
		for _, j := range jobs {
			s := c.skipOf(j, k)
			if j.Work[k].Waiting() == 0 || s != nil && c.told.Of(j).skips[k].cause != model.NoCause {
				continue
			}
			why := c.idleReason(j, n, k)
			c.Skip(j, n, k, why.Reason, why.Until)
		}
	}
}

// idleReason returns why j has launched nothing of kind k on n.
func (c *Core) idleReason(j *Job, n *NodeState, k model.TaskKind) model.Skip {
	s := model.Skip{Job: j.ID, Kind: k, Node: n.ID}
	if known := c.skipOf(j, k); known != nil && known.Node == n.ID {
		return *known
	}
	w := &j.Work[k]
	switch {
	case n.Cordoned:
		s.Reason = model.Reason{Cause: model.CauseCordoned}
	case n.Avoided:
		s.Reason = model.Reason{Cause: model.CauseAvoided}
	case !j.Runnable:
		s.Reason = j.Hold
	case !w.Open:
		s.Reason = model.Reason{Cause: model.CauseSlowStart, Count: int32(j.Work[model.Map].Done), Of: int32(j.Gate)}
	case n.Free(k) < int(j.Slots):
		s.Reason = model.Reason{Cause: model.CauseSlots, Count: int32(n.Free(k)), Of: j.Slots}
	default:
		s.Reason = c.Order.Idle(j, n, k)
	}
	return s
}
