package dfs

// FileHealth is what Check finds of a file.
type FileHealth struct {
	Name   string        `json:"file"`
	Size   int64         `json:"size"` // in bytes
	Blocks []BlockHealth `json:"blocks"`
}

// BlockHealth is what Check finds of a block.
type BlockHealth struct {
	Block            // Nodes are those with a good replica
	Wanted  int      `json:"wanted"`            // replicas
	Corrupt []NodeID `json:"corrupt,omitempty"` // nodes whose replica did not match its sums
}

// Missing tells whether no node has a good replica.
func (b *BlockHealth) Missing() bool { return len(b.Nodes) == 0 }

// Check reads every replica of a file that a live node has reported, whole, against its sums: those
// that do not match are dropped, as for a reader, and are healed by the next Heal. Blocks of a
// registered source have no sums. The error is of a file that is not there.
func (f *FS) Check(name string) (FileHealth, error) {
	h := FileHealth{Name: name}
	blocks, err := f.Blocks(name)
	if err != nil {
		return h, err
	}
	for _, b := range blocks {
		h.Size += b.Length
		found := BlockHealth{Block: b, Wanted: f.cfg.Replication}
		found.Nodes = nil
		for _, id := range b.Nodes {
			p := f.stores[id].get(b.ID)
			if p == nil {
				continue // it went since
			}
			if p.src == nil {
				if _, _, err := p.view(0, int(p.n)); err != nil {
					found.Corrupt = append(found.Corrupt, id)
					f.dropCorrupt(id, b.ID)
					continue
				}
			}
			found.Nodes = append(found.Nodes, id)
		}
		h.Blocks = append(h.Blocks, found)
	}
	return h, nil
}
