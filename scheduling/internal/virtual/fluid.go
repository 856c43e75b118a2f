package virtual

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// fluidJob is a job in the fluid projection: per unit of weight the work it has left and the most
// slots it can use.
type fluidJob struct {
	v       *Job
	need    float64 // seconds
	cap     float64
	settled bool // finished, or runs all its tasks, so that its finish is known
}

// fluidEnd is when a job that runs all its tasks gives its slots back.
type fluidEnd struct {
	at    float64
	slots float64
}

// fluidPlan is what a fluid projection needs, kept for the next.
type fluidPlan struct {
	jobs          []fluidJob
	byNeed, byCap []*fluidJob
	ends          []fluidEnd
}

// fluid projects the finishes of divisible jobs. All jobs that cannot run all their tasks share one
// level L of slots per weight, so one running total X of what each has been served per weight tells
// which finishes next; L only rises, and a job whose cap it passes runs all its tasks from then on
// and finishes at a known time. Each job is so met twice.
func (c *Cluster) fluid() {
	p := &c.plan
	p.jobs = slices.Grow(p.jobs[:0], len(c.jobs))[:len(c.jobs)]
	byNeed, byCap := p.byNeed[:0], p.byCap[:0]
	weight := 0.0
	for i, v := range c.jobs {
		p.jobs[i] = fluidJob{v: v, need: v.Left().Seconds() / v.Weight, cap: float64(v.tasks) / v.Weight}
		byNeed, byCap = append(byNeed, &p.jobs[i]), append(byCap, &p.jobs[i])
		weight += v.Weight
		v.Finish = math.MaxInt64
	}
	p.byNeed, p.byCap = byNeed, byCap
	slices.SortFunc(byNeed, func(a, b *fluidJob) int { return cmp.Or(cmp.Compare(a.need, b.need), cmp.Compare(a.v.ID, b.v.ID)) })
	slices.SortFunc(byCap, func(a, b *fluidJob) int { return cmp.Or(cmp.Compare(a.cap, b.cap), cmp.Compare(a.v.ID, b.v.ID)) })
	t, x, free := 0.0, 0.0, float64(c.slots)
	ends := p.ends[:0] // a heap, earliest first
	defer func() { p.ends = ends[:0] }()
	for free > 0 && weight > 1e-9 {
		for len(byCap) > 0 && (byCap[0].settled || byCap[0].cap*weight <= free+1e-9) {
			if j := byCap[0]; !j.settled {
				j.settled = true
				slots := float64(j.v.tasks)
				end := t + (j.need-x)*j.v.Weight/slots
				j.v.Finish = c.after(end)
				ends = pushEnd(ends, fluidEnd{end, slots})
				weight -= j.v.Weight
				free -= slots
			}
			byCap = byCap[1:]
		}
		for len(byNeed) > 0 && byNeed[0].settled {
			byNeed = byNeed[1:]
		}
		if len(byNeed) == 0 {
			return
		}
		level := free / weight
		next := t + (byNeed[0].need-x)/level
		if len(ends) > 0 && ends[0].at < next {
			next = ends[0].at
		}
		x += level * (next - t)
		t = next
		if len(ends) > 0 && ends[0].at <= t {
			free += ends[0].slots
			ends = popEnd(ends)
			continue
		}
		j := byNeed[0]
		j.settled = true
		j.v.Finish = c.after(t)
		weight -= j.v.Weight
	}
}

// after is the time so many seconds from now.
func (c *Cluster) after(seconds float64) time.Duration {
	return c.now + time.Duration(seconds*float64(time.Second))
}

func pushEnd(h []fluidEnd, e fluidEnd) []fluidEnd {
	h = append(h, e)
	for i := len(h) - 1; i > 0 && h[i].at < h[(i-1)/2].at; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	return h
}

func popEnd(h []fluidEnd) []fluidEnd {
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	for i := 0; 2*i+1 < n; {
		k := 2*i + 1
		if k+1 < n && h[k+1].at < h[k].at {
			k++
		}
		if h[i].at <= h[k].at {
			break
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
	return h
}
