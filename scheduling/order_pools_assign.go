package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/shares"

// assign offers the node's slots one by one: of the kind of which the node runs fewer tasks, maps
// if equal, until neither kind has a free slot that the load cap lets it use and some job wants
// [Hadoop FairScheduler.assignTasks]. With OneTask it stops after one task. Tasks handed out in
// this heartbeat count for the node at once.
func (o *pools) assign(n *node) {
	c := o.c
	o.expireBoosts()
	var rejected [kinds]bool
	for {
		for k := range TaskKind(kinds) {
			if !rejected[k] && (n.free(k) <= 0 || !o.mayLoad(n, k)) {
				rejected[k] = true
			}
		}
		k := Map
		switch {
		case rejected[Map] && rejected[Reduce]:
			return
		case rejected[Map]:
			k = Reduce
		case !rejected[Reduce] && n.running[Map] > n.running[Reduce]:
			k = Reduce
		}
		if !c.round(n, k) {
			rejected[k] = true
		} else if c.pol.OneTask {
			return
		}
	}
}

// mayLoad asks the load manager: the one configured, or that which caps a node while the cluster is
// under-loaded.
func (o *pools) mayLoad(n *node, k TaskKind) bool {
	if f := o.c.cfg.LoadManager; f != nil {
		return f(n.view(), k, o.load[k], o.c.slots[k])
	}
	p := &o.c.pol
	return !p.Spread || n.running[k] < shares.OfNode(n.slots[k], o.load[k], o.c.slots[k], p.LoadMaxDiff)
}

// expireBoosts ranks anew the jobs that are no longer new.
func (o *pools) expireBoosts() {
	for len(o.boosted) > 0 && o.c.now-o.boosted[0].submitted >= o.alloc.BoostTime {
		j := o.boosted[0]
		o.boosted = o.boosted[1:]
		o.stale = true
		if !j.state.Ended() {
			o.changed(j, Map)
			o.changed(j, Reduce)
		}
	}
}

// settle says which jobs may run: all in order of priority and submission, as long as their pool
// and user are below their limits on running jobs. So a new job of high priority may displace a
// running one of low priority, which keeps its running tasks but gets no more.
func (o *pools) settle() {
	o.expireBoosts()
	c := o.c
	inPool, ofUser := map[*pool]int{}, map[string]int{}
	for _, j := range o.ranked() {
		user := o.userLimit(j.spec.User)
		switch {
		case ofUser[j.spec.User] >= user:
			c.setRunnable(j, false, Reason{Cause: CauseJobLimit, Count: int32(ofUser[j.spec.User]), Of: int32(max(0, user))})
		case inPool[o.poolOf(j)] >= o.poolOf(j).MaxJobs:
			c.setRunnable(j, false, Reason{Cause: CauseJobLimit, Count: int32(inPool[o.poolOf(j)]), Of: int32(max(0, o.poolOf(j).MaxJobs))})
		default:
			ofUser[j.spec.User]++
			inPool[o.poolOf(j)]++
			c.setRunnable(j, true, Reason{})
		}
	}
}

// ranked lists the jobs that have not ended, by priority and submission; none if no limit makes
// that worth while.
func (o *pools) ranked() []*job {
	if !o.limited {
		return nil
	}
	var jobs []*job
	for p := VeryHigh; p <= VeryLow; p++ {
		for _, j := range o.c.active {
			if !j.state.Ended() && j.spec.Priority == p {
				jobs = append(jobs, j)
			}
		}
	}
	return jobs
}

// userLimit is how many jobs a user may run.
func (o *pools) userLimit(name string) int {
	if n := o.users[name]; n != 0 {
		return n
	}
	if o.alloc.UserMaxJobs != 0 {
		return o.alloc.UserMaxJobs
	}
	return NoLimit
}
