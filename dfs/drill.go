package dfs

import "bytes"

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
