package pools

import (
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// quota counts the running jobs of a pool or of a user, and holds the limit on them.
type quota struct{ running, Max int }

func (l *quota) full() bool { return l.running >= l.Max }

func (l *quota) reason() model.Reason {
	return model.Reason{Cause: model.CauseJobLimit, Count: int32(l.running), Of: int32(max(0, l.Max))}
}

// Settle decides which jobs may run. In order of priority and submission, each may whose pool and
// user are below their limits on running jobs. A new job of high priority may displace a running
// one of low priority: that job keeps its running tasks but gets no more.
func (o *Order) Settle() {
	o.Age()
	if !o.Limits {
		return
	}
	for _, p := range o.Sorted {
		p.admitted.running = 0
	}
	for _, u := range o.ofUser {
		u.running = 0
	}
	for p := model.VeryHigh; p <= model.VeryLow; p++ {
		for _, j := range o.C.Active {
			if j.Priority == p {
				o.decide(j, o.UserOf(j), &o.PoolOf(j).admitted)
			}
		}
	}
}

// decide lets j run if its user and its pool are still below their limits on running jobs.
func (o *Order) decide(j *core.Job, user, pool *quota) {
	switch {
	case user.full():
		o.C.SetRunnable(j, false, user.reason())
	case pool.full():
		o.C.SetRunnable(j, false, pool.reason())
	default:
		user.running++
		pool.running++
		o.C.SetRunnable(j, true, model.Reason{})
	}
}

// UserOf returns the running jobs of j's user and the limit on them.
func (o *Order) UserOf(j *core.Job) *quota {
	u := o.ofUser[j.Spec.User]
	if u == nil {
		u = &quota{Max: model.NoLimit}
		if n := o.users[j.Spec.User]; n != 0 {
			u.Max = n
		} else if o.Alloc.UserMaxJobs != 0 {
			u.Max = o.Alloc.UserMaxJobs
		}
		o.ofUser[j.Spec.User] = u
	}
	return u
}
