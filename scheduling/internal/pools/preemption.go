package pools

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// PreemptNow runs a preemption round now, unless the policy's mode is off.
func (o *Order) PreemptNow() {
	if o.Preempt.Mode == model.PreemptOff {
		return
	}
	o.ComputeShares()
	o.updateNeeds()
	o.LastRound = o.C.Now
	o.round()
}

// updateNeeds records the time for each pool that has its shares now (LastMin, LastHalf), and sets
// the number of slots that the pool may claim.
func (o *Order) updateNeeds() {
	now := o.C.Now
	for _, p := range o.Sorted {
		for k := range model.TaskKind(model.Kinds) {
			if p.Running[k] >= p.least(k) {
				p.LastMin[k] = now
			}
			if p.Running[k] >= p.half(k) {
				p.LastHalf[k] = now
			}
			need := o.needOf(p, k)
			if need != p.Need[k] && need > 0 {
				o.C.Emit(event.Event{Type: event.Need, Node: model.NoNode, Pool: p.Name, Kind: k, Need: need})
			}
			p.Need[k], p.Urgent[k] = need, need > 0 && o.Preempt.Mode == model.PreemptOn
		}
	}
}

// Adopt keeps, for each remaining pool, since when it has been below its shares, and the time of
// the last round. Otherwise, frequent reloads of the policy would prevent preemption.
func (o *Order) Adopt(former core.Order) {
	old, ok := former.(*Order)
	if !ok {
		return
	}
	o.LastRound = old.LastRound
	for _, p := range o.Sorted {
		if q := old.byName[p.Name]; q != nil {
			p.LastMin, p.LastHalf = q.LastMin, q.LastHalf
		}
	}
}

// half returns half the pool's fair share in whole slots, at most its demand.
func (p *Pool) half(k model.TaskKind) int { return int(min(p.Share[k]/2, float64(p.Wants(k)))) }

// needOf returns the slots that a pool may claim by preemption now, by LastMin and LastHalf. They
// are the slots that it lacks to the larger of
//
//   - its minimum share, if it has been below it for longer than the pool's timeout;
//   - its fair share, if it has been below half of it for longer than the fair timeout.
func (o *Order) needOf(p *Pool, k model.TaskKind) (need int) {
	if o.Preempt.Mode == model.PreemptOff {
		return 0
	}
	now, run := o.C.Now, p.Running[k]
	if p.MinTimeout > 0 && now-p.LastMin[k] > p.MinTimeout {
		need = max(0, p.least(k)-run)
	}
	if t := o.Alloc.FairTimeout; t > 0 && now-p.LastHalf[k] > t && run < p.half(k) {
		need = max(need, int(min(p.Share[k], float64(p.Wants(k))))-run)
	}
	return need
}

// round takes slots for the pools that may claim some.
func (o *Order) round() {
	for k := range model.TaskKind(model.Kinds) {
		need := 0
		for _, p := range o.Sorted {
			need += p.Need[k]
		}
		if need > 0 {
			o.takeNewest(k, need)
		}
	}
}

// newest returns the running attempts of kind k, newest first.
func (o *Order) newest(k model.TaskKind) (list []int32) {
	c := o.C
	for _, n := range c.Nodes {
		for _, ai := range n.Atts {
			if a := &c.Attempts[ai]; a.ID.Task.Kind == k && !a.Suspended {
				list = append(list, ai)
			}
		}
	}
	slices.SortFunc(list, func(x, y int32) int {
		a, b := &c.Attempts[x], &c.Attempts[y]
		return cmp.Or(cmp.Compare(b.Start, a.Start), cmp.Compare(a.ID.Task.Job, b.ID.Task.Job), cmp.Compare(a.ID.Task.Index, b.ID.Task.Index))
	})
	return list
}

// takeNewest kills up to `need` attempts of kind k of pools above their fair share, newest first,
// and leaves each pool its share. With PreemptLog it only emits an event for each.
func (o *Order) takeNewest(k model.TaskKind, need int) {
	c, told := o.C, map[*Pool]int{}
	for _, ai := range o.newest(k) {
		a := &c.Attempts[ai]
		p, why := o.PoolOf(a.Job), model.Reason{Cause: model.CausePreempted}
		if float64(p.Running[k]-told[p]) <= p.Share[k] {
			continue
		}
		if o.Preempt.Mode == model.PreemptOn {
			c.Killed = append(c.Killed, a.ID)
			c.KillAttempt(ai, why, false)
		} else {
			told[p]++
			c.Emit(event.Event{Type: event.Victim, Attempt: a.ID, Node: a.Node.ID, Locality: a.Locality, Reason: why})
		}
		if need--; need == 0 {
			return
		}
	}
}
