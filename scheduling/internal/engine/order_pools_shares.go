package engine

import (
	"fmt"
	"math"

	"github.com/tarry-mr/tarry/scheduling/internal/shares"
)

// computeShares works out the fair shares of the pools over all slots and, in fair pools, those of
// the jobs over the pool's share. Order and launches do not use them; preemption and people do.
func (o *pools) computeShares() {
	if !o.stale && o.shared == o.c.slots {
		return
	}
	o.stale, o.shared = false, o.c.slots
	var claims []shares.Claim
	for k := range TaskKind(kinds) {
		claims = claims[:0]
		for _, p := range o.sorted {
			claims = append(claims, shares.Claim{Demand: float64(p.wants(k)), Min: float64(p.Min[k]), Weight: p.Weight})
		}
		o.over[k] = shares.Divide(claims, float64(o.c.slots[k]))
		for i, p := range o.sorted {
			p.share[k] = claims[i].Share
		}
		for _, p := range o.sorted {
			claims = o.jobShares(p, k, claims)
		}
	}
}

// tellShares puts on record which shares have changed, and whether the minimum shares are too much
// for the cluster.
func (o *pools) tellShares() {
	if o.c.cfg.Events == nil {
		return
	}
	o.computeShares()
	for k := range TaskKind(kinds) {
		if o.over[k] && !o.warned[k] {
			o.c.emit(Event{
				Type: EventWarning, Node: NoNode, Kind: k,
				Err: fmt.Sprintf("minimum shares exceed the cluster's %d %v slots and are scaled down", o.c.slots[k], k),
			})
		}
		o.warned[k] = o.over[k]
	}
	for _, p := range o.sorted {
		now := figures{shares: p.share, running: p.running, min: p.Min}
		for k := range TaskKind(kinds) {
			now.demand[k], now.max[k] = p.wants(k), maximumTold(p.Max[k])
		}
		o.c.tellGroup(p.Name, &p.told, now)
	}
}

// jobShares divides a pool's share among its jobs; jobs of a FIFO pool have none.
func (o *pools) jobShares(p *pool, k TaskKind, claims []shares.Claim) []shares.Claim {
	claims = claims[:0]
	if p.Mode == FIFOMode {
		for _, j := range p.jobs {
			o.fair[j.index][k] = math.NaN()
		}
		return claims
	}
	for _, j := range p.jobs {
		claims = append(claims, shares.Claim{Demand: float64(j.demand(k)), Weight: o.weight(j, k)})
	}
	shares.Divide(claims, p.share[k])
	for i, j := range p.jobs {
		o.fair[j.index][k] = claims[i].Share
	}
	return claims
}

// update works out the shares and, if the policy preempts, the needs, and runs a round when it is
// due.
func (o *pools) update() {
	o.age()
	o.tellShares()
	if o.preempt.Mode == PreemptOff {
		return
	}
	o.computeShares()
	o.updateNeeds()
	if o.preempt.Interval > 0 && o.c.now-o.lastRound >= o.preempt.Interval {
		o.lastRound = o.c.now
		o.round()
	}
}
