package pools

import (
	"fmt"
	"math"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// ComputeShares computes the pools' fair shares of all slots. In fair pools it also divides the
// pool's share among the jobs. Preemption and views use the shares; order and launches do not.
func (o *Order) ComputeShares() {
	if !o.stale && o.shared == o.C.Slots {
		return
	}
	o.stale, o.shared = false, o.C.Slots
	var claims []shares.Claim
	for k := range model.TaskKind(model.Kinds) {
		claims = claims[:0]
		for _, p := range o.Sorted {
			claims = append(claims, shares.Claim{Demand: float64(p.Wants(k)), Min: float64(p.Min[k]), Weight: p.Weight})
		}
		o.over[k] = shares.Divide(claims, float64(o.C.Slots[k]))
		for i, p := range o.Sorted {
			p.Share[k] = claims[i].Share
		}
		for _, p := range o.Sorted {
			claims = o.jobShares(p, k, claims)
		}
	}
}

// tellShares emits events for changed shares. It also warns if the minimum shares together exceed
// the cluster's slots.
func (o *Order) tellShares() {
	if o.C.Config.Events == nil {
		return
	}
	o.ComputeShares()
	for k := range model.TaskKind(model.Kinds) {
		if o.over[k] && !o.warned[k] {
			o.C.Emit(event.Event{
				Type: event.Warning, Node: model.NoNode, Kind: k,
				Err: fmt.Sprintf("minimum shares exceed the cluster's %d %v slots and are scaled down", o.C.Slots[k], k),
			})
		}
		o.warned[k] = o.over[k]
	}
	for _, p := range o.Sorted {
		now := core.Figures{Shares: p.Share, Running: p.Running, Min: p.Min}
		for k := range model.TaskKind(model.Kinds) {
			now.Demand[k], now.Max[k] = p.Wants(k), core.MaximumTold(p.Max[k])
		}
		o.C.TellGroup(p.Name, &p.lastShares, now)
	}
}

// jobShares divides a pool's share among its jobs; jobs of a FIFO pool get NaN. It uses the memory
// of claims and returns it for the next call.
func (o *Order) jobShares(p *Pool, k model.TaskKind, claims []shares.Claim) []shares.Claim {
	claims = claims[:0]
	if p.Mode == model.FIFOMode {
		for _, j := range p.Jobs {
			o.fair.Of(j)[k] = math.NaN()
		}
		return claims
	}
	for _, j := range p.Jobs {
		claims = append(claims, shares.Claim{Demand: float64(j.Demand(k)), Weight: o.Weight(j, k)})
	}
	shares.Divide(claims, p.Share[k])
	for i, j := range p.Jobs {
		o.fair.Of(j)[k] = claims[i].Share
	}
	return claims
}

// Update computes the shares and emits changes. If the policy preempts, it also computes the slots
// that pools may claim, and runs a preemption round when one is due.
func (o *Order) Update() {
	o.Age()
	o.tellShares()
	if o.Preempt.Mode == model.PreemptOff {
		return
	}
	o.ComputeShares()
	o.updateNeeds()
	if o.Preempt.Interval > 0 && o.C.Now-o.LastRound >= o.Preempt.Interval {
		o.LastRound = o.C.Now
		o.round()
	}
}
