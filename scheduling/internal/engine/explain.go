package engine

// IdleReasons says, for each kind of which a node has a free slot, why each job with a task to
// launch has not taken it: one Skip a job and kind, in order of submission. It looks at the state
// after the last heartbeat; with Config.Explain it also knows why that passed jobs over.
func (q View) IdleReasons(id NodeID) []Skip {
	c := q.c
	if id < 0 || int(id) >= len(c.nodes) {
		return nil
	}
	n := c.nodes[id]
	var list []Skip
	for k := range TaskKind(kinds) {
		if !n.live || n.free(k) <= 0 {
			continue
		}
		for _, j := range c.active {
			if j.state.Ended() || j.w[k].waiting() == 0 {
				continue
			}
			list = append(list, c.idleReason(j, n, k))
		}
	}
	return list
}

// explainIdle puts on record why each job with a task to launch has left a slot of n free, where no
// offer has told.
func (c *Core) explainIdle(n *node) {
	if !c.cfg.Explain || c.cfg.Events == nil {
		return
	}
	for k := range TaskKind(kinds) {
		if n.free(k) <= 0 {
			continue
		}
		for _, j := range c.active {
			if !j.state.Ended() && j.w[k].waiting() > 0 && !c.skippedBy(j, n, k) {
				why := c.idleReason(j, n, k)
				c.skip(j, n, k, why.Reason, why.Until)
			}
		}
	}
}

// skippedBy tells whether an offer of this heartbeat has told why j was passed over, after its last
// launch.
func (c *Core) skippedBy(j *job, n *node, k TaskKind) bool {
	s := c.skipOf(j, k)
	return j.w[k].skipped != NoCause && s != nil && s.Node == n.id
}

// idleReason says why j has launched nothing of kind k on n.
func (c *Core) idleReason(j *job, n *node, k TaskKind) Skip {
	s := Skip{Job: j.id, Kind: k, Node: n.id}
	if known := c.skipOf(j, k); known != nil && known.Node == n.id {
		return *known
	}
	w := &j.w[k]
	switch {
	case n.barred.has(barCordoned):
		s.Reason = Reason{Cause: CauseCordoned}
	case n.barred.has(barFaults):
		s.Reason = Reason{Cause: CauseAvoided}
	case !j.runnable:
		s.Reason = j.hold
	case !w.open:
		s.Reason = Reason{Cause: CauseSlowStart, Count: int32(j.w[Map].done), Of: int32(j.gate)}
	case n.free(k) < int(j.slots):
		s.Reason = Reason{Cause: CauseSlots, Count: int32(n.free(k)), Of: j.slots}
	default:
		s.Reason = c.order.idle(j, n, k)
	}
	return s
}
