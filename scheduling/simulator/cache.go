package simulator

import (
	"container/list"
	"maps"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// block identifies a block of the workload: of a shared file, for all jobs that read it, or of a
// job's own input.
type block struct {
	file  int32 // from 1; 0 means the job's own
	job   int32 // owner of the input; 0 with a file
	index int32
}

// caches are the nodes' memories for blocks. A node keeps each block that a map has read there,
// from the end of that map, and evicts the least recently read ones to make room.
type caches struct {
	room  int64 // of each node, in bytes
	nodes []memory
	on    map[block]int // by block: number of nodes that have it
}

// memory holds the blocks of one node.
type memory struct {
	at        map[block]*list.Element
	list      list.List // elements are of type kept; the most recently read one is first
	usedBytes int64
}

// kept is a block in memory and its size in bytes.
type kept struct {
	block block
	bytes int64
}

// newCaches returns caches with room bytes per node; nil if room is 0.
func newCaches(nodes int, room int64) *caches {
	if room == 0 {
		return nil
	}
	c := &caches{room: room, nodes: make([]memory, nodes), on: map[block]int{}}
	for i := range c.nodes {
		c.nodes[i].at = map[block]*list.Element{}
	}
	return c
}

// has reports whether a node has a block in memory.
func (c *caches) has(node int32, b block) bool { return c.nodes[node].at[b] != nil }

// read reports whether a node has a block in memory, and marks it as most recently read.
func (c *caches) read(node int32, b block) bool {
	if c == nil {
		return false
	}
	m := &c.nodes[node]
	e := m.at[b]
	if e != nil {
		m.list.MoveToFront(e)
	}
	return e != nil
}

// keep stores a block that was read in a node's memory. A block larger than the memory, or empty,
// is not stored.
func (c *caches) keep(node int32, b block, bytes int64) {
	if c == nil || bytes > c.room || bytes <= 0 || c.read(node, b) {
		return
	}
	m := &c.nodes[node]
	for m.usedBytes+bytes > c.room {
		c.drop(m, m.list.Back())
	}
	m.at[b] = m.list.PushFront(kept{b, bytes})
	m.usedBytes += bytes
	c.on[b]++
}

// drop removes a block from a memory.
func (c *caches) drop(m *memory, e *list.Element) {
	h := m.list.Remove(e).(kept)
	delete(m.at, h.block)
	m.usedBytes -= h.bytes
	if c.on[h.block]--; c.on[h.block] == 0 {
		delete(c.on, h.block)
	}
}

// empty clears the memory of a failed node.
func (c *caches) empty(node int32) {
	if c == nil {
		return
	}
	m := &c.nodes[node]
	for m.list.Len() > 0 {
		c.drop(m, m.list.Back())
	}
}

// blockOf returns the block that a map of the job reads.
func (j *simJob) blockOf(m int32) block {
	if f := j.spec.File; f > 0 {
		return block{file: int32(f), index: m}
	}
	return block{job: j.index, index: m}
}

// inMemory reports whether the block of a job's map is in the memory of a node, and of how many
// nodes.
func (s *sim) inMemory(id scheduling.JobID, m int32, node scheduling.NodeID) (here bool, nodes int) {
	b := s.byID[id].blockOf(m)
	return s.cache.has(int32(node), b), s.cache.on[b]
}

// CacheAffinity names a placement of maps for Policy.Locality.Part, for clusters with
// Cluster.Cache. A node with a map's block in memory is one level nearer than a node with the block
// on disk. Policy.Locality.Waits are W0 for memory, W1 for a disk and W2 for a rack with one; after
// these a map runs anywhere. Missing waits are 0. [Zaharia10 §6] proposes something similar for
// files that a distributed cache has brought to nodes.
//
// It is delay scheduling with one more level. A job waits from the first slot that it refuses until
// its next launch, and stays at the level that it has reached until a map runs as near as it could.
// A map whose block is in no memory does not wait for one. The JobTracker knows at once what nodes
// have in memory. That is not part of its calls: a replay without the simulator cannot ask.
const CacheAffinity = "cache-affinity"

// The levels of CacheAffinity.
const (
	levelMemory = iota
	levelNode
	levelRack
	levelAny
)

// affinity implements CacheAffinity for one Core; inMemory is sim.inMemory.
type affinity struct {
	inMemory func(id scheduling.JobID, m int32, node scheduling.NodeID) (here bool, nodes int)
	jobs     map[scheduling.JobID]*affinityWait
}

// affinityWait records how long a job has waited, and the level that it has reached.
type affinityWait struct {
	level   int // that it has reached; levelMemory at first
	refuses bool
	since   time.Duration // time of the first refusal since the last launch, if refuses
	next    int           // level after the launch of the map chosen last
}

// Parts returns the parts of p, plus CacheAffinity and LEEN under their names, so that settings may
// name these. Run adds them itself.
func Parts(p scheduling.Parts) scheduling.Parts { return (&sim{cache: &caches{}}).withParts(p) }

// withParts returns p plus the simulator's parts LEEN and, if nodes have a cache, CacheAffinity.
func (s *sim) withParts(p scheduling.Parts) scheduling.Parts {
	all := scheduling.Parts{
		Orders:  p.Orders,
		Maps:    map[string]func() scheduling.MapPlacement{},
		Reduces: map[string]func() scheduling.ReducePlacement{},
	}
	maps.Copy(all.Maps, p.Maps)
	maps.Copy(all.Reduces, p.Reduces)
	all.Reduces[LEEN] = func() scheduling.ReducePlacement { return &leenPlacement{s} }
	all.Maps[CacheAffinity] = func() scheduling.MapPlacement {
		return &affinity{inMemory: s.inMemory, jobs: map[scheduling.JobID]*affinityWait{}}
	}
	if s.cache == nil {
		delete(all.Maps, CacheAffinity)
	}
	return all
}

// Farthest implements scheduling.MapPlacement; Choose is called instead.
func (a *affinity) Farthest(scheduling.View, scheduling.Offer) scheduling.Locality {
	return scheduling.AnyPlace
}

// Choose implements scheduling.MapChooser: it returns the nearest of the maps that may run here
// now, the first among equals.
func (a *affinity) Choose(q scheduling.View, o scheduling.Offer) int32 {
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

// levels returns the level of a map on the offered node, and on the best node.
func (a *affinity) levels(q scheduling.View, o scheduling.Offer, m int32, p scheduling.Places) (at, best int) {
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
		default: // at least as far as another map
		}
	}
	return at, best
}

// allowed returns the maximum level after waiting at level; lengths has the wait of each level.
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

// Launched ends a job's wait: a map that runs as near as it could restarts it, any other leaves the
// job at its level.
func (a *affinity) Launched(id scheduling.JobID) {
	if w := a.jobs[id]; w != nil {
		w.refuses, w.level = false, w.next
	}
}

// Forget drops the record of a job that has ended.
func (a *affinity) Forget(id scheduling.JobID) { delete(a.jobs, id) }
