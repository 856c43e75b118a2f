package virtual

import (
	"math"
	"slices"
	"time"
)

// Job is a job in the cluster: its tasks, each with its remaining work. The first Slots tasks
// run.
type Job struct {
	ID     int64         // breaks ties
	Size   int           // number of all tasks: jobs with fewer get their slots first
	Weight float64       // of its share
	Finish time.Duration // when it finished, or will finish as of the last projection
	Tasks  int           // unfinished tasks; only this package changes it
	Slots  int           // that the job holds; only this package changes it
	runs   []run         // unfinished tasks in order; neighbors with equal remaining work are merged
	isIn   bool          // in the cluster: has remaining work
}

// run is a number of consecutive tasks with the same remaining work.
type run struct {
	n         int
	remaining time.Duration
}

// Left returns the sum of the remaining work of all tasks.
func (v *Job) Left() (sum time.Duration) {
	for _, r := range v.runs {
		sum += time.Duration(r.n) * r.remaining // step 2
	}
	return sum
}

// Resize gives the job n tasks of equal length.
func (v *Job) Resize(n int, each time.Duration) {
	v.runs = v.runs[:0]
	v.Tasks = 0
	if n > 0 && each > 0 {
		v.runs = append(v.runs, run{n, each})
		v.Tasks = n
	}
}

// nearest returns the time until the first running task finishes; the maximum duration if the job
// has no slots.
func (v *Job) nearest() time.Duration {
	best, slots := time.Duration(math.MaxInt64), v.Slots
	for i := 0; i < len(v.runs) && slots > 0; i++ {
		best = min(best, v.runs[i].remaining)
		slots -= v.runs[i].n
	}
	return best
}

// steady returns a time during which the job keeps at least as many tasks as slots, so that no
// other job can get slots: whole waves of equal tasks, or the time until one finishes.
func (v *Job) steady() time.Duration {
	if len(v.runs) == 1 && v.Slots > 0 {
		return time.Duration(max(1, v.Tasks/v.Slots)) * v.runs[0].remaining
	}
	return v.nearest()
}

// work runs the tasks for d; waiting tasks replace those that finish.
func (v *Job) work(d time.Duration) {
	for d > 0 && v.Tasks > 0 && v.Slots > 0 {
		step := min(d, v.nearest())
		v.progress(step)
		d -= step
	}
}

// progress subtracts step from the remaining work of the first Slots tasks, which have at least
// that much, and removes finished tasks. A run has tasks with equal remaining work; if only some of
// them have slots, it is split.
func (v *Job) progress(step time.Duration) {
	slots := v.Slots
	for i := 0; i < len(v.runs) && slots > 0; i++ {
		if n := v.runs[i].n; n > slots {
			v.runs = slices.Insert(v.runs, i+1, run{n - slots, v.runs[i].remaining})
			v.runs[i].n = slots
		}
		slots -= v.runs[i].n
		v.runs[i].remaining -= step
	}
	runs := v.runs[:0]
	for _, r := range v.runs {
		switch k := len(runs) - 1; {
		case r.remaining == 0:
			v.Tasks -= r.n
		case k >= 0 && runs[k].remaining == r.remaining:
			runs[k].n += r.n
		default:
			runs = append(runs, r)
		}
	}
	v.runs = runs
}
