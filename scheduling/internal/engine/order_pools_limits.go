package engine

// quota counts the running jobs of a pool or user against a limit.
type quota struct{ n, most int }

func (l *quota) full() bool { return l.n >= l.most }

func (l *quota) reason() Reason {
	return Reason{Cause: CauseJobLimit, Count: int32(l.n), Of: int32(max(0, l.most))}
}

// settle says which jobs may run: all in order of priority and submission, as long as their pool
// and user are below their limits on running jobs. So a new job of high priority may displace a
// running one of low priority, which keeps its running tasks but gets no more.
//
// A new job that comes last in that order is decided by itself. All jobs are gone through after
// another arrival, a change of priority or pool, and an end while jobs are held back.
func (o *pools) settle() {
	o.age()
	for _, j := range o.arrived {
		if o.limits && !j.state.Ended() {
			o.unsettled = o.unsettled || j.spec.Priority < o.lowest
			if !o.unsettled {
				o.decide(j)
			}
		}
	}
	o.arrived = nil
	if !o.limits || !o.unsettled {
		return
	}
	o.unsettled, o.lowest = false, VeryHigh
	for _, p := range o.sorted {
		p.admitted.n = 0
	}
	for _, u := range o.ofUser {
		u.n = 0
	}
	for p := VeryHigh; p <= VeryLow; p++ {
		for _, j := range o.c.active {
			if !j.state.Ended() && j.spec.Priority == p {
				o.decide(j)
			}
		}
	}
}

// decide lets a job run if the jobs before it leave room.
func (o *pools) decide(j *job) {
	of := &o.of[j.index]
	if of.user == nil {
		of.user = o.userOf(j)
	}
	o.lowest = max(o.lowest, j.spec.Priority)
	of.admitted = false
	switch {
	case of.user.full():
		o.c.setRunnable(j, false, of.user.reason())
	case of.pool.admitted.full():
		o.c.setRunnable(j, false, of.pool.admitted.reason())
	default:
		of.admitted = true
		of.user.n++
		of.pool.admitted.n++
		o.c.setRunnable(j, true, Reason{})
	}
}

// dismiss takes a job that leaves its pool out of what decide has counted.
func (o *pools) dismiss(j *job) {
	if of := &o.of[j.index]; of.admitted {
		of.admitted = false
		of.user.n--
		of.pool.admitted.n--
	}
	o.unsettled = o.unsettled || o.c.held > 0 // its place may be another's
}

// userOf is the count of a job's user.
func (o *pools) userOf(j *job) *quota {
	u := o.ofUser[j.spec.User]
	if u == nil {
		u = &quota{most: NoLimit}
		if n := o.users[j.spec.User]; n != 0 {
			u.most = n
		} else if o.alloc.UserMaxJobs != 0 {
			u.most = o.alloc.UserMaxJobs
		}
		o.ofUser[j.spec.User] = u
	}
	return u
}
