// Package gravity works out where the input of a reduce has its center of gravity [Hammoud12]: the
// weights of nodes and racks, the network distances, the centers. It knows numbers of nodes and
// bytes only: which node has a slot, and how long to wait for it, is the affair of the caller.
package gravity

import (
	"math"
	"slices"
)

// Site is a node and where it stands in the network: its group at each level, from the node itself
// over its rack to wider groups. Two sites with the same group at a level are near each other
// there.
type Site struct {
	Node   int32
	Groups []int32
}

// Outputs keeps where the outputs of a job's maps lie, and from that the distances of its reduces.
//
// The network distance of two nodes is twice the height of the lowest level that they share: 0 on
// the node, 2 in the rack, 4 beyond it. With W the input of a reduce, W_l(v) what lies in the
// level-l group of node v (l = 0: on v itself) and H levels, the weighted total network distance of
// the reduce at v is
//
//	WTND(v) = 2 (H W − score(v)),  score(v) = Σ_l W_l(v);  for racks: 4W − 2 W_rack(v) − 2 w(v)
//
// so that the center of gravity, the feeding node of least WTND, is the one with the greatest
// score.
//
// Adding an output costs O(1). Its bytes are looked at when a plan is made: first only the least
// and the most of each output, which is enough to see that a job spread evenly has nothing to gain;
// if not, they are folded into sums per rack and reduce.
type Outputs struct {
	reduces int
	outs    []output // by map
	known   int      // maps whose output is known
	feeders []feeder
	places  places
	racks   []int32   // by rack: 1 + the first of its feeders, 0 for none
	peaks   [][]int64 // by rack and reduce, as peak; none unless the job has many maps

	scan   []int32 // maps not scanned yet
	sumLow int64   // sum of the outputs' least bytes per reduce: no reduce has less
	unfold []int32 // maps scanned, but not folded yet
	owed   int     // of those, and then of scan, so many are to be folded before an output goes or a node moves
	levels []level // of groups, from 1
	spare  []int64 // for rows to come
	peak   []int64 // by reduce: at least the most bytes on one node, of the maps folded
	sum    []int64 // by reduce: that of all groups of level 1
	total  []int64 // by reduce: sum as of the last SumUp
	before []int64 // as of the one before
}

// output is a map's output: where it lies, and its bytes per reduce.
type output struct {
	at      Site
	bytes   []int64 // nil: not known
	feeder  int32   // index of its node
	scanned bool
	folded  bool
}

// New makes the record of a job of which no output is known.
func New(maps, reduces int) *Outputs {
	return &Outputs{reduces: reduces, outs: make([]output, maps)}
}

// Known is the number of maps whose output is known.
func (g *Outputs) Known() int { return g.known }

// Total is the known input of reduce r in bytes, as of the last SumUp.
func (g *Outputs) Total(r int32) int64 { return g.total[r] }

// Totals is Total of all reduces, and what it was before the last SumUp, to be read at once.
func (g *Outputs) Totals() (now, before []int64) { return g.total, g.before }

// Peak is at least the most bytes of reduce r on one node, of the outputs folded.
func (g *Outputs) Peak(r int32) int64 { return g.peak[r] }

// Feeders is the number of nodes on which outputs lie, or lay.
func (g *Outputs) Feeders() int { return len(g.feeders) }

// Feeder is one of these nodes, with its bytes per reduce of the outputs folded: the sum of two
// slices, zeros at the end left out, of which the second or both may be nil. They are to be read at
// once.
func (g *Outputs) Feeder(i int) (node int32, first, second []int64) {
	f := &g.feeders[i]
	return f.at.Node, f.parts[0], f.parts[1]
}

// FeederNode is one of these nodes, and HeldBy the bytes of reduce r that lie there.
func (g *Outputs) FeederNode(i int32) int32 { return g.feeders[i].at.Node }

// HeldBy is Held of a feeder.
func (g *Outputs) HeldBy(i, r int32) int64 { return g.feeders[i].held(r) }

