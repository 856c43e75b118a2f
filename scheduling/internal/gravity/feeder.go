package gravity

// feeder is a node with outputs.
type feeder struct {
	at   Site
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
