package engine

import "time"

// lesson is what the order has learned from a live attempt.
type lesson struct {
	attempt  AttemptID
	shuffled time.Duration // worked so long at the last report that a reduce had consumed nothing
	sampled  bool          // its progress has told its length
}

// lesson finds, or begins, what was learned from the attempt at a place in the slab.
func (o *hfsp) lesson(ai int32, id AttemptID) *lesson {
	o.learned = reach(o.learned, ai)
	l := &o.learned[ai]
	if l.attempt != id {
		*l = lesson{attempt: id}
	}
	return l
}

// executed is how long an attempt has worked on its own input. Of a reduce that is the time in a
// slot since its function began to consume, as far as reports tell: not before the job's last map
// ended, nor before the last report that it had consumed nothing. Shuffle and sort do not count
// [HFSP §3.2.1].
func (o *hfsp) executed(a *attempt, l *lesson) time.Duration {
	d := a.worked(o.c.now)
	if a.id.Task.Kind == Map {
		return d
	}
	if a.job.w[Map].done < len(a.job.w[Map].tasks) {
		return 0
	}
	return min(d-l.shuffled, o.c.now-max(a.start, a.job.mapsDone))
}

// progressed learns from a running reduce: after Delta of execution its progress tells its length.
func (o *hfsp) progressed(ai int32) {
	a := &o.c.atts[ai]
	j, k := a.job, a.id.Task.Kind
	if k == Map {
		return
	}
	l := o.lesson(ai, a.id)
	switch {
	case l.sampled:
		return
	case a.reduced <= 0:
		l.shuffled = a.worked(o.c.now)
		return
	case !o.training(j, k):
		return
	}
	if d := o.executed(a, l); d >= o.pol.Delta {
		l.sampled = true
		o.sample(j, k, time.Duration(float64(d)/a.reduced), d, false) // 9
	}
}

// succeeded learns from a finished task.
func (o *hfsp) succeeded(ai int32, a attempt) {
	j, k, l := a.job, a.id.Task.Kind, o.lesson(ai, a.id)
	d := o.executed(&a, l)
	o.sum[k] += d
	o.count[k]++
	if !l.sampled && o.training(j, k) {
		o.sample(j, k, d, d, true)
	}
}

// sample adds a task's length, of which worked is done. With enough of them the job gets its new
// size, less the work done in the sample.
func (o *hfsp) sample(j *job, k TaskKind, length, worked time.Duration, finished bool) {
	v := o.sized(j, k)
	v.samples = append(v.samples, length)
	v.worked += worked
	if finished {
		v.through++
	}
	n := len(j.w[k].tasks)
	if len(v.samples) < min(o.pol.Sample, n) {
		return
	}
	v.estimate = true
	size := o.est(v.samples, n)
	o.age(k)
	o.virtual[k].Remove(&v.v)
	rest := n - v.through
	v.v.Resize(rest, max(1, (size-v.worked)/time.Duration(max(1, rest)))) // 10
	if rest == 0 {
		v.v.Finish = o.c.now
	}
	o.virtual[k].Insert(&v.v)
	o.drifted[k] = true
	o.reposition(j, k)
}
