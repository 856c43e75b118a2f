package scheduling

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// virtualJob is a job in the virtual cluster: its tasks, each with the work it has left. The first
// slots of them run.
type virtualJob struct {
	id       JobID
	size     int          // tasks in all: those with fewer get their slots first
	weight   float64      // of its share
	runs     []virtualRun // tasks in order, equal neighbors together
	tasks    int          // not finished
	slots    int
	finish   time.Duration // when it finished, or will
	in       bool          // is in the cluster: has work left
	estimate bool          // its size is more than the initial guess
	samples  []time.Duration
	worked   time.Duration // work done by the sample's tasks
	through  int           // of them that have finished
	before   int           // tasks done under a former policy, of which nothing was learnt
	at       int           // in hfsp.all
	needy    spot
	holds    spot
}

// virtualRun is a number of tasks in a row with the same work left.
type virtualRun struct {
	n    int
	left time.Duration
}

// left is the serialized work left.
func (v *virtualJob) left() (sum time.Duration) {
	for _, r := range v.runs {
		sum += time.Duration(r.n) * r.left
	}
	return sum
}

// resize gives the job n tasks of the same length.
func (v *virtualJob) resize(n int, each time.Duration) {
	v.runs = v.runs[:0]
	v.tasks = 0
	if n > 0 && each > 0 {
		v.runs = append(v.runs, virtualRun{n, each})
		v.tasks = n
	}
}

// nearest is the time until the first running task finishes; the job has slots.
func (v *virtualJob) nearest() time.Duration {
	best, slots := time.Duration(math.MaxInt64), v.slots
	for _, r := range v.runs {
		if slots <= 0 {
			break
		}
		best = min(best, r.left)
		slots -= r.n
	}
	return best
}

// steady is a time for which the job can go on, if not longer, before it has fewer tasks than
// slots, by which others may get slots.
func (v *virtualJob) steady() time.Duration {
	if v.slots == 0 {
		return math.MaxInt64
	}
	if len(v.runs) == 1 { // whole waves; the last one ends, or leaves fewer tasks than slots
		r := v.runs[0]
		waves := max(1, r.n/v.slots)
		return time.Duration(waves) * r.left
	}
	running, waiting, slots := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64), v.slots
	for _, r := range v.runs {
		if slots > 0 {
			running = min(running, r.left)
		}
		if slots -= r.n; slots < 0 {
			waiting, slots = min(waiting, r.left), 0
		}
	}
	if waves := v.tasks/v.slots - 1; waves > 0 { // one takes running, those after it at least waiting each
		return running + time.Duration(min(waves, 1000))*waiting
	}
	return running
}

// work lets the running tasks go on for d, others taking the places of those that finish. It
// returns for how long of it there was nothing to do.
func (v *virtualJob) work(d time.Duration) time.Duration {
	for d > 0 && v.tasks > 0 && v.slots > 0 {
		if len(v.runs) == 1 && v.runs[0].n > v.slots { // whole waves at once
			r := &v.runs[0]
			if waves := min(int(d/r.left), r.n/v.slots); waves > 0 {
				r.n -= waves * v.slots
				v.tasks -= waves * v.slots
				d -= time.Duration(waves) * r.left
				if r.n == 0 {
					v.runs = v.runs[:0]
				}
				continue
			}
		}
		step := min(d, v.nearest())
		v.progress(step)
		d -= step
	}
	return d
}

// progress takes step off the first slots tasks; none has less left. It splits the run at the last
// of them and drops those that finish.
func (v *virtualJob) progress(step time.Duration) {
	slots := v.slots
	for i := 0; i < len(v.runs) && slots > 0; i++ {
		r := &v.runs[i]
		if r.n > slots {
			v.runs = slices.Insert(v.runs, i+1, virtualRun{r.n - slots, r.left})
			r = &v.runs[i]
			r.n = slots
		}
		slots -= r.n
		r.left -= step
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

// virtualCluster runs jobs under processor sharing: max-min fair shares of whole slots, what does
// not divide going to the jobs with the fewest tasks first [HFSP §3.1]. The real cluster's progress
// does not move it.
type virtualCluster struct {
	now   time.Duration
	slots int
	jobs  []*virtualJob // with work left, fewest tasks first
	stale bool          // slots must be divided anew

	copies []virtualJob // for projections
	plan   fluidPlan    // likewise
}

// insert puts a job in, or back in.
func (c *virtualCluster) insert(v *virtualJob) {
	if v.in || v.tasks == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(c.jobs, v, func(a, b *virtualJob) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.id, b.id))
	})
	c.jobs = slices.Insert(c.jobs, i, v)
	v.in, c.stale = true, true
}

