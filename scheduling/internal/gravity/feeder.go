package gravity

// feeder is a node with outputs.
type feeder struct {
	at   Site  // of the last output
	rack int32 // of the node now; 0 in a network without racks
	high int64 // sum of the most bytes per reduce, of the maps scanned
	maps int   // folded
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

// subtract takes an output out that was added.
func (f *feeder) subtract(bytes []int64) {
	f.maps--
	switch {
	case f.maps == 0:
		f.parts, f.owned = [unmerged][]int64{}, false
	case f.owned:
		for r, b := range bytes {
			f.parts[0][r] -= b
		}
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
type place struct{ node, feeder int32 }

// place finds a node among the places.
func (g *Outputs) place(node int32) (at int, known bool) {
	lo, hi := 0, len(g.places)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if g.places[mid].node < node {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(g.places) && g.places[lo].node == node
}

// feeding finds what is kept of a node with outputs, nil for others.
func (g *Outputs) feeding(node int32) *feeder {
	if i, known := g.place(node); known {
		return &g.feeders[g.places[i].feeder]
	}
	return nil
}

// manyMaps is the number of maps from which on a job's peaks are kept by rack.
const manyMaps = 128

// rack is what lies in a rack.
type rack struct {
	feeders []int32
	peak    []int64 // by reduce, as Outputs.peak; nil unless the job has many maps
}

// rackOf is the number of a site's rack.
func (at Site) rackOf() int32 {
	if len(at.Groups) < 2 {
		return 0
	}
	return at.Groups[1]
}

// enlist puts a feeder into the list of a rack.
func (g *Outputs) enlist(i, to int32) {
	if need := int(to) + 1 - len(g.racks); need > 0 {
		g.racks = append(g.racks, make([]rack, need)...)
	}
	g.racks[to].feeders = append(g.racks[to].feeders, i)
	g.feeders[i].rack = to
}

// Moved tells that a node stands elsewhere now: what lies there moves with it, as far as the search
// for it goes; its outputs count where they were added.
func (g *Outputs) Moved(at Site) {
	i, known := g.place(at.Node)
	if !known {
		return
	}
	f := g.places[i].feeder
	if from := &g.racks[g.feeders[f].rack].feeders; g.feeders[f].rack != at.rackOf() {
		*from = without(*from, f)
		g.enlist(f, at.rackOf())
		if g.feeders[f].maps > 0 {
			g.raise(&g.feeders[f])
		}
	}
}

// InRack lists the feeders in a rack. The slice is to be read at once.
func (g *Outputs) InRack(k int32) []int32 {
	if int(k) >= len(g.racks) {
		return nil
	}
	return g.racks[k].feeders
}

// Many tells whether the job has so many maps that its peaks are known by rack.
func (g *Outputs) Many() bool { return len(g.outs) >= manyMaps }

// PeakIn is at least the most bytes of reduce r on a node of a rack, of the outputs folded.
func (g *Outputs) PeakIn(k, r int32) int64 {
	switch {
	case len(g.InRack(k)) == 0:
		return 0
	case g.racks[k].peak == nil:
		return g.peak[r]
	}
	return g.racks[k].peak[r]
}

// PeaksIn is PeakIn of all reduces of a job with many maps, to be read at once; nil if all are 0.
func (g *Outputs) PeaksIn(k int32) []int64 {
	if int(k) >= len(g.racks) {
		return nil
	}
	return g.racks[k].peak
}
