package engine

import (
	"reflect"
	"time"
)

// What of the policies tells one state of the explorer from another.

// policy adds what the parts of the policy know.
func (p *printer) policy(h *mix) {
	c := p.w.c
	for i := range p.w.spec.jobs {
		if j := c.job(JobID(i + 1)); j != nil && !j.state.Ended() {
			p.locality(h, j)
			if r, ok := c.placement[Reduce].(*cogrs); ok {
				p.reduces(h, r, j)
			}
		}
	}
	if r, ok := c.placement[Reduce].(*cogrs); ok {
		h.flag(r.period > 0)
		h.length(min(p.w.now-r.since, c.heartbeatInterval()/6))
	}
	switch o := c.order.(type) {
	case *pools:
		p.pools(h, o)
	case *capacity:
		for _, q := range append([]*queue{&o.top}, o.queues...) {
			for k := range q.sorted {
				for _, s := range q.sorted[k] {
					h.add(p.hashString(s.Name))
				}
			}
		}
		for _, j := range c.active {
			if !j.state.Ended() {
				h.flag(o.of[j.index].begun)
			}
		}
	case *hfsp:
		p.sizes(h, o)
	case *quincy:
		p.flow(h, o)
	}
}

// flow adds how long jobs have waited, their bounds, and the plan if it still holds.
func (p *printer) flow(h *mix, o *quincy) {
	h.length(min(o.pol.Interval, p.w.now-o.last))
	h.flag(o.old)
	for _, j := range o.c.active {
		if !j.state.Ended() {
			h.length(p.w.now - j.submitted)
			h.int(int(o.of[j.index].least))
			h.int(int(o.of[j.index].most))
		}
	}
	if !o.fresh || o.at != p.w.now {
		return
	}
	for _, one := range o.plan {
		h.int(int(one.job.id))
		h.int(int(one.task))
		h.int(int(one.node))
	}
}

// waits adds how a job waits, and how long ago the last offer was if it was passed over then.
func (p *printer) waits(h *mix, s *waits, j *job) {
	w := s.of.of(j)
	h.int(int(w.level))
	h.length(w.wait)
	h.flag(w.skipped)
	if w.skipped {
		h.length(p.w.now - s.last)
	}
}

func (p *printer) locality(h *mix, j *job) {
	switch r := p.w.c.placement[Map].(type) {
	case *timedWait:
		h.length(p.w.now - p.w.placed[j.id-1].at)
		p.waits(h, &r.waits, j)
		if at := r.of.of(j).refused; r.capped && at > 0 {
			h.add(min(mostMachines, p.w.c.beat-at))
		}
	case *skipCount:
		for _, n := range r.of.of(j).count {
			h.int(int(n))
		}
	}
}

func (p *printer) reduces(h *mix, r *cogrs, j *job) {
	plan := r.planOf(j)
	p.waits(h, &r.waits, j)
	h.flag(plan.made)
	h.flag(plan.flat)
	h.int(plan.known)
	h.flag(plan.cluster == p.w.c.cluster)
	h.flag(plan.period == r.period)
	for i := range plan.candidates {
		for _, c := range plan.candidates[i] {
			if c.node != nil {
				h.int(int(c.node.id))
				h.int(int(c.score))
			}
		}
	}
	for i, n := range p.w.c.nodes {
		p.nodes0(i, j, r.on(j, n))
	}
}

// nodes0 adds to a node what a job knows of it.
func (p *printer) nodes0(i int, j *job, reduces int32) {
	h := mix(97)
	h.int(int(j.id))
	h.int(int(reduces))
	p.nodes[i] += uint64(h)
}

func (p *printer) pools(h *mix, o *pools) {
	if o.preempt.Mode == PreemptOff {
		return
	}
	now := p.w.now
	h.length(min(o.preempt.Interval, now-o.lastRound))
	for _, q := range o.sorted {
		for k := range kinds {
			h.length(min(o.alloc.MinTimeout+quantum, now-q.lastMin[k]))
			h.length(min(o.alloc.FairTimeout+quantum, now-q.lastHalf[k]))
			h.flag(q.urgent[k])
			h.int(q.need[k])
		}
	}
}

func (p *printer) sizes(h *mix, o *hfsp) {
	h.flag(o.waits)
	for k := range TaskKind(kinds) {
		h.flag(o.stale[k])
		h.flag(o.drifted[k])
		h.length(min(patience, p.w.now-o.last[k]))
		h.length(o.sum[k])
		h.int(int(o.count[k]))
		p.add(h, reflect.ValueOf(o.virtual[k]).Elem())
		for _, v := range o.all[k] {
			h.int(int(v.job.id))
			h.flag(v.estimate)
			h.length(v.worked)
			h.int(v.through)
			h.add(uint64(len(v.samples)))
			for _, d := range v.samples {
				h.length(d)
			}
			p.add(h, reflect.ValueOf(&v.v).Elem())
		}
	}
}

// add adds numbers wherever they stand in a value of another package; of the lists of pointers
// that there are it adds what they point to. Fields now and Finish are times.
func (p *printer) add(h *mix, v reflect.Value) {
	switch v.Kind() {
	case reflect.Int, reflect.Int64, reflect.Int32:
		h.add(uint64(v.Int()))
	case reflect.Bool:
		h.flag(v.Bool())
	case reflect.Float64:
		h.number(v.Float())
	case reflect.Slice:
		h.int(v.Len())
		for i := range v.Len() {
			p.add(h, v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			p.add(h, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch name := v.Type().Field(i).Name; name {
			case "now", "Finish":
				h.length(time.Duration(v.Field(i).Int()) - p.w.now)
			case "plan": // scratch
			default:
				p.add(h, v.Field(i))
			}
		}
	default:
	}
}
