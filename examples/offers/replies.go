package offers

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// replies is the choice of maps: it accepts or refuses each slot offered to a framework's job.
type replies struct {
	Config
	jobs    map[scheduling.JobID]*waiting
	filters map[place]time.Duration // when the framework refused a slot there
}

// place identifies a filter: a framework and a node that it refused.
type place struct {
	framework int
	node      scheduling.NodeID
}

// waiting is the state of one job under its framework's delay scheduling.
type waiting struct {
	level   scheduling.Locality // of its last launch
	refuses bool
	since   time.Duration // time of the first refusal since the last launch, if refuses
	offered place         // the last offer
	nearest scheduling.Locality
}

// Farthest implements scheduling.MapPlacement; Choose is called instead.
func (r *replies) Farthest(scheduling.View, scheduling.Offer) scheduling.Locality {
	return scheduling.AnyPlace
}

// Choose implements scheduling.MapChooser. It returns the job's map nearest to the node. It returns
// -1, a refusal, if a filter covers the node or the job waits for a nearer slot.
func (r *replies) Choose(q scheduling.View, o scheduling.Offer) int32 {
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
	for p := range r.filters { // the order does not matter: all filters of the framework are deleted
		if p.framework == framework {
			delete(r.filters, p)
		}
	}
}

// allowed returns the farthest level that a job accepts after a wait, by Algorithm 3 of
// [Zaharia10]. That is the level of its last launch, plus one for each wait that is over.
func allowed(level scheduling.Locality, waited time.Duration, lengths []time.Duration) scheduling.Locality {
	until := time.Duration(0)
	for ; int(level) < len(lengths); level++ {
		if until += lengths[level]; waited < until {
			return level
		}
	}
	return scheduling.Locality(127) // anywhere
}

// nearest returns the map of an offer that is nearest to the node, the first among equals.
func nearest(q scheduling.View, o scheduling.Offer) int32 {
	spec, _ := q.Spec(o.Job) // the Core asks only about known jobs
	p := spec.Places
	for m := range o.Waiting {
		for _, n := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
			if q.Between(n, o.Node) == o.Nearest {
				return m
			}
		}
	}
	for m := range o.Waiting { // no node with a replica has ever joined
		return m
	}
	return -1
}

// Launched implements the optional method of scheduling.MapChooser: a launch ends the framework's
// filter for the node, even if other jobs of it refused. The job's wait starts again at the level
// of the launch.
func (r *replies) Launched(id scheduling.JobID) {
	w := r.jobs[id]
	w.refuses, w.level = false, w.nearest
	delete(r.filters, w.offered)
}

// Forget drops the record of a job that has ended.
func (r *replies) Forget(id scheduling.JobID) { delete(r.jobs, id) }
