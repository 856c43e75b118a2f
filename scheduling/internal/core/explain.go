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
			if j.Work[k].Waiting() == 0 {
				continue
			}
			s := model.Skip{Job: j.ID, Kind: k, Node: id}
			if known := c.skipOf(j, k); known != nil && known.Node == id {
				s = *known
			} else {
				s.Reason = c.idleReason(j, n, k)
			}
			list = append(list, s)
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
	for k := range model.TaskKind(model.Kinds) {
		if n.Free(k) <= 0 {
			continue
		}
		turn := &c.idleTurn[k]
		if *turn >= len(c.Active) || len(c.Active) <= idleJobs {
			*turn = 0
		}
		jobs := c.Active[*turn:min(*turn+idleJobs, len(c.Active))]
		*turn += len(jobs)
		for _, j := range jobs {
			if j.Work[k].Waiting() == 0 {
				continue
			}
			if s := c.skipOf(j, k); s == nil {
				c.Skip(j, n, k, c.idleReason(j, n, k), 0)
			} else if c.told.Of(j).skips[k].cause == model.NoCause {
				c.Skip(j, n, k, s.Reason, s.Until)
			}
		}
	}
}

// idleReason returns why j has launched nothing of kind k on n, if no offer has recorded that.
func (c *Core) idleReason(j *Job, n *NodeState, k model.TaskKind) model.Reason {
	switch w := &j.Work[k]; {
	case n.Cordoned:
		return model.Reason{Cause: model.CauseCordoned}
	case n.Avoided:
		return model.Reason{Cause: model.CauseAvoided}
	case !j.Runnable:
		return j.Hold
	case !w.Open:
		return model.Reason{Cause: model.CauseSlowStart, Count: int32(j.Work[model.Map].Done), Of: int32(j.Gate)}
	case n.Free(k) < int(j.Slots):
		return model.Reason{Cause: model.CauseSlots, Count: int32(n.Free(k)), Of: j.Slots}
	}
	return c.Order.Idle(j, n, k)
}
