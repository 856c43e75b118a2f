package scheduling

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/virtual"
)

// due tells whether finishes must be projected anew. The mere passing of time does not change them.
// Up to virtual.Exact jobs an arrival is heeded at once and a new size after virtual.Patience. With
// more, one projection serves as many changes of jobs as there are jobs, so that its cost for each
// change is that of a sort for each element; it comes earlier where little changes, and a new job
// has a guessed finish until then.
func (o *hfsp) due(k TaskKind) bool {
	n := o.virtual[k].Len()
	if n <= virtual.Exact {
		return o.stale[k] || o.drifted[k] && o.c.now-o.last[k] >= virtual.Patience
	}
	return (o.stale[k] || o.drifted[k]) && (o.changes[k] >= n || o.c.now-o.last[k] >= virtual.Patience*time.Duration(n/virtual.Exact))
}

// reproject works out the projected finishes and the order anew if that is due.
func (o *hfsp) reproject(k TaskKind) {
	if o.srpt || !o.due(k) {
		return
	}
	o.stale[k], o.drifted[k], o.last[k], o.changes[k] = false, false, o.c.now, 0
	o.age(k)
	o.virtual[k].Project(&o.scratch)
	o.rerank(k)
}

// rerank makes the lists anew.
func (o *hfsp) rerank(k TaskKind) {
	all := o.all[k]
	slices.SortFunc(all, func(a, b *sized) int { return o.rankOf(a).Compare(o.rankOf(b)) }) // 4
	lists, needy, holders := &o.lists[k], &o.needy[k], &o.holders[k]
	lists.Clear()
	needy.Clear()
	holders.Clear()
	o.sampled = o.sampled[:0]
	for i, v := range all {
		v.at, v.needy.In, v.holds.In, v.listed.In = i, false, false, false
		if o.listed(v.job, k) && o.sampling(v.job, k) {
			o.sampled = append(o.sampled, v)
		}
	}
	slices.SortFunc(o.sampled, func(a, b *sized) int { return o.rank(a.job, k).Compare(o.rank(b.job, k)) })
	for _, v := range o.sampled {
		lists.Append(&v.listed, o.rank(v.job, k), v.job.index)
	}
	for i, v := range all {
		j, r := v.job, o.rankOf(v)
		if o.needs(j, k) {
			needy.Append(&v.needy, r, v)
		}
		if o.listed(j, k) && !o.sampling(j, k) {
			lists.Append(&v.listed, r, j.index)
		}
		if v := all[len(all)-1-i]; o.spare(v, k) > 0 {
			holders.Append(&v.holds, o.rankOf(v).Reversed(), v)
		}
	}
}
