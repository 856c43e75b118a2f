package actors

import (
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// blame finds out whose fault the error of an attempt is. What a disk did to a spill is
// not the job's, a few times for each task: maps whose output is damaged run again, and so
// does the attempt. A disk that damages all the time ends the job in the end.
func (a *attempt) blame(r *report, err error) {
	if errors.Is(err, errInjected) {
		r.status.Blameless = true
	}
	if !errors.Is(err, cluster.ErrDamagedSpill) {
		return
	}
	var d *cluster.DamagedOutputError
	if errors.As(err, &d) && a.fetcher != nil {
		for _, m := range d.Maps {
			r.status.Lost = append(r.status.Lost, scheduling.LostOutput{Map: int32(m), Try: a.fetcher.tries[m]})
		}
	}
	r.status.Blameless = a.run.forgives(a.id.Task)
	a.env.cfg.Logger.Warn("a spill is damaged", "attempt", a.id, "err", err)
}

// forgives counts the attempts of a task that a damaged spill ended and says whether the
// last one is still not to be held against the task.
func (r *run) forgives(t scheduling.TaskID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.damaged == nil {
		r.damaged = map[scheduling.TaskID]int{}
	}
	r.damaged[t]++
	return r.damaged[t] <= r.env.cfg.MaxAttempts
}
