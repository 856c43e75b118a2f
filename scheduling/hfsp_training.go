package scheduling

import (
	"math"
	"slices"
	"time"
)

// estimator turns the durations of a sample into the sum of the durations of n tasks.
type estimator func(sample []time.Duration, n int) time.Duration

// meanOf is first-order statistics: n times the mean [HFSP §3.2.1].
func meanOf(sample []time.Duration, n int) time.Duration {
	var sum time.Duration
	for _, d := range sample {
		sum += d
	}
	return time.Duration(float64(sum) / float64(len(sample)) * float64(n))
}

// logNormalFit fits a log-normal distribution by least squares to the sample's quantiles and adds
// up the n quantiles of the fit. It allows for the long tail that the mean of a small sample mostly
// misses.
func logNormalFit(sample []time.Duration, n int) time.Duration {
	if len(sample) < 3 {
		return meanOf(sample, n)
	}
	s := slices.Clone(sample)
	slices.Sort(s)
	var sx, sy, sxx, sxy float64
	for i, d := range s {
		x, y := normalQuantile((float64(i)+0.5)/float64(len(s))), math.Log(math.Max(1, float64(d)))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	m := float64(len(s))
	slope := (m*sxy - sx*sy) / (m*sxx - sx*sx)
	base := (sy - slope*sx) / m
	sum := 0.0
	for i := range n {
		sum += math.Exp(base + slope*normalQuantile((float64(i)+0.5)/float64(n)))
	}
	return time.Duration(sum)
}

// normalQuantile is the inverse of the standard normal distribution.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// executed is how long an attempt has worked on its own input. Of a reduce that is the time in a
// slot since its function began to consume, as far as reports tell: not before the job's last map
// ended, nor before the last report that it had consumed nothing. Shuffle and sort do not count
// [HFSP §3.2.1].
func (o *hfsp) executed(a *attempt) time.Duration {
	d := a.worked(o.c.now)
	if a.id.Task.Kind == Map {
		return d
	}
	if a.job.w[Map].done < len(a.job.w[Map].tasks) {
		return 0
	}
	return min(d-a.shuffled, o.c.now-max(a.start, a.job.mapsDone))
}

// progressed learns from a running reduce: after Delta of execution its progress tells its length.
func (o *hfsp) progressed(a *attempt) {
	j, k := a.job, a.id.Task.Kind
	if k == Map || a.sampled {
		return
	}
	if a.reduced <= 0 {
		a.shuffled = a.worked(o.c.now)
		return
	}
	if !j.training(k) {
		return
	}
	if d := o.executed(a); d >= o.pol.Delta {
		a.sampled = true
		o.sample(j, k, time.Duration(float64(d)/a.reduced), d, false)
	}
}

// ended learns from a finished task.
func (o *hfsp) ended(a attempt) {
	j, k := a.job, a.id.Task.Kind
	d := o.executed(&a)
	o.sum[k] += d
	o.count[k]++
	if !a.sampled && j.training(k) {
		o.sample(j, k, d, d, true)
	}
}

// sample adds a task's length, of which worked is done. With enough of them the job gets its new
// size, less the work done in the sample.
func (o *hfsp) sample(j *job, k TaskKind, length, worked time.Duration, finished bool) {
	v := j.virtual[k]
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
	o.ageExactly(k)
	o.virtual[k].remove(v)
	v.resize(0, 0)
	if rest := n - v.through; rest > 0 {
		v.resize(rest, max(1, (size-v.worked)/time.Duration(rest)))
	}
	if v.tasks == 0 {
		v.finish = o.c.now
	}
	o.virtual[k].insert(v)
	o.drifted[k] = true
	o.place(j, k)
}
