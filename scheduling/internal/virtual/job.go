package virtual

import (
	"math"
	"slices"
	"time"
)

// Job is a job in the cluster: its tasks, each with the work it has left. The first slots of them
// run.
type Job struct {
	ID     int64         // breaks ties
	Size   int           // tasks in all: jobs with fewer get their slots first
	Weight float64       // of its share
	Finish time.Duration // when it finished, or will, as of the last projection
	runs   []run         // tasks in order, equal neighbors together
	tasks  int           // not finished
	slots  int
	in     bool // is in the cluster: has work left
}

// Tasks is the number of tasks not finished.
func (v *Job) Tasks() int { return v.tasks }

// Slots is how many of the cluster's slots the job holds.
func (v *Job) Slots() int { return v.slots }

// run is a number of tasks in a row with the same work left.
type run struct {
	n    int
	left time.Duration
}

// Left is the serialized work left.
func (v *Job) Left() (sum time.Duration) {
	for _, r := range v.runs {
		sum += time.Duration(r.n) * r.left // 2
	}
	return sum
}

// Resize gives the job n tasks of the same length.
func (v *Job) Resize(n int, each time.Duration) {
	v.runs = v.runs[:0]
	v.tasks = 0
	if n > 0 && each > 0 {
		v.runs = append(v.runs, run{n, each})
		v.tasks = n
	}
}

// nearest is the time until the first running task finishes; without slots none ever does.
func (v *Job) nearest() time.Duration {
	best, slots := time.Duration(math.MaxInt64), v.slots
	for i := 0; i < len(v.runs) && slots > 0; i++ {
		best = min(best, v.runs[i].left)
		slots -= v.runs[i].n
	}
	return best
}

// steady is a time for which the job can go on, if not longer, before it has fewer tasks than
// slots, by which others may get slots: whole waves of equal tasks, else until one finishes.
func (v *Job) steady() time.Duration {
	if len(v.runs) == 1 && v.slots > 0 {
		return time.Duration(max(1, v.tasks/v.slots)) * v.runs[0].left
	}
	return v.nearest()
}

// work lets the running tasks go on for d, others taking the places of those that finish.
func (v *Job) work(d time.Duration) {
	for d > 0 && v.tasks > 0 && v.slots > 0 {
		step := min(d, v.nearest())
		v.progress(step)
		d -= step
	}
}

// progress takes step off the first slots tasks; none has less left. It splits the run at the last
// of them and drops those that finish.
func (v *Job) progress(step time.Duration) {
	slots := v.slots
	for i := 0; i < len(v.runs) && slots > 0; i++ {
		if n := v.runs[i].n; n > slots {
			v.runs = slices.Insert(v.runs, i+1, run{n - slots, v.runs[i].left})
			v.runs[i].n = slots
		}
		slots -= v.runs[i].n
		v.runs[i].left -= step
	}
	kept := v.runs[:0]
	for _, r := range v.runs {
		switch k := len(kept) - 1; {
		case r.left == 0:
			v.tasks -= r.n
		case k >= 0 && kept[k].left == r.left:
			kept[k].n += r.n
		default:
			kept = append(kept, r)
		}
	}
	v.runs = kept
}
