package scheduling

// feeder is a node with outputs.
type feeder struct {
	node *node
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
func (g *gravity) feeding(n *node) *feeder {
	if int(n.id) >= len(g.feeder) || g.feeder[n.id] == 0 {
		return nil
	}
	return &g.feeders[g.feeder[n.id]-1]
}

// on is the number of reduces launched on n.
func (g *gravity) on(n *node) int32 {
	if int(n.id) >= len(g.placed) {
		return 0
	}
	return g.placed[n.id]
}

// place counts a reduce launched on n (1), or one that has come to nothing (-1).
func (g *gravity) place(n *node, count int32) {
	g.placed = upTo(g.placed, n.id)
	g.placed[n.id] += count
}

// upTo lengthens a list so that it has an element for id.
func upTo(list []int32, id NodeID) []int32 {
	if need := int(id) + 1 - len(list); need > 0 {
		list = append(list, make([]int32, need)...)
	}
	return list
}
