// Package gravity knows where the input of each reduce lies, and from that the network distances
// [Hammoud12]. It knows numbers of nodes and bytes only: which node has a slot, and how long to wait
// for it, is the affair of the caller.
package gravity

import "math"

// Site is a node and where it stands in the network: its group at each level, from the node itself
// over its rack to wider groups. Two sites with the same group at a level are near each other
// there.
type Site struct {
	Node   int32
	Groups []int32
}

// Outputs keeps where the outputs of a job's maps lie.
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
// Adding an output looks at its bytes once, for Even. They are added up per node, rack and reduce by
// Fold: a job spread so evenly that it has nothing to gain needs no sums.
type Outputs struct {
	reduces int
	outs    []output // by map
	known   int      // maps whose output is known
	removed int      // outputs taken out so far

	feeders []Feeder
	of      []int32 // by node: 1 + its feeder, 0 for none
	levels  [][]sum // by level from 0, which is empty, and group
	sumLow  int64   // sum of the outputs' least bytes per reduce: no reduce has less
	unfold  []int32 // maps that are not folded yet
	total   []int64 // by reduce; nil before the first Fold
}

// output is a map's output: where it lies, and its bytes per reduce.
type output struct {
	at     Site
	bytes  []int64 // nil: not known
	folded bool
}

// sum is what lies in a group of nodes.
type sum struct {
	high  int64   // sum of the most bytes per reduce
	bytes []int64 // per reduce, of the maps folded; nil before the first
}

// Feeder is a node on which outputs lie, or lay.
type Feeder struct {
	Node  int32
	Bytes []int64 // per reduce, of the outputs folded, zeros at the end left out; to be read at once
	maps  int     // folded
	owned bool    // Bytes is a sum, not the slice of the one output there
	high  int64   // sum of the most bytes per reduce
}

// New makes the record of a job of which no output is known.
func New(maps, reduces int) *Outputs {
	return &Outputs{reduces: reduces, outs: make([]output, maps)}
}

// Known is the number of maps whose output is known.
func (g *Outputs) Known() int { return g.known }

// Removed is how many outputs have been taken out so far.
func (g *Outputs) Removed() int { return g.removed }

// Feeders is the nodes on which outputs lie, or lay, to be read at once.
func (g *Outputs) Feeders() []Feeder { return g.feeders }

// Feeds reports whether outputs that are folded lie on a node.
func (g *Outputs) Feeds(node int32) bool {
	return int(node) < len(g.of) && g.of[node] > 0 && g.feeders[g.of[node]-1].maps > 0
}

// Total is the input of reduce r in bytes, of the outputs folded.
func (g *Outputs) Total(r int32) int64 { return at(g.total, r) }

// Totals is Total of all reduces, nil before the first Fold; to be read at once.
func (g *Outputs) Totals() []int64 { return g.total }

// Held is the bytes of reduce r that lie on a node, of the outputs folded.
func (g *Outputs) Held(r, node int32) int64 {
	if int(node) >= len(g.of) || g.of[node] == 0 {
		return 0
	}
	return at(g.feeders[g.of[node]-1].Bytes, r)
}

// Around is the bytes of reduce r in the groups of a site below a level, but on the node itself, each
// level counted; of the outputs folded.
func (g *Outputs) Around(r int32, site Site, levels int) (bytes int64) {
	for l := 1; l < min(levels, len(g.levels)); l++ {
		bytes += at(g.In(l, site), r)
	}
	return bytes
}

// In is the bytes per reduce in the group of a site at a level from 1, of the outputs folded; nil if
// there are none. To be read at once.
func (g *Outputs) In(level int, site Site) []int64 {
	if level >= len(g.levels) || int(site.Groups[level]) >= len(g.levels[level]) {
		return nil
	}
	return g.levels[level][site.Groups[level]].bytes
}

// at is a number of a list whose zeros at the end are left out.
func at(list []int64, i int32) int64 {
	if int(i) >= len(list) {
		return 0
	}
	return list[i]
}

