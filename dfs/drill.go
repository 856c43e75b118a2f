package dfs

import "bytes"

// Damage flips one bit of a node's replica of a block, as a bad disk does, and tells whether the
// node held bytes of it. It is for drills: what reads the replica next finds that its checksum does
// not match. Other replicas stay as they are.
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