// Feeds tells whether outputs that are folded lie on a node.
func (g *Outputs) Feeds(node int32) bool {
	f := g.feeding(node)
	return f != nil && f.maps > 0
}

// Add puts in the output of map m, which has none: its bytes per reduce, zeros at the end left out.
// The slices are kept.
func (g *Outputs) Add(m int32, at Site, bytes []int64) {
	i := g.places.find(at.Node)
	if i >= 0 {
		f := &g.feeders[i]
		f.at = at
		if f.rack != at.rackOf() {
			g.Moved(at)
		}
	} else {
		i = int32(len(g.feeders))
		g.places.add(at.Node, int(i))
		if n := len(g.feeders); n == cap(g.feeders) {
			// Twice as many, not a quarter more, but seldom more than maps: where outputs lay counts, too.
			// A job with few maps has no other table than its first.
			g.feeders = slices.Grow(g.feeders, min(max(fewMaps, n), max(1, len(g.outs)-n)))
		}
		g.feeders = append(g.feeders, feeder{at: at, rack: at.rackOf()})
	}
	g.outs[m] = output{at: at, bytes: bytes[:min(len(bytes), g.reduces)], feeder: i}
	g.known++
	if g.scan == nil {
		both := make([]int32, 2*min(fewMaps, len(g.outs)))
		half := len(both) / 2
		g.scan, g.unfold = both[:0:half], both[half:half]
	}
	g.scan = append(g.scan, m)
}

// fewMaps is the number of outputs for which there is room from the first on.
const fewMaps = 16

// Remove takes the output of map m out and tells whether it was known.
func (g *Outputs) Remove(m int32) bool {
	o := &g.outs[m]
	if o.bytes == nil {
		return false
	}
	g.fold(g.owed)
	f := &g.feeders[o.feeder]
	if o.scanned {
		g.count(f, o, -1)
	}
	if o.folded {
		for l := 1; l < len(o.at.Groups); l++ {
			row := g.row(l, o.at.Groups[l])
			minus(row, o.bytes)
			if l == 1 {
				minus(g.sum, o.bytes)
			}
		}
		f.subtract(o.bytes)
	}
	g.known--
	*o = output{}
	g.scan, g.unfold = without(g.scan, m), without(g.unfold, m)
	return true
}

