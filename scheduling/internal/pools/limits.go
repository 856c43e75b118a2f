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
//
// A new job that comes last in that order is decided alone. All jobs are decided after another
// arrival, a change of priority or pool, and the end of a job while jobs are held back.
func (o *Order) Settle() {
	o.Age()
	for _, j := range o.arrived {
		if o.Limits && !j.State.Ended() {
			o.unsettled = o.unsettled || j.Spec.Priority < o.lowestPriority
			if !o.unsettled {
				o.decide(j)
			}
		}
	}
	o.arrived = nil
	if !o.Limits || !o.unsettled {
		return
	}
	o.unsettled, o.lowestPriority = false, model.VeryHigh
	for _, p := range o.Sorted {
		p.admitted.running = 0
	}
	for _, u := range o.ofUser {
		u.running = 0
	}
	for p := model.VeryHigh; p <= model.VeryLow; p++ {
		for _, j := range o.C.Active {
			if j.Spec.Priority == p {
				o.decide(j)
			}
		}
	}
}

// decide lets j run if its pool and its user are still below their limits on running jobs.
func (o *Order) decide(j *core.Job) {
	state := o.of.Of(j)
	if state.user == nil {
		state.user = o.UserOf(j)
	}
	o.lowestPriority = max(o.lowestPriority, j.Spec.Priority)
	state.admitted = false
	switch {
	case state.user.full():
		o.C.SetRunnable(j, false, state.user.reason())
	case state.pool.admitted.full():
		o.C.SetRunnable(j, false, state.pool.admitted.reason())
	default:
		state.admitted = true
		state.user.running++
		state.pool.admitted.running++
		o.C.SetRunnable(j, true, model.Reason{})
	}
}

// dismiss subtracts a job that leaves its pool from the running jobs of its pool and user.
func (o *Order) dismiss(j *core.Job) {
	if of := o.of.Of(j); of.admitted {
		of.admitted = false
		of.user.running--
		of.pool.admitted.running--
	}
	o.unsettled = o.unsettled || o.C.Held > 0 // another job may run instead
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
