package core

// IdleReasons says, for each kind of which a node has a free slot, why each job with a task to
// launch has not taken it: one Skip a job and kind, in order of submission. It looks at the state
// after the last heartbeat; with Config.Explain it also knows why that passed jobs over.
func (q View) IdleReasons(id NodeID) []Skip {
	c := q.c
	if id < 0 || int(id) >= len(c.Nodes) {
		return nil
	}
	n := c.Nodes[id]
	var list []Skip
	for k := range TaskKind(Kinds) {
		if !n.Live || n.Free(k) <= 0 {
			continue
		}
		for _, j := range c.Active {
			if j.State.Ended() || j.Work[k].Waiting() == 0 {
				continue
			}
			list = append(list, c.idleReason(j, n, k))
		}
	}
	return list
}

// explainIdle puts on record why each job with a task to launch has left a slot of n free, where no
// offer has told.
func (c *Core) explainIdle(n *NodeState) {
	if !c.Tells() {
		return
	}
	for k := range TaskKind(Kinds) {
		if n.Free(k) <= 0 {
			continue
		}
		for _, j := range c.Active {
			if !j.State.Ended() && j.Work[k].Waiting() > 0 && !c.skippedBy(j, n, k) {
				why := c.idleReason(j, n, k)
				c.Skip(j, n, k, why.Reason, why.Until)
			}
		}
	}
}

// skippedBy tells whether an offer of this heartbeat has told why j was passed over, after its last
// launch.
func (c *Core) skippedBy(j *Job, n *NodeState, k TaskKind) bool {
	s := c.skipOf(j, k)
	return c.told.Of(j).skips[k].cause != NoCause && s != nil && s.Node == n.ID
}

// idleReason says why j has launched nothing of kind k on n.
func (c *Core) idleReason(j *Job, n *NodeState, k TaskKind) Skip {
	s := Skip{Job: j.ID, Kind: k, Node: n.ID}
	if known := c.skipOf(j, k); known != nil && known.Node == n.ID {
		return *known
	}
	w := &j.Work[k]
	switch {
	case n.Barred.Has(BarCordoned):
		s.Reason = Reason{Cause: CauseCordoned}
	case n.Barred.Has(BarFaults):
		s.Reason = Reason{Cause: CauseAvoided}
	case !j.Runnable:
		s.Reason = j.Hold
	case !w.Open:
		s.Reason = Reason{Cause: CauseSlowStart, Count: int32(j.Work[Map].Done), Of: int32(j.Gate)}
	case n.Free(k) < int(j.Slots):
		s.Reason = Reason{Cause: CauseSlots, Count: int32(n.Free(k)), Of: j.Slots}
	default:
		s.Reason = c.Order.Idle(j, n, k)
	}
	return s
}