// remove takes a job out.
func (c *virtualCluster) remove(v *virtualJob) {
	if i := slices.Index(c.jobs, v); i >= 0 {
		c.jobs = slices.Delete(c.jobs, i, i+1)
	}
	v.in, v.slots, c.stale = false, 0, true
}

// divide gives out the slots: rounds of equal parts (by weight), in which those that want no more
// than their part get what they want, until none is satisfied; then whole slots to all, and what is
// left one each in the order of the jobs.
func (c *virtualCluster) divide() {
	c.stale = false
	free, weight := c.slots, 0.0
	for _, v := range c.jobs {
		v.slots = -1
		weight += v.weight
	}
	for again := true; again; {
		again = false
		part := float64(free) / weight
		for _, v := range c.jobs {
			if v.slots < 0 && float64(v.tasks) <= part*v.weight+1e-9 {
				v.slots = v.tasks
				free -= v.tasks
				weight -= v.weight
				again = true
			}
		}
	}
	part, rest := float64(free)/weight, free
	for _, v := range c.jobs {
		if v.slots < 0 {
			v.slots = -1 - int(part*v.weight+1e-9)
			rest -= -1 - v.slots
		}
	}
	for _, v := range c.jobs {
		if v.slots < 0 {
			v.slots = -1 - v.slots
			if rest > 0 {
				v.slots++
				rest--
			}
		}
	}
}

// step is how long the cluster can go on without dividing its slots anew: until a job has fewer
// tasks than slots. With many jobs that is often, and matters little; then it is a few times
// between two projections.
func (c *virtualCluster) step(until time.Duration) time.Duration {
	step := until - c.now
	if n := len(c.jobs); n > exactJobs {
		return min(step, patience*time.Duration(n)/(4*exactJobs))
	}
	for _, v := range c.jobs {
		step = min(step, v.steady())
	}
	return step
}

// run goes on until the given time, or until all is done, whichever is first.
func (c *virtualCluster) run(until time.Duration) {
	for len(c.jobs) > 0 && c.now < until {
		if c.stale {
			c.divide()
		}
		step := c.step(until)
		c.now += step
		kept := c.jobs[:0]
		for _, v := range c.jobs {
			idle := v.work(step)
			if v.tasks < v.slots {
				c.stale = true
			}
			if v.tasks == 0 {
				v.in, v.slots, v.finish = false, 0, c.now-idle
				continue
			}
			kept = append(kept, v)
		}
		clear(c.jobs[len(kept):])
		c.jobs = kept
		if c.slots == 0 {
			break
		}
	}
	c.now = max(c.now, until)
	if c.now == math.MaxInt64 {
		return
	}
	if c.stale {
		c.divide()
	}
}

// seen is how v stands at a later time if nothing else happens; the cluster stays as it is.
func (c *virtualCluster) seen(v *virtualJob, at time.Duration) virtualJob {
	later := virtualCluster{now: c.now, slots: c.slots, stale: c.stale}
	result := new(virtualJob)
	*result = *v
	for _, w := range c.jobs {
		copied := *w
		copied.runs = slices.Clone(w.runs)
		if w == v {
			*result = copied
			later.jobs = append(later.jobs, result)
			continue
		}
		later.jobs = append(later.jobs, &copied)
	}
	later.run(at)
	return *result
}

// project works out when each job will finish if nothing else happens.
func (c *virtualCluster) project(scratch *virtualCluster) {
	if c.stale {
		c.divide()
	}
	if len(c.jobs) > exactJobs {
		c.fluid()
		return
	}
	if len(scratch.copies) == 0 {
		scratch.copies = make([]virtualJob, exactJobs)
	}
	copies := scratch.copies
	scratch.now, scratch.slots, scratch.stale, scratch.jobs = c.now, c.slots, false, scratch.jobs[:0]
	for i, v := range c.jobs {
		runs := append(copies[i].runs[:0], v.runs...)
		copies[i] = *v
		copies[i].runs, copies[i].finish = runs, math.MaxInt64
		scratch.jobs = append(scratch.jobs, &copies[i])
	}
	scratch.run(math.MaxInt64)
	for i, v := range c.jobs {
		v.finish = copies[i].finish
	}
}
