package engine

import (
	"reflect"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/capacity"
	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
	"github.com/tarry-mr/tarry/scheduling/internal/hfsp"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/pools"
	"github.com/tarry-mr/tarry/scheduling/internal/quincy"
)

// What the fingerprint has of a policy's state: all that may change future decisions.

// policy adds to h the state of the policy's parts.
func (p *printer) policy(h *mix) {
	c := p.w.c
	for i := range p.w.spec.jobs {
		if j := c.Job(model.JobID(i + 1)); j != nil && !j.State.Ended() {
			p.locality(h, j)
			if r, ok := c.Placement[model.Reduce].(*cogrs.Placement); ok {
				p.reduces(h, r, j)
			}
		}
	}
	if r, ok := c.Placement[model.Reduce].(*cogrs.Placement); ok {
		h.flag(r.Period > 0)
		h.length(min(p.w.now-r.Since, c.HeartbeatInterval()/6))
	}
	switch o := c.Order.(type) {
	case *pools.Order:
		p.pools(h, o)
	case *capacity.Order:
		for _, q := range append([]*capacity.Queue{&o.Top}, o.Queues...) {
			for k := range q.Sorted {
				for _, s := range q.Sorted[k] {
					h.add(p.hashString(s.Name))
				}
			}
		}
		for _, j := range c.Active {
			if !j.State.Ended() {
				h.flag(o.Of.Of(j).Begun)
			}
		}
	case *hfsp.Order:
		p.sizes(h, o)
	case *quincy.Order:
		p.flow(h, o)
	}
}

// flow adds how long jobs have waited, their bounds, and the plan while it is valid.
func (p *printer) flow(h *mix, o *quincy.Order) {
	h.length(min(o.Pol.Interval, p.w.now-o.Last))
	h.flag(o.StaleBounds)
	for _, j := range o.C.Active {
		if !j.State.Ended() {
			h.length(p.w.now - j.Submitted)
			h.int(int(o.Of.Of(j).Min))
			h.int(int(o.Of.Of(j).Max))
		}
	}
	if !o.FreshPlan || o.At != p.w.now {
		return
	}
	for _, one := range o.Plan {
		h.int(int(one.Job.ID))
		h.int(int(one.Task))
		h.int(int(one.Node))
	}
}

// waits adds a job's wait and, if it refused the last offer, how long ago that was.
func (p *printer) waits(h *mix, s *delay.Waits, j *core.Job) {
	w := s.Of.Of(j)
	h.int(int(w.Level))
	h.length(w.Wait)
	h.flag(w.Skipped)
	if w.Skipped {
		h.length(p.w.now - s.Last)
	}
}

func (p *printer) locality(h *mix, j *core.Job) {
	switch r := p.w.c.Placement[model.Map].(type) {
	case *delay.TimedWait:
		h.length(p.w.now - p.w.placed[j.ID-1].at)
		p.waits(h, &r.Waits, j)
		if at := r.Of.Of(j).Refused; r.Capped && at > 0 {
			h.add(min(maxMachines, p.w.c.Beat-at))
		}
	case *delay.SkipCount:
		for _, n := range r.Of.Of(j).Count {
			h.int(int(n))
		}
	}
}

func (p *printer) reduces(h *mix, r *cogrs.Placement, j *core.Job) {
	plan := r.PlanOf(j)
	p.waits(h, &r.Waits, j)
	h.flag(plan.Made)
	h.flag(plan.Flat)
	h.int(plan.Known)
	h.flag(plan.Cluster == p.w.c.Cluster)
	h.flag(plan.Period == r.Period)
	for i := range plan.Candidates {
		for _, c := range plan.Candidates[i] {
			if c.Node != nil {
				h.int(int(c.Node.ID))
				h.int(int(c.Score))
			}
		}
	}
	for i, n := range p.w.c.Nodes {
		p.nodes0(i, j, r.On(j, n))
	}
}

// nodes0 adds to the hash of node i how many reduces of j it has.
func (p *printer) nodes0(i int, j *core.Job, reduces int32) {
	h := mix(97)
	h.int(int(j.ID))
	h.int(int(reduces))
	p.nodes[i] += uint64(h)
}

func (p *printer) pools(h *mix, o *pools.Order) {
	if o.Preempt.Mode == model.PreemptOff {
		return
	}
	now := p.w.now
	h.length(min(o.Preempt.Interval, now-o.LastRound))
	for _, q := range o.Sorted {
		for k := range model.Kinds {
			h.length(min(o.Alloc.MinTimeout+quantum, now-q.LastMin[k]))
			h.length(min(o.Alloc.FairTimeout+quantum, now-q.LastHalf[k]))
			h.flag(q.Urgent[k])
			h.int(q.Need[k])
		}
	}
}

func (p *printer) sizes(h *mix, o *hfsp.Order) {
	h.flag(o.Waits)
	for k := range model.TaskKind(model.Kinds) {
		h.flag(o.Stale[k])
		h.flag(o.Drifted[k])
		h.length(min(hfsp.Patience, p.w.now-o.Last[k]))
		h.length(o.Sum[k])
		h.int(int(o.Count[k]))
		p.add(h, reflect.ValueOf(o.Virtual[k]).Elem())
		for _, v := range o.All[k] {
			h.int(int(v.Job.ID))
			h.flag(v.Estimate)
			h.length(v.Worked)
			h.int(v.SampledDone)
			h.add(uint64(len(v.Samples)))
			for _, d := range v.Samples {
				h.length(d)
			}
			p.add(h, reflect.ValueOf(&v.V).Elem())
		}
	}
}

// add adds the numbers in a value of another package, at any depth. In the known lists of pointers
// it adds the values pointed to. The fields now and Finish are times.
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
