package pools

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// quota counts the running jobs of a pool or user against a limit.
type quota struct{ n, Most int }

func (l *quota) full() bool { return l.n >= l.Most }

func (l *quota) reason() core.Reason {
	return core.Reason{Cause: core.CauseJobLimit, Count: int32(l.n), Of: int32(max(0, l.Most))}
}

// Settle decides which jobs may run: all, in order of priority and submission, while their pool and
// user are below their limits on running jobs. A new job of high priority may therefore displace a
// running one of low priority, which keeps its running tasks but gets no more.
//
// A new job that comes last in that order is decided on its own. All jobs are decided after any
// other arrival, a change of priority or pool, and the end of a job while others are held back.
func (o *Order) Settle() {
	o.Age()
	for _, j := range o.arrived {
		if o.Limits && !j.State.Ended() {
			o.unsettled = o.unsettled || j.Spec.Priority < o.lowest
			if !o.unsettled {
				o.decide(j)
			}
		}
	}
	o.arrived = nil
	if !o.Limits || !o.unsettled {
		return
	}
	o.unsettled, o.lowest = false, core.VeryHigh
	for _, p := range o.Sorted {
		p.admitted.n = 0
	}
	for _, u := range o.ofUser {
		u.n = 0
	}
	for p := core.VeryHigh; p <= core.VeryLow; p++ {
		for _, j := range o.C.Active {
			if !j.State.Ended() && j.Spec.Priority == p {
				o.decide(j)
			}
		}
	}
}

// decide lets a job run if the jobs before it leave room within the limits.
func (o *Order) decide(j *core.Job) {
	of := &o.of[j.Index]
	if of.user == nil {
		of.user = o.UserOf(j)
	}
	o.lowest = max(o.lowest, j.Spec.Priority)
	of.admitted = false
	switch {
	case of.user.full():
		o.C.SetRunnable(j, false, of.user.reason())
	case of.pool.admitted.full():
		o.C.SetRunnable(j, false, of.pool.admitted.reason())
	default:
		of.admitted = true
		of.user.n++
		of.pool.admitted.n++
		o.C.SetRunnable(j, true, core.Reason{})
	}
}

// dismiss removes a job that leaves its pool from the counts of decide.
func (o *Order) dismiss(j *core.Job) {
	if of := &o.of[j.Index]; of.admitted {
		of.admitted = false
		of.user.n--
		of.pool.admitted.n--
	}
	o.unsettled = o.unsettled || o.C.Held > 0 // another job may run instead
}

// UserOf returns the count of a job's user.
func (o *Order) UserOf(j *core.Job) *quota {
	u := o.ofUser[j.Spec.User]
	if u == nil {
		u = &quota{Most: core.NoLimit}
		if n := o.users[j.Spec.User]; n != 0 {
			u.Most = n
		} else if o.Alloc.UserMaxJobs != 0 {
			u.Most = o.Alloc.UserMaxJobs
		}
		o.ofUser[j.Spec.User] = u
	}
	return u
}
