package virtual

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// fluidJob is Project's record of a job: its remaining work (need) and the maximum slots that it
// can use (cap), both divided by its weight.
type fluidJob struct {
	v       *Job
	need    float64 // seconds
	cap     float64
	settled bool // finished, or runs all its tasks, so that its finish is known
}

// fluidEnd is the time when a job that runs all its tasks returns its slots.
type fluidEnd struct{ at, slots float64 }

// fluidPlan is the scratch memory of Project.
type fluidPlan struct {
	jobs          []fluidJob
	byNeed, byCap []*fluidJob
	ends          []fluidEnd // earliest last
}

// Project computes when each job will finish if no job is added or removed, as if tasks were
// divisible. All jobs that cannot run all their tasks have the same number of slots per weight, the
// level. Of these, the job with the smallest need finishes next. The level only rises. When it
// reaches a job's cap, the job runs all its tasks from then on and finishes at a known time. Each
// job is visited twice, so that the two sorts take most of the time.
func (c *Cluster) Project() { // step 4
	p := &c.plan
	weight := p.fill(c.jobs)
	byNeed, byCap := p.byNeed, p.byCap
	now, served, free := 0.0, 0.0, float64(c.slots)
	for free > 0 && weight > 1e-9 {
		for ; len(byCap) > 0 && (byCap[0].settled || byCap[0].cap*weight <= free+1e-9); byCap = byCap[1:] {
			if j := byCap[0]; !j.settled {
				slots := float64(j.v.Tasks)
				end := fluidEnd{now + (j.need-served)*j.v.Weight/slots, slots}
				later, _ := slices.BinarySearchFunc(p.ends, end.at, func(e fluidEnd, at float64) int { return cmp.Compare(at, e.at) })
				p.ends = slices.Insert(p.ends, later, end)
				c.finishes(j, end.at)
				weight -= j.v.Weight
				free -= slots
			}
		}
		for len(byNeed) > 0 && byNeed[0].settled {
			byNeed = byNeed[1:]
		}
		if len(byNeed) == 0 {
			return
		}
		j, level := byNeed[0], free/weight
		next := now + (j.need-served)/level
		if k := len(p.ends) - 1; k >= 0 && p.ends[k].at <= next {
			served += level * (p.ends[k].at - now)
			now, free, p.ends = p.ends[k].at, free+p.ends[k].slots, p.ends[:k]
			continue
		}
		now, served = next, j.need
		c.finishes(j, now)
		weight -= j.v.Weight
	}
}

// fill sets p.byNeed and p.byCap to the jobs sorted by need and by cap, and returns their weight.
func (p *fluidPlan) fill(jobs []*Job) (weight float64) {
	p.jobs = slices.Grow(p.jobs[:0], len(jobs))[:len(jobs)]
	p.byNeed, p.byCap, p.ends = p.byNeed[:0], p.byCap[:0], p.ends[:0]
	for i, v := range jobs {
		j := &p.jobs[i]
		*j = fluidJob{v: v, need: v.Left().Seconds() / v.Weight, cap: float64(v.Tasks) / v.Weight}
		p.byNeed, p.byCap = append(p.byNeed, j), append(p.byCap, j)
		weight += v.Weight
		v.Finish = math.MaxInt64
	}
	slices.SortFunc(p.byNeed, func(a, b *fluidJob) int { return cmp.Or(cmp.Compare(a.need, b.need), cmp.Compare(a.v.ID, b.v.ID)) })
	slices.SortFunc(p.byCap, func(a, b *fluidJob) int { return cmp.Or(cmp.Compare(a.cap, b.cap), cmp.Compare(a.v.ID, b.v.ID)) })
	return weight
}

// finishes records that a job finishes the given number of seconds after c.now.
func (c *Cluster) finishes(j *fluidJob, seconds float64) {
	j.settled, j.v.Finish = true, c.now+time.Duration(seconds*float64(time.Second))
}
