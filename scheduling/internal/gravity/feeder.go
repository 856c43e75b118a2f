package gravity

// feeder is a node with outputs.
type feeder struct {
	at   Site  // of the last output
	rack int32 // of the node now; 0 in a network without racks
	next int32 // 1 + the next feeder of the rack, 0 at the end
	// listed: it stands in the list of the rack, as all do of which an output was folded.
	listed bool
	high   int64 // sum of the most bytes per reduce, of the maps scanned
	maps   int   // folded
	// parts add up to the bytes per reduce on the node, of the maps folded: the slices of its
	// outputs, zeros at the end left out, as long as there are few, else their sum, which is owned.
	parts [unmerged][]int64
	owned bool
}

// unmerged is how many outputs of a node are looked at one by one: most nodes have few outputs of
// any job, and so need no memory for their sum.
const unmerged = 2

// add counts an output.
func (f *feeder) add(bytes []int64, reduces int) {
	f.maps++
	if !f.owned {
		if f.maps <= unmerged {
			f.parts[f.maps-1] = bytes
			return
		}
		sum := make([]int64, reduces)
		for i, part := range f.parts {
			plus(sum, part)
			f.parts[i] = nil
		}
		f.parts[0], f.owned = sum, true
	}
	plus(f.parts[0], bytes)
}

// plus adds a slice to one that is at least as long.
func plus(sum, bytes []int64) {
	sum = sum[:len(bytes)]
	for r, b := range bytes {
		sum[r] += b
	}
}

// minus takes a slice off one that is at least as long.
func minus(sum, bytes []int64) {
	for r, b := range bytes {
		sum[r] -= b
	}
}

// subtract takes an output out that was added.
func (f *feeder) subtract(bytes []int64) {
	f.maps--
	switch {
	case f.maps == 0:
		f.parts, f.owned = [unmerged][]int64{}, false
	case f.owned:
		minus(f.parts[0], bytes)
	default: // one of two is left
		if first := f.parts[0]; len(first) == len(bytes) && (len(first) == 0 || &first[0] == &bytes[0]) {
			f.parts[0] = f.parts[1]
		}
		f.parts[1] = nil
	}
}

// held is the bytes of reduce r on the node.
func (f *feeder) held(r int32) (sum int64) {
	for _, part := range f.parts {
		if int(r) < len(part) {
			sum += part[r]
		}
	}
	return sum
}

// place says which of the feeders a node is.
type place struct {
	node   int32
	feeder int32 // + 1; 0: empty
}

// places finds the feeders by node: a table with open addressing, at most half full, so that a job
// keeps what its outputs need, not what the cluster does. Numbers are spread by Fibonacci hashing.
type places struct {
	table []place
	shift uint8
}

// of is the place of a node, or the empty one where it belongs; there must be a table.
func (p *places) of(node int32) *place {
	mask := uint32(len(p.table) - 1)
	for h := uint32(node) * 2654435769 >> p.shift; ; h = (h + 1) & mask {
		if at := &p.table[h]; at.feeder == 0 || at.node == node {
			return at
		}
	}
}

// find is the index of a node's feeder, -1 if it has none.
func (p *places) find(node int32) int32 {
	if len(p.table) == 0 {
		return -1
	}
	return p.of(node).feeder - 1
}

// add puts in a node that is not there, as the next feeder after so many.
func (p *places) add(node int32, feeders int) {
	if 2*feeders >= len(p.table) {
		old := p.table
		p.table, p.shift = make([]place, max(8, 2*len(old))), 29
		for size := 8; size < len(p.table); size *= 2 {
			p.shift--
		}
		for _, at := range old {
			if at.feeder > 0 {
				*p.of(at.node) = at
			}
		}
	}
	*p.of(node) = place{node, int32(feeders) + 1}
}

// feeding finds what is kept of a node with outputs, nil for others.
func (g *Outputs) feeding(node int32) *feeder {
	if i := g.places.find(node); i >= 0 {
		return &g.feeders[i]
	}
	return nil
}

// manyMaps is the number of maps from which on a job's peaks are kept by rack.
const manyMaps = 128

// rackOf is the number of a site's rack.
func (at Site) rackOf() int32 {
	if len(at.Groups) < 2 {
		return 0
	}
	return at.Groups[1]
}

// enlist puts a feeder into the list of the rack where it stands, if it is in none.
func (g *Outputs) enlist(i int32) {
	f := &g.feeders[i]
	if f.listed {
		return
	}
	f.listed = true
	if need := int(f.rack) + 1 - len(g.racks); need > 0 {
		g.racks = append(g.racks, make([]int32, need)...)
	}
	f.next, g.racks[f.rack] = g.racks[f.rack], i+1
}

// Moved tells that a node stands elsewhere now: what lies there moves with it, as far as the search
// for it goes; its outputs count where they were added.
func (g *Outputs) Moved(at Site) {
	g.fold(g.owed)
	i := g.places.find(at.Node)
	if i < 0 || g.feeders[i].rack == at.rackOf() {
		return
	}
	f := &g.feeders[i]
	if f.listed {
		at := &g.racks[f.rack]
		for *at != i+1 {
			at = &g.feeders[*at-1].next
		}
		*at = f.next
	}
	listed := f.listed
	f.rack, f.listed = at.rackOf(), false
	if listed {
		g.enlist(i)
		g.raise(f)
	}
}

// FirstIn is one of the feeders in a rack, and NextIn the one after another; -1 for none.
func (g *Outputs) FirstIn(k int32) int32 {
	if int(k) >= len(g.racks) {
		return -1
	}
	return g.racks[k] - 1
}

// NextIn goes on from FirstIn.
func (g *Outputs) NextIn(i int32) int32 { return g.feeders[i].next - 1 }

// Many tells whether the job has so many maps that its peaks are known by rack.
func (g *Outputs) Many() bool { return len(g.outs) >= manyMaps }

// PeakIn is at least the most bytes of reduce r on a node of a rack, of the outputs folded.
func (g *Outputs) PeakIn(k, r int32) int64 {
	switch {
	case g.FirstIn(k) < 0:
		return 0
	case int(k) >= len(g.peaks) || g.peaks[k] == nil:
		return g.peak[r]
	}
	return g.peaks[k][r]
}

// PeaksIn is PeakIn of all reduces of a job with many maps, to be read at once; nil if all are 0.
func (g *Outputs) PeaksIn(k int32) []int64 {
	if int(k) >= len(g.peaks) {
		return nil
	}
	return g.peaks[k]
}
