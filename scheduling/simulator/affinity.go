package simulator

import (
	"maps"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// CacheAffinity is a placement of maps for Policy.Locality.Part, there where Cluster.Cache is set: a
// node with a map's block in its memory is a level nearer than one with the block on its disk.
// Policy.Locality.Waits are W0 for memory, W1 for a disk and W2 for a rack with one, after which a
// map runs anywhere; those left out are 0. [Zaharia10 §6] proposes the like for files that a
// distributed cache has brought to nodes.
//
// It is delay scheduling with a level more: a job waits from the first slot that it refuses until
// its next launch, and stays at the level to which it has waited until a map runs as near as it
// could. A map whose block is in no memory does not wait for one. The JobTracker knows at once what
// nodes hold. That is not part of its calls: a replay without the simulator cannot ask.
const CacheAffinity = "cache-affinity"

// The levels of CacheAffinity.
const (
	levelMemory = iota
	levelNode
	levelRack
	levelAny
)

// affinity is CacheAffinity for one Core.
type affinity struct {
	inMemory func(id scheduling.JobID, m int32, node scheduling.NodeID) (here bool, nodes int)
	jobs     map[scheduling.JobID]*affinityWait
}

// affinityWait is how a job stands.
type affinityWait struct {
	level   int // to which it has waited; levelMemory at first
	refuses bool
	since   time.Duration // of the first refusal after the last launch, if it refuses
	next    int           // level, once the map that was chosen last is launched
}

// Parts are the parts that a program brings along, and under their names CacheAffinity and LEEN, so
// that settings may name these. Run makes them itself.
func Parts(p scheduling.Parts) scheduling.Parts { return (&sim{cache: &caches{}}).withParts(p) }

// withParts are the parts that a program brings along, and the simulator's own.
func (s *sim) withParts(p scheduling.Parts) scheduling.Parts {
	all := scheduling.Parts{
		Orders:  p.Orders,
		Maps:    map[string]func() scheduling.MapPlacement{},
		Reduces: map[string]func() scheduling.ReducePlacement{},
	}
	maps.Copy(all.Maps, p.Maps)
	maps.Copy(all.Reduces, p.Reduces)
	all.Reduces[LEEN] = func() scheduling.ReducePlacement { return &atHosts{s} }
	all.Maps[CacheAffinity] = func() scheduling.MapPlacement {
		return &affinity{inMemory: s.inMemory, jobs: map[scheduling.JobID]*affinityWait{}}
	}
	if s.cache == nil {
		delete(all.Maps, CacheAffinity)
	}
	return all
}

// Farthest implements scheduling.MapPlacement; Choose is called instead.
func (a *affinity) Farthest(scheduling.View, scheduling.MapOffer) scheduling.Locality {
	return scheduling.AnyPlace
}

// Choose implements scheduling.MapChooser: of the maps that may run here now the nearest, of those
// the first.
func (a *affinity) Choose(q scheduling.View, o scheduling.MapOffer) int32 {
	w := a.jobs[o.Job]
	if w == nil {
		w = &affinityWait{}
		a.jobs[o.Job] = w
	}
	waited := time.Duration(0)
	if w.refuses {
		waited = q.Now() - w.since
	}
	spec, err := q.Spec(o.Job)
	if err != nil {
		return -1 // a job that is offered a slot is known
	}
	lengths := q.Policy().Locality.Waits
	chosen, nearest := int32(-1), levelAny+1
	for m := range o.Waiting {
		at, best := a.levels(q, o, m, spec.Places)
		if at < nearest && (o.Urgent || at <= allowed(max(w.level, best), waited, lengths)) {
			chosen, nearest = m, at
			if w.next = at; at <= best {
				w.next = levelMemory
			}
		}
		if nearest == levelMemory {
			break
		}
	}
	if chosen < 0 && !w.refuses {
		w.refuses, w.since = true, q.Now()
	}
	return chosen
}

// levels says how near a map is to its block on the node of an offer, and on the best node there is.
func (a *affinity) levels(q scheduling.View, o scheduling.MapOffer, m int32, p scheduling.Places) (at, best int) {
	here, nodes := a.inMemory(o.Job, m, o.Node)
	best = levelNode
	if nodes > 0 {
		best = levelMemory
	}
	if here {
		return levelMemory, best
	}
	at = levelAny
	for _, n := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
		switch q.Between(n, o.Node) {
		case scheduling.NodeLocal:
			return levelNode, best
		case scheduling.RackLocal:
			at = levelRack
		default: // as far as another one, or farther
		}
	}
	return at, best
}

// allowed is the farthest level after some wait at a level.
func allowed(level int, waited time.Duration, lengths []time.Duration) int {
	until := time.Duration(0)
	for ; level < levelAny; level++ {
		if level < len(lengths) {
			until += lengths[level]
		}
		if waited < until {
			break
		}
	}
	return level
}

// Launched ends a job's wait: a map that runs as near as it could begins it anew, another one leaves
// the job at its level.
func (a *affinity) Launched(id scheduling.JobID) {
	if w := a.jobs[id]; w != nil {
		w.refuses, w.level = false, w.next
	}
}

// Forget drops the record of a job that has ended.
func (a *affinity) Forget(id scheduling.JobID) { delete(a.jobs, id) }
