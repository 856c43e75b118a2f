package engine

import (
	"cmp"
	"slices"
)

func (o *pools) preemptNow() {
	if o.preempt.Mode == PreemptOff {
		return
	}
	o.computeShares()
	o.updateNeeds()
	o.lastRound = o.c.now
	o.round()
}

// updateNeeds moves the clocks of the pools that are not starved, and works out what each pool may
// claim.
func (o *pools) updateNeeds() {
	now := o.c.now
	for _, p := range o.sorted {
		for k := range TaskKind(kinds) {
			if p.running[k] >= p.least(k) {
				p.lastMin[k] = now
			}
			if p.running[k] >= p.half(k) {
				p.lastHalf[k] = now
			}
			need := o.needOf(p, k)
			if need != p.need[k] && need > 0 && o.c.cfg.Events != nil {
				o.c.emit(Event{Type: EventNeed, Node: NoNode, Pool: p.Name, Kind: k, Need: need})
			}
			p.need[k], p.urgent[k] = need, need > 0 && o.preempt.Mode == PreemptOn
		}
	}
}

// took takes over, from the pools of a former policy, since when each that remains has been below
// its shares, and when the last round was: else who reloads often would never preempt.
func (o *pools) took(former order) {
	old, ok := former.(*pools)
	if !ok {
		return
	}
	o.lastRound = old.lastRound
	for _, p := range o.sorted {
		if q := old.byName[p.Name]; q != nil {
			p.lastMin, p.lastHalf = q.lastMin, q.lastHalf
		}
	}
}

// half is half the fair share, in whole slots, as far as the pool has use for it.
func (p *pool) half(k TaskKind) int { return int(min(p.share[k]/2, float64(p.wants(k)))) }

// needOf is what a pool may claim by preemption now, by the clocks of the last update:
//   - its minimum share, if it has been below it for longer than the pool's timeout;
//   - its fair share, if it has been below half of it for longer than the fair timeout;
//
// the larger of the two counts.
func (o *pools) needOf(p *pool, k TaskKind) (need int) {
	if o.preempt.Mode == PreemptOff {
		return 0
	}
	now, run := o.c.now, p.running[k]
	if p.MinTimeout > 0 && now-p.lastMin[k] > p.MinTimeout {
		need = max(0, p.least(k)-run)
	}
	if t := o.alloc.FairTimeout; t > 0 && now-p.lastHalf[k] > t && run < p.half(k) {
		need = max(need, int(min(p.share[k], float64(p.wants(k))))-run)
	}
	return need
}

// round kills as many attempts as the pools need: the newest of pools above their fair share, none
// that would take its pool below the share.
func (o *pools) round() {
	for k := range TaskKind(kinds) {
		need := 0
		for _, p := range o.sorted {
			need += p.need[k]
		}
		switch {
		case need > 0 && o.preempt.Mode == PreemptOn:
			o.killNewest(k, need)
		case need > 0 && o.c.cfg.Events != nil:
			o.tellVictims(k, need)
		}
	}
}

// aboveShare tells whether a pool runs more than its fair share.
func (o *pools) aboveShare(p *pool, k TaskKind) bool { return float64(p.running[k]) > p.share[k] }

// newest lists the attempts of kind k of over-served pools, newest first.
func (o *pools) newest(k TaskKind) (victims []int32) {
	c := o.c
	for _, n := range c.nodes {
		for _, ai := range n.atts {
			a := &c.atts[ai]
			if a.id.Task.Kind == k && !a.suspended && o.aboveShare(o.poolOf(a.job), k) {
				victims = append(victims, ai)
			}
		}
	}
	slices.SortFunc(victims, func(x, y int32) int {
		a, b := &c.atts[x], &c.atts[y]
		return cmp.Or(cmp.Compare(b.start, a.start), cmp.Compare(a.id.Task.Job, b.id.Task.Job), cmp.Compare(a.id.Task.Index, b.id.Task.Index))
	})
	return victims
}

// tellVictims names the attempts that killNewest would kill.
func (o *pools) tellVictims(k TaskKind, need int) {
	c, gone := o.c, map[*pool]int{}
	for _, ai := range o.newest(k) {
		a := &c.atts[ai]
		p := o.poolOf(a.job)
		if float64(p.running[k]-gone[p]) <= p.share[k] {
			continue
		}
		gone[p]++
		c.emit(Event{Type: EventVictim, JobID: a.job.id, Attempt: a.id, Kind: k, Node: a.node.id, Locality: a.locality, Reason: Reason{Cause: CausePreempted}})
		if need--; need == 0 {
			return
		}
	}
}

// killNewest kills up to need attempts of kind k of over-served pools.
func (o *pools) killNewest(k TaskKind, need int) {
	c := o.c
	victims := o.newest(k)
	for _, ai := range victims {
		if !o.aboveShare(o.poolOf(c.atts[ai].job), k) {
			continue
		}
		c.killed = append(c.killed, c.atts[ai].id)
		c.kill(ai, Reason{Cause: CausePreempted}, false)
		if need--; need == 0 {
			return
		}
	}
}
