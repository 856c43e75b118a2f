package offers

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// replies are what frameworks answer to offers of map slots, and the master's filters.
type replies struct {
	Config
	jobs    map[scheduling.JobID]*waiting
	filters map[place]time.Duration // when a framework has refused a node
}

// place is a node as a framework is offered it.
type place struct {
	framework int
	node      scheduling.NodeID
}

// waiting is how a job stands with its framework's delay scheduling.
type waiting struct {
	level   scheduling.Locality // of its last launch
	refuses bool
	since   time.Duration // of the first refusal after the last launch, if it refuses
	offered place         // last
	nearest scheduling.Locality
}

// Farthest implements scheduling.MapPlacement; Choose is asked in its place.
func (r *replies) Farthest(scheduling.View, scheduling.MapOffer) scheduling.Locality {
	return scheduling.AnyPlace
}

// Choose implements scheduling.MapChooser: nothing if the node is not offered to the framework, else
// the nearest map if its framework has the job wait no longer for a nearer one.
func (r *replies) Choose(q scheduling.View, o scheduling.MapOffer) int32 {
	now := q.Now()
	w := r.jobs[o.Job]
	if w == nil {
		w = &waiting{offered: place{framework: r.of(q, o.Job)}}
		r.jobs[o.Job] = w
		r.revive(w.offered.framework)
	}
	w.offered.node = o.Node
	if at, refused := r.filters[w.offered]; refused && at < now && now < at+r.Filter {
		return -1
	}
	waited := time.Duration(0)
	if w.refuses {
		waited = now - w.since
	}
	if o.Nearest <= allowed(w.level, waited, r.framework(w.offered.framework).Waits) {
		w.nearest = o.Nearest
		return nearest(q, o)
	}
	if !w.refuses {
		w.refuses, w.since = true, now
	}
	if r.Filter > 0 {
		r.filters[w.offered] = now
	}
	return -1
}

// revive ends all filters of a framework.
func (r *replies) revive(framework int) {
	for p := range r.filters { // in any order: all of the framework go
		if p.framework == framework {
			delete(r.filters, p)
		}
	}
}

// allowed is the farthest level after a wait, by Algorithm 3 of [Zaharia10]: from the level of the
// last launch on, a level farther for each wait that is used up.
func allowed(level scheduling.Locality, waited time.Duration, lengths []time.Duration) scheduling.Locality {
	until := time.Duration(0)
	for ; int(level) < len(lengths); level++ {
		if until += lengths[level]; waited < until {
			return level
		}
	}
	return scheduling.Locality(127) // anywhere
}

// nearest is the first of the nearest maps of an offer.
func nearest(q scheduling.View, o scheduling.MapOffer) int32 {
	spec, _ := q.Spec(o.Job) // one that the Core asks about is known
	p := spec.Places
	for m := range o.Waiting {
		for _, n := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
			if q.Between(n, o.Node) == o.Nearest {
				return m
			}
		}
	}
	for m := range o.Waiting { // no replica's node has ever joined
		return m
	}
	return -1
}

// Launched implements what scheduling.MapChooser may: the framework has taken the offer, whatever
// other jobs of it had refused, and the job waits anew from the level of the launch.
func (r *replies) Launched(id scheduling.JobID) {
	w := r.jobs[id]
	w.refuses, w.level = false, w.nearest
	delete(r.filters, w.offered)
}

// Forget drops what is kept of a job that has ended.
func (r *replies) Forget(id scheduling.JobID) { delete(r.jobs, id) }
