package dfs

// FileHealth is the result of Check for a file.
type FileHealth struct {
	Name   string        `json:"file"`
	Size   int64         `json:"size"` // in bytes
	Blocks []BlockHealth `json:"blocks"`
}

// BlockHealth is the result of Check for a block.
type BlockHealth struct {
	Block            // Nodes has only those with a good replica
	Wanted  int      `json:"wanted"`            // number of replicas
	Corrupt []NodeID `json:"corrupt,omitempty"` // nodes whose replica did not match its checksums
}

// Missing reports whether no node has a good replica.
func (b *BlockHealth) Missing() bool { return len(b.Nodes) == 0 }

// Check reads and verifies every reported replica of a file. It drops corrupt replicas, as reads
// do, and the next Heal replaces them. Blocks of a registered source have no checksums. It returns
// an error if the file does not exist.
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
				continue // removed meanwhile
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