// without takes m out of list.
func without(list []int32, m int32) []int32 {
	for i, k := range list {
		if k == m {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// Scan looks at the least and the most bytes of the outputs that are new.
func (g *Outputs) Scan() {
	for _, m := range g.scan {
		o := &g.outs[m]
		o.scanned = true
		g.count(&g.feeders[o.feeder], o, 1)
	}
	g.unfold = append(g.unfold, g.scan...)
	g.scan = g.scan[:0]
}

// span is the least and the most of list, or the largest number and 0 if it is empty. Each
// comparison waits for the one before it, so four go on side by side: placing reduces takes a tenth
// less time.
func span(list []int64) (low, high int64) {
	low, low2, low3, low4 := int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64)
	var high2, high3, high4 int64
	for len(list) >= 4 {
		b := (*[4]int64)(list)
		low, low2, low3, low4 = min(low, b[0]), min(low2, b[1]), min(low3, b[2]), min(low4, b[3])
		high, high2, high3, high4 = max(high, b[0]), max(high2, b[1]), max(high3, b[2]), max(high4, b[3])
		list = list[4:]
	}
	for _, b := range list {
		low, high = min(low, b), max(high, b)
	}
	return min(low, low2, low3, low4), max(high, high2, high3, high4)
}

// count adds (1) or takes away (-1) a scanned output.
func (g *Outputs) count(f *feeder, o *output, sign int64) {
	low, high := span(o.bytes)
	if len(o.bytes) < g.reduces {
		low = 0
	}
	g.sumLow += sign * low
	f.high += sign * high
	for l := 1; l < len(o.at.Groups); l++ {
		g.sumOf(l, o.at.Groups[l]).high += sign * high
	}
}

// Even tells whether no reduce can have more than part × levels × its input as score on any node,
// judging by the least and the most of each output.
func (g *Outputs) Even(part float64, levels int) bool {
	bound := int64(0)
	for i := range g.feeders {
		bound = max(bound, g.feeders[i].high)
	}
	for l := 1; l < min(levels, len(g.levels)); l++ {
		bound += g.levels[l].mostHigh()
	}
	return float64(bound) <= part*float64(int64(levels)*g.sumLow)
}

// Fold adds the outputs scanned to the sums per rack and reduce.
func (g *Outputs) Fold() {
	g.fold(len(g.unfold) + len(g.scan))
	g.makeSums()
}

// makeSums makes room for the sums.
func (g *Outputs) makeSums() {
	if g.total == nil {
		all, n := make([]int64, 4*g.reduces), g.reduces
		g.total, g.before, g.peak, g.sum = all[:n:n], all[n:2*n:2*n], all[2*n:3*n:3*n], all[3*n:]
	}
}

// Owe has all outputs that are there count as folded. To fold them can wait for the next Fold, which
// does many at once, unless an output is taken out or a node moves before: peaks stay.
func (g *Outputs) Owe() { g.owed = len(g.unfold) + len(g.scan) }

// fold folds the first outputs that are not.
func (g *Outputs) fold(outputs int) {
	if outputs == 0 {
		return
	}
	g.Scan()
	g.makeSums()
	for _, m := range g.unfold[:outputs] {
		o := &g.outs[m]
		o.folded = true
		for l := 1; l < len(o.at.Groups); l++ {
			plus(g.row(l, o.at.Groups[l]), o.bytes)
			if l == 1 {
				plus(g.sum, o.bytes)
			}
		}
		f := &g.feeders[o.feeder]
		f.add(o.bytes, g.reduces)
		g.enlist(o.feeder)
		g.raise(f)
	}
	g.unfold, g.owed = append(g.unfold[:0], g.unfold[outputs:]...), 0
}

// raise takes what lies on a node into the peaks. That of a rack is never more than that of all.
func (g *Outputs) raise(f *feeder) {
	first, second := f.parts[0], f.parts[1]
	least := g.peak
	if g.Many() {
		if need := int(f.rack) + 1 - len(g.peaks); need > 0 {
			g.peaks = append(g.peaks, make([][]int64, need)...)
		}
		if g.peaks[f.rack] == nil {
			g.peaks[f.rack] = make([]int64, g.reduces)
		}
		least = g.peaks[f.rack]
	}
	low := least[:len(first)]
	for r, b := range first {
		if b > low[r] {
			low[r] = b
			g.peak[r] = max(g.peak[r], b)
		}
	}
	for r, b := range second {
		if r < len(first) {
			b += first[r]
		}
		least[r], g.peak[r] = max(least[r], b), max(g.peak[r], b)
	}
}

// SumUp works out the totals of all reduces.
func (g *Outputs) SumUp() {
	g.total, g.before = g.before, g.total
	copy(g.total, g.sum)
}

// Sizes is the bytes per reduce of the first outputs that are known, at most so many: enough to
// tell the larger reduces of an even job.
func (g *Outputs) Sizes(outputs int) []int64 {
	size := make([]int64, g.reduces)
	for m := 0; m < len(g.outs) && outputs > 0; m++ {
		for r, b := range g.outs[m].bytes {
			size[r] += b
		}
		if g.outs[m].bytes != nil {
			outputs--
		}
	}
	return size
}

// Held is the bytes of reduce r that lie on a node; the outputs are folded.
func (g *Outputs) Held(r, node int32) int64 {
	if f := g.feeding(node); f != nil {
		return f.held(r)
	}
	return 0
}

// Score is the sum over the first levels levels of the bytes of reduce r in the site's group; the
// outputs are folded.
func (g *Outputs) Score(r int32, at Site, levels int) int64 {
	return g.Held(r, at.Node) + g.Around(r, at, levels)
}
