package simulator

import (
	"container/list"

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
	b := s.jobs[s.byID[id]].blockOf(m)
	return s.cache.has(int32(node), b), s.cache.on[b]
}
