// Package virtual is the imagined cluster of the Hadoop Fair Sojourn Protocol, in which all jobs
// share the slots at once, and the estimators of job sizes [HFSP §3]. It knows durations and
// numbers only; which job they belong to is the affair of the caller.
package virtual

import (
	"cmp"
	"slices"
	"time"
)

// Cluster runs jobs under processor sharing: max-min fair shares of whole slots, what does not
// divide going to the jobs with the fewest tasks first [HFSP §3.1]. The real cluster's progress
// does not move it. Numbers in comments are the steps of HFSP in docs/papers.md.
type Cluster struct {
	now   time.Duration
	slots int
	jobs  []*Job // with work left, fewest tasks first
	stale bool   // slots must be divided anew
	plan  fluidPlan
}

// New makes a cluster without jobs.
func New(now time.Duration, slots int) *Cluster { return &Cluster{now: now, slots: slots} }

// Resize sets the number of slots from a time on and reports whether that is another.
func (c *Cluster) Resize(now time.Duration, slots int) bool {
	if c.slots == slots {
		return false
	}
	c.Run(now)
	c.slots, c.stale = slots, true
	return true
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

// divide gives out the slots: rounds of equal parts (by weight), in which jobs that want no more
// than their part get what they want, until none is satisfied; then whole slots to the others, and
// what is left one each in the order of the jobs.
func (c *Cluster) divide() {
	c.stale = false
	free, weight := c.slots, 0.0
	for _, v := range c.jobs {
		v.slots = -1 // not satisfied
		weight += v.Weight
	}
	part := 0.0
	for again := true; again; {
		again, part = false, float64(free)/weight
		for _, v := range c.jobs {
			if v.slots < 0 && float64(v.tasks) <= part*v.Weight+1e-9 {
				v.slots, again = v.tasks, true
				free -= v.tasks
				weight -= v.Weight
			}
		}
	}
	whole := func(v *Job) int { return int(part*v.Weight + 1e-9) }
	for _, v := range c.jobs {
		if v.slots < 0 {
			free -= whole(v)
		}
	}
	for _, v := range c.jobs {
		if v.slots < 0 {
			v.slots = whole(v)
			if free > 0 {
				v.slots++ // 3
				free--
			}
		}
	}
}

// Run goes on until the given time. It may be called at any time without changing what a later call
// comes to, or any projected finish.
func (c *Cluster) Run(until time.Duration) {
	for len(c.jobs) > 0 && c.now < until {
		if c.stale {
			c.divide()
		}
		step := until - c.now
		for _, v := range c.jobs {
			step = min(step, v.steady())
		}
		c.now += step
		c.jobs = slices.DeleteFunc(c.jobs, func(v *Job) bool {
			v.work(step) // 1
			c.stale = c.stale || v.tasks < v.slots
			if v.tasks == 0 {
				v.in, v.slots = false, 0
			}
			return v.tasks == 0
		})
	}
	c.now = max(c.now, until)
	if c.stale {
		c.divide()
	}
}
