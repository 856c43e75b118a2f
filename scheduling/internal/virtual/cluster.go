// Package virtual is the imagined cluster of the Hadoop Fair Sojourn Protocol, in which all jobs
// share the slots at once, and the estimators of job sizes [HFSP §3]. It knows durations and
// numbers only; which job they belong to is the affair of the caller.
package virtual

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Exact is up to how many jobs the cluster works task by task. With more, tasks count as divisible
// in projections, and time goes on in larger steps: that changes the order little, and the cost
// from the square of the number of jobs to n log n.
const Exact = 64

// Patience is how long a new estimate of a size may wait to be heeded, so that many that come
// together cost one projection.
const Patience = 500 * time.Millisecond

// Cluster runs jobs under processor sharing: max-min fair shares of whole slots, what does not
// divide going to the jobs with the fewest tasks first [HFSP §3.1]. The real cluster's progress
// does not move it. Numbers in comments are the steps of HFSP in docs/papers.md.
type Cluster struct {
	now   time.Duration
	slots int
	jobs  []*Job // with work left, fewest tasks first
	stale bool   // slots must be divided anew

	copies []Job     // for projections
	plan   fluidPlan // likewise
}

// New makes a cluster without jobs.
func New(now time.Duration, slots int) *Cluster { return &Cluster{now: now, slots: slots} }

// Len is the number of jobs with work left.
func (c *Cluster) Len() int { return len(c.jobs) }

// Resize sets the number of slots and tells whether that is another.
func (c *Cluster) Resize(slots int) bool {
	if c.slots == slots {
		return false
	}
	c.slots, c.stale = slots, true
	return true
}

// Guess is about when a new job among many will finish: with an equal part of the slots from a time
// on. Among few, and with nothing to do, it is never: the next projection tells.
func (c *Cluster) Guess(v *Job, from time.Duration) time.Duration {
	n := len(c.jobs)
	if n <= Exact || c.slots == 0 || v.tasks == 0 {
		return math.MaxInt64
	}
	part := min(float64(v.tasks), float64(c.slots)*v.Weight/float64(n))
	return from + time.Duration(float64(v.Left())/part)
}

// Insert puts a job in, or back in.
func (c *Cluster) Insert(v *Job) {
	if v.in || v.tasks == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(c.jobs, v, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.ID, b.ID))
	})
	c.jobs = slices.Insert(c.jobs, i, v)
	v.in, c.stale = true, true
}

// Remove takes a job out.
func (c *Cluster) Remove(v *Job) {
	if i := slices.Index(c.jobs, v); i >= 0 {
		c.jobs = slices.Delete(c.jobs, i, i+1)
	}
	v.in, v.slots, c.stale = false, 0, true
}

// divide gives out the slots: rounds of equal parts (by weight), in which those that want no more
// than their part get what they want, until none is satisfied; then whole slots to all, and what is
// left one each in the order of the jobs.
func (c *Cluster) divide() {
	c.stale = false
	free, weight := c.slots, 0.0
	for _, v := range c.jobs {
		v.slots = -1
		weight += v.Weight
	}
	for again := true; again; {
		again = false
		part := float64(free) / weight
		for _, v := range c.jobs {
			if v.slots < 0 && float64(v.tasks) <= part*v.Weight+1e-9 {
				v.slots = v.tasks
				free -= v.tasks
				weight -= v.Weight
				again = true
			}
		}
	}
	part, rest := float64(free)/weight, free
	for _, v := range c.jobs {
		if v.slots < 0 {
			v.slots = -1 - int(part*v.Weight+1e-9)
			rest -= -1 - v.slots
		}
	}
	for _, v := range c.jobs {
		if v.slots < 0 {
			v.slots = -1 - v.slots
			if rest > 0 {
				v.slots++ // 3
				rest--
			}
		}
	}
}

// step is how long the cluster can go on without dividing its slots anew: until a job has fewer
// tasks than slots. With many jobs that is often, and matters little; then it is a few times
// between two projections.
func (c *Cluster) step(until time.Duration) time.Duration {
	step := until - c.now
	if n := len(c.jobs); n > Exact {
		return min(step, Patience*time.Duration(n)/(4*Exact))
	}
	for _, v := range c.jobs {
		step = min(step, v.steady())
	}
	return step
}

// Run goes on until the given time, or until all is done, whichever is first.
func (c *Cluster) Run(until time.Duration) {
	for len(c.jobs) > 0 && c.now < until {
		if c.stale {
			c.divide()
		}
		step := c.step(until)
		c.now += step
		kept := c.jobs[:0]
		for _, v := range c.jobs {
			idle := v.work(step) // 1
			if v.tasks < v.slots {
				c.stale = true
			}
			if v.tasks == 0 {
				v.in, v.slots, v.Finish = false, 0, c.now-idle
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

// Seen is how v stands at a later time if nothing else happens; the cluster stays as it is.
func (c *Cluster) Seen(v *Job, at time.Duration) Job {
	later := Cluster{now: c.now, slots: c.slots, stale: c.stale}
	result := new(Job)
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
	later.Run(at)
	return *result
}

// Project works out when each job will finish if nothing else happens. Scratch lends its memory.
func (c *Cluster) Project(scratch *Cluster) {
	if c.stale {
		c.divide()
	}
	if len(c.jobs) > Exact {
		c.fluid()
		return
	}
	if len(scratch.copies) == 0 {
		scratch.copies = make([]Job, Exact)
	}
	copies := scratch.copies
	scratch.now, scratch.slots, scratch.stale, scratch.jobs = c.now, c.slots, false, scratch.jobs[:0]
	for i, v := range c.jobs {
		runs := append(copies[i].runs[:0], v.runs...)
		copies[i] = *v
		copies[i].runs, copies[i].Finish = runs, math.MaxInt64
		scratch.jobs = append(scratch.jobs, &copies[i])
	}
	scratch.Run(math.MaxInt64)
	for i, v := range c.jobs {
		v.Finish = copies[i].Finish // 4
	}
}
