// Package virtual implements the virtual cluster of the Hadoop Fair Sojourn Protocol, in which all
// jobs share the slots at the same time, and the estimators of job sizes [HFSP §3]. It knows only
// durations and numbers; the caller maps them to jobs.
package virtual

import (
	"cmp"
	"slices"
	"time"
)

// Cluster runs jobs under processor sharing: max-min fair shares of whole slots; the remainder goes
// to the jobs with the fewest tasks first [HFSP §3.1]. The progress of the real cluster does not
// affect it. Numbers in comments are the steps of HFSP in docs/papers.md.
type Cluster struct {
	now   time.Duration
	slots int
	jobs  []*Job // with remaining work, fewest tasks first
	unmet []*Job // scratch memory of divide: jobs with fewer slots than tasks
	stale bool   // the slots must be divided
	plan  fluidPlan
}

// New returns a cluster without jobs.
func New(now time.Duration, slots int) *Cluster { return &Cluster{now: now, slots: slots} }

// Resize sets the number of slots from `now` on and reports whether the number has changed.
func (c *Cluster) Resize(now time.Duration, slots int) bool {
	if c.slots == slots {
		return false
	}
	c.Run(now)
	c.slots, c.stale = slots, true
	return true
}

// Insert adds a job that has tasks; it does nothing if the job is there already.
func (c *Cluster) Insert(v *Job) {
	if v.isIn || v.Tasks == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(c.jobs, v, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.ID, b.ID))
	})
	c.jobs = slices.Insert(c.jobs, i, v)
	v.isIn, c.stale = true, true
}

// Remove removes a job; at the next Run, the other jobs get its slots.
func (c *Cluster) Remove(v *Job) {
	if i := slices.Index(c.jobs, v); i >= 0 {
		c.jobs = slices.Delete(c.jobs, i, i+1)
	}
	v.isIn, v.Slots, c.stale = false, 0, true
}

// divide sets each job's Slots. In rounds of equal shares (by weight), jobs that need no more than
// their share get what they need, until no such job remains. The others get their share rounded
// down. Slots that are still free go to these jobs one by one, in their order.
func (c *Cluster) divide() {
	c.stale = false
	free, weight, part := c.slots, 0.0, 0.0
	c.unmet = append(c.unmet[:0], c.jobs...)
	for _, v := range c.jobs {
		weight += v.Weight
	}
	for before := -1; before != len(c.unmet); {
		before, part = len(c.unmet), float64(free)/weight
		c.unmet = slices.DeleteFunc(c.unmet, func(v *Job) bool {
			if float64(v.Tasks) > part*v.Weight+1e-9 {
				return false
			}
			v.Slots = v.Tasks
			free -= v.Tasks
			weight -= v.Weight
			return true
		})
	}
	for _, v := range c.unmet {
		v.Slots = int(part*v.Weight + 1e-9)
		free -= v.Slots
	}
	for _, v := range c.unmet[:max(0, min(free, len(c.unmet)))] {
		v.Slots++ // step 3
	}
}

// Run advances the cluster to the given time. Getting there in several calls instead of one changes
// neither later results nor a projected finish.
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
			v.work(step) // step 1
			c.stale = c.stale || v.Tasks < v.Slots
			if v.Tasks == 0 {
				v.isIn, v.Slots = false, 0
			}
			return v.Tasks == 0
		})
	}
	c.now = max(c.now, until)
	if c.stale {
		c.divide()
	}
}