// Add puts in the output of map m, which has none: its bytes per reduce, zeros at the end left out.
// The slices are kept.
func (g *Outputs) Add(m int32, at Site, bytes []int64) {
	g.outs[m] = output{at: at, bytes: bytes[:min(len(bytes), g.reduces)]}
	g.known++
	g.unfold = append(g.unfold, m)
	if g.feeder(at.Node) == nil {
		g.feeders = append(g.feeders, Feeder{Node: at.Node})
		g.of[at.Node] = int32(len(g.feeders))
	}
	g.count(&g.outs[m], 1)
}

// feeder finds a node with outputs, nil for others.
func (g *Outputs) feeder(node int32) *Feeder {
	if need := int(node) + 1 - len(g.of); need > 0 {
		g.of = append(g.of, make([]int32, need)...)
	}
	if g.of[node] == 0 {
		return nil
	}
	return &g.feeders[g.of[node]-1]
}

// sum is what lies in a group.
func (g *Outputs) sum(level int, group int32) *sum {
	for len(g.levels) <= level {
		g.levels = append(g.levels, nil)
	}
	if need := int(group) + 1 - len(g.levels[level]); need > 0 {
		g.levels[level] = append(g.levels[level], make([]sum, need)...)
	}
	return &g.levels[level][group]
}

// count adds (1) or takes away (-1) the least and the most of an output.
func (g *Outputs) count(o *output, sign int64) {
	low, high := span(o.bytes)
	if len(o.bytes) < g.reduces {
		low = 0
	}
	g.sumLow += sign * low
	g.feeder(o.at.Node).high += sign * high
	for l := 1; l < len(o.at.Groups); l++ {
		g.sum(l, o.at.Groups[l]).high += sign * high
	}
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

// Even reports whether no reduce can have more than part × levels × its input as score on any node,
// judging by the least and the most of each output.
func (g *Outputs) Even(part float64, levels int) bool {
	bound := int64(0)
	for i := range g.feeders {
		bound = max(bound, g.feeders[i].high)
	}
	for l := 1; l < min(levels, len(g.levels)); l++ {
		most := int64(0)
		for i := range g.levels[l] {
			most = max(most, g.levels[l][i].high)
		}
		bound += most
	}
	return float64(bound) <= part*float64(int64(levels)*g.sumLow)
}

// Fold adds the outputs that are new to the sums.
func (g *Outputs) Fold() {
	if g.total == nil {
		g.total = make([]int64, g.reduces)
	}
	for _, m := range g.unfold {
		o := &g.outs[m]
		o.folded = true
		plus(g.total, o.bytes)
		for l := 1; l < len(o.at.Groups); l++ {
			s := g.sum(l, o.at.Groups[l])
			if s.bytes == nil {
				s.bytes = make([]int64, g.reduces)
			}
			plus(s.bytes, o.bytes)
		}
		g.feeder(o.at.Node).add(o.bytes, g.reduces)
	}
	g.unfold = g.unfold[:0]
}

// Remove takes the output of map m out and reports whether it was known.
func (g *Outputs) Remove(m int32) bool {
	o := &g.outs[m]
	if o.bytes == nil {
		return false
	}
	g.Fold()
	g.count(o, -1)
	minus(g.total, o.bytes)
	for l := 1; l < len(o.at.Groups); l++ {
		minus(g.sum(l, o.at.Groups[l]).bytes, o.bytes)
	}
	g.feeder(o.at.Node).subtract(o.bytes)
	g.known--
	g.removed++
	*o = output{}
	return true
}

// add counts an output. That of a node with one output needs no sum.
func (f *Feeder) add(bytes []int64, reduces int) {
	f.maps++
	switch {
	case f.maps == 1:
		f.Bytes = bytes
		return
	case !f.owned:
		sum := make([]int64, reduces)
		copy(sum, f.Bytes)
		f.Bytes, f.owned = sum, true
	}
	plus(f.Bytes, bytes)
}

// subtract takes an output out that was added.
func (f *Feeder) subtract(bytes []int64) {
	if f.maps--; f.maps == 0 {
		f.Bytes, f.owned = nil, false
		return
	}
	minus(f.Bytes, bytes)
}

// plus adds a slice to one that is at least as long; minus takes it off.
func plus(sum, bytes []int64) {
	sum = sum[:len(bytes)]
	for r, b := range bytes {
		sum[r] += b
	}
}

func minus(sum, bytes []int64) {
	for r, b := range bytes {
		sum[r] -= b
	}
}
