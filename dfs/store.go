package dfs

import (
	"bytes"
	"slices"
	"sync"
)

// store is the disk of one node: its replicas, and the changes since its last report.
type store struct {
	mu            sync.Mutex
	blocks        map[BlockID]*payload
	have          []BlockID
	removedBlocks []BlockID
}

func newStore() *store { return &store{blocks: map[BlockID]*payload{}} }

func (s *store) put(id BlockID, p *payload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks[id] = p
	s.have = append(s.have, id)
}

func (s *store) get(id BlockID) *payload {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blocks[id]
}

// drop deletes a replica, to be reported as removed, and returns whether it existed.
func (s *store) drop(id BlockID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.blocks[id]; !ok {
		return false
	}
	delete(s.blocks, id)
	s.removedBlocks = append(s.removedBlocks, id)
	return true
}

// forget deletes replicas that the namespace does not want, so no report names them.
func (s *store) forget(ids []BlockID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.blocks, id)
	}
}

// changes returns a report of the replicas added and removed since the last call.
func (s *store) changes(node NodeID) Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Report{Node: node, Have: s.have, Gone: s.removedBlocks}
	s.have, s.removedBlocks = nil, nil
	return r
}

// all returns a full report, with all replicas by ID. The next changes starts after it.
func (s *store) all(node NodeID) Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Report{Node: node, Full: true, Have: make([]BlockID, 0, len(s.blocks))}
	for id := range s.blocks {
		r.Have = append(r.Have, id)
	}
	slices.Sort(r.Have)
	s.have, s.removedBlocks = nil, nil
	return r
}

// wipe removes all replicas and unreported changes, like the loss of a node's disks.
func (s *store) wipe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks, s.have, s.removedBlocks = map[BlockID]*payload{}, nil, nil
}

// Damage flips one bit of a node's replica of a block, as a bad disk does, and reports whether the
// node had such a replica with bytes. It is for fault injection: the next read of the replica fails
// its checksum. Other replicas stay intact.
func (f *FS) Damage(id NodeID, b BlockID) bool {
	s := f.stores[id]
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.blocks[b]
	if p == nil || len(p.data) == 0 {
		return false
	}
	q := *p
	q.data = bytes.Clone(p.data)
	q.data[0] ^= 1
	s.blocks[b] = &q
	return true
}
