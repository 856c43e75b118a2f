package hfsp

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// trainingSample is what has been measured of a live attempt, to estimate the size of its job.
type trainingSample struct {
	Attempt  model.AttemptID
	Shuffled time.Duration // of a reduce: time worked before its function got its first input
	Sampled  bool          // its duration has been estimated from its progress
}

// trainingSample returns the record of attempt id, which has index ai in Core.Attempts. It creates
// the record if necessary.
func (o *Order) trainingSample(ai int32, id model.AttemptID) *trainingSample {
	o.Learned = core.Reach(o.Learned, ai)
	record := &o.Learned[ai]
	if record.Attempt != id {
		*record = trainingSample{Attempt: id}
	}
	return record
}

// executed returns how long an attempt has run its map or reduce function. For a reduce, shuffle
// and sort do not count [HFSP §3.2.1]. Its time begins when the job's last map has ended, and after
// the last report in which the function had got no input. Time in which the attempt was suspended
// does not count.
func (o *Order) executed(a *core.Attempt, record *trainingSample) time.Duration {
	d := a.Worked(o.C.Now)
	if a.ID.Task.Kind == model.Map {
		return d
	}
	if a.Job.Work[model.Map].Done < len(a.Job.Work[model.Map].Tasks) {
		return 0
	}
	return min(d-record.Shuffled, o.C.Now-max(a.Start, a.Job.MapsDone))
}

// Progressed estimates the duration of a running reduce from its progress, once its function has
// run for Delta, and adds it to the sample of its job.
func (o *Order) Progressed(ai int32) {
	a := &o.C.Attempts[ai]
	j, k, record := a.Job, a.ID.Task.Kind, o.trainingSample(ai, a.ID)
	switch {
	case k == model.Map || record.Sampled:
		return
	case a.Reduced <= 0:
		record.Shuffled = a.Worked(o.C.Now)
		return
	case !o.Training(j, k):
		return
	}
	if d := o.executed(a, record); d >= o.Pol.Delta {
		record.Sampled = true
		o.sample(j, k, time.Duration(float64(d)/a.Reduced), d, false) // step 9
	}
}

// Succeeded adds the duration of a finished task to the sample of its job and to the overall mean.
func (o *Order) Succeeded(ai int32, a core.Attempt) {
	j, k, record := a.Job, a.ID.Task.Kind, o.trainingSample(ai, a.ID)
	d := o.executed(&a, record)
	o.Sum[k] += d
	o.Count[k]++
	if !record.Sampled && o.Training(j, k) {
		o.sample(j, k, d, d, true)
	}
}

// sample adds the duration of a training task, measured or estimated, and the time that the task
// has worked. After the last training task the job gets its estimated size, minus the work done.
func (o *Order) sample(j *core.Job, k model.TaskKind, length, worked time.Duration, finished bool) {
	v := o.Sized(j, k)
	v.Samples = append(v.Samples, length)
	v.Worked += worked
	if finished {
		v.SampledDone++
	}
	n := len(j.Work[k].Tasks)
	if len(v.Samples) < min(o.Pol.Sample, n) {
		return
	}
	v.Estimate = true
	size := o.est(v.Samples, n)
	o.age(k)
	o.Virtual[k].Remove(&v.V)
	rest := n - v.SampledDone
	v.V.Resize(rest, max(1, (size-v.Worked)/time.Duration(max(1, rest)))) // step 10
	if rest == 0 {
		v.V.Finish = o.C.Now
	}
	o.Virtual[k].Insert(&v.V)
	o.Drifted[k] = true
	o.reposition(j, k)
}
