package scheduling

import (
	"math"
	"slices"
	"time"
)

// patience is how long a new estimate of a size may wait to be heeded, so that many that come
// together cost one projection.
const patience = 500 * time.Millisecond

// due tells whether finishes must be projected anew. The mere passing of time does not change them.
// Up to exactJobs jobs an arrival is heeded at once and a new size after patience. With more, one
// projection serves as many changes of jobs as there are jobs, so that its cost for each change is
// that of a sort for each element; it comes earlier where little changes, and a new job has a
// guessed finish until then.
func (o *hfsp) due(k TaskKind) bool {
	n := len(o.virtual[k].jobs)
	if n <= exactJobs {
		return o.stale[k] || o.drifted[k] && o.c.now-o.last[k] >= patience
	}
	return (o.stale[k] || o.drifted[k]) && (o.changes[k] >= n || o.c.now-o.last[k] >= patience*time.Duration(n/exactJobs))
}

// guessFinish is about when a new job among many will finish: with an equal part of the slots from
// now on. Among few the projection comes at once.
func (o *hfsp) guessFinish(v *virtualJob, k TaskKind) time.Duration {
	c := &o.virtual[k]
	n := len(c.jobs)
	if n <= exactJobs || c.slots == 0 || v.tasks == 0 {
		return math.MaxInt64
	}
	part := min(float64(v.tasks), float64(c.slots)*v.weight/float64(n))
	return o.c.now + time.Duration(float64(v.left())/part)
}

// reproject works out the projected finishes and the order anew if that is due.
func (o *hfsp) reproject(k TaskKind) {
	if o.srpt || !o.due(k) {
		return
	}
	o.stale[k], o.drifted[k], o.last[k], o.changes[k] = false, false, o.c.now, 0
	o.age(k)
	o.virtual[k].project(&o.scratch)
	o.rerank(k)
}

// rerank makes the lists anew.
func (o *hfsp) rerank(k TaskKind) {
	all := o.all[k]
	slices.SortFunc(all, func(a, b *job) int { return o.sizeRank(a, k).compare(o.sizeRank(b, k)) })
	lists, needy, holders := &o.lists[k], &o.needy[k], &o.holders[k]
	lists.clear()
	needy.clear()
	holders.clear()
	o.sampled = o.sampled[:0]
	for i, j := range all {
		v := j.virtual[k]
		v.at, v.needy.in, v.holds.in, j.w[k].spot.in = i, false, false, false
		if o.listed(j, k) && o.sampling(j, k) {
			o.sampled = append(o.sampled, j)
		}
	}
	slices.SortFunc(o.sampled, func(a, b *job) int { return o.rank(a, k).compare(o.rank(b, k)) })
	for _, j := range o.sampled {
		lists.append(&j.w[k].spot, o.rank(j, k), listedJob{j, j.wait[k]})
	}
	for i, j := range all {
		r := o.sizeRank(j, k)
		if w := &j.w[k]; o.needs(j, k) {
			needy.append(&j.virtual[k].needy, r, j)
			if !o.sampling(j, k) && o.listed(j, k) {
				lists.append(&w.spot, r, listedJob{j, j.wait[k]})
			}
		}
		if j := all[len(all)-1-i]; o.spare(j, k) > 0 {
			holders.append(&j.virtual[k].holds, o.sizeRank(j, k).reversed(), j)
		}
	}
}
