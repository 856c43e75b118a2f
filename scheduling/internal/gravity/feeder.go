package gravity

// feeder is a node with outputs.
type feeder struct {
	at   Site
	high int64 // sum of the most bytes per reduce, of the maps scanned
	maps int   // folded
	// row is the bytes per reduce on the node, of the maps folded; nil if there is none. As long as
	// the node has one output, it is that output's slice.
	row    []int64
	shared bool
}

// add counts an output in the node's row.
func (f *feeder) add(bytes []int64, reduces int) {
	f.maps++
	if f.maps == 1 && len(bytes) == reduces {
		f.row, f.shared = bytes, true
		return
	}
	if f.row == nil || f.shared {
		row := make([]int64, reduces)
		copy(row, f.row)
		f.row, f.shared = row, false
	}
	for r, b := range bytes {
		f.row[r] += b
	}
}

// subtract takes an output out of the node's row.
func (f *feeder) subtract(bytes []int64) {
	if f.maps--; f.maps == 0 {
		f.row, f.shared = nil, false
		return
	}
	for r, b := range bytes {
		f.row[r] -= b
	}
}

// feeding finds what is kept of a node with outputs, nil for others.
func (g *Outputs) feeding(node int32) *feeder {
	if int(node) >= len(g.feeder) || g.feeder[node] == 0 {
		return nil
	}
	return &g.feeders[g.feeder[node]-1]
}
