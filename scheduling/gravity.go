package scheduling

import "math"

// gravity keeps where the outputs of a job's maps lie, and from that the distances of its reduces.
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
type gravity struct {
	reduces int
	outs    []output // by map
	known   int      // maps whose output is known
	feeders []feeder
	feeder  []int32 // by node: 1 + index in feeders, or 0; as far as needed
	placed  []int32 // by node: reduces launched; as far as needed
	plan    plan

	scan    []int32     // maps not scanned yet
	sumLow  int64       // sum of the outputs' least bytes per reduce: no reduce has less
	sumHigh [][]int64   // by level from 1 and group: sum of the most bytes per reduce
	unfold  []int32     // maps scanned, but not folded yet
	groups  [][][]int64 // by level from 1 and group: bytes per reduce of the maps folded
	peak    []int64     // by reduce: at least the most bytes on one node, of the maps folded
	total   []int64     // by reduce, as of the last plan
}

// output is a map's output: where it lies, and its bytes per reduce.
type output struct {
	node      *node
	bytes     []int64 // nil: not known
	low, high int64   // the least and the most of bytes, once scanned
	scanned   bool
	folded    bool
}

func newGravity(maps, reduces int) *gravity {
	return &gravity{reduces: reduces, outs: make([]output, maps)}
}

// add puts in the output of map m, which has none. The slice is kept.
func (g *gravity) add(m int32, n *node, bytes []int64) {
	g.outs[m] = output{node: n, bytes: bytes[:min(len(bytes), g.reduces)]}
	g.known++
	if g.feeding(n) == nil {
		g.feeders = append(g.feeders, feeder{node: n})
		g.feeder = upTo(g.feeder, n.id)
		g.feeder[n.id] = int32(len(g.feeders))
	}
	g.scan = append(g.scan, m)
}

// remove takes the output of map m out, if it is known.
func (g *gravity) remove(m int32) {
	o := &g.outs[m]
	if o.bytes == nil {
		return
	}
	f := g.feeding(o.node)
	if o.scanned {
		g.count(f, o, -1)
	}
	if o.folded {
		for l := 1; l < len(o.node.groups); l++ {
			row := g.row(l, o.node.groups[l])
			for r, b := range o.bytes {
				row[r] -= b
			}
		}
		f.subtract(o.bytes)
	}
	g.known--
	g.plan.made = false
	*o = output{}
	g.scan, g.unfold = without(g.scan, m), without(g.unfold, m)
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

// scanAll looks at the least and the most bytes of the outputs that are new.
func (g *gravity) scanAll() {
	for _, m := range g.scan {
		o := &g.outs[m]
		low, high := span(o.bytes)
		if len(o.bytes) < g.reduces {
			low = 0
		}
		o.low, o.high, o.scanned = low, high, true
		g.count(g.feeding(o.node), o, 1)
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
func (g *gravity) count(f *feeder, o *output, sign int64) {
	g.sumLow += sign * o.low
	f.high += sign * o.high
	for l := 1; l < len(o.node.groups); l++ {
		for len(g.sumHigh) <= l {
			g.sumHigh = append(g.sumHigh, nil)
		}
		group := int(o.node.groups[l])
		if need := group + 1 - len(g.sumHigh[l]); need > 0 {
			g.sumHigh[l] = append(g.sumHigh[l], make([]int64, need)...)
		}
		g.sumHigh[l][group] += sign * o.high
	}
}

// even tells whether no reduce can have more than part × levels × its input as score on any node,
// judging by the least and the most of each output.
func (g *gravity) even(part float64, levels int) bool {
	bound := int64(0)
	for i := range g.feeders {
		bound = max(bound, g.feeders[i].high)
	}
	for l := 1; l < levels && l < len(g.sumHigh); l++ {
		most := int64(0)
		for _, h := range g.sumHigh[l] {
			most = max(most, h)
		}
		bound += most
	}
	return float64(bound) <= part*float64(int64(levels)*g.sumLow)
}

// foldAll adds the outputs scanned to the sums per rack and reduce.
func (g *gravity) foldAll() {
	g.scanAll()
	if g.total == nil {
		g.total, g.peak = make([]int64, g.reduces), make([]int64, g.reduces)
	}
	for _, m := range g.unfold {
		o := &g.outs[m]
		o.folded = true
		for l := 1; l < len(o.node.groups); l++ {
			row := g.row(l, o.node.groups[l])[:len(o.bytes)]
			for r, b := range o.bytes {
				row[r] += b
			}
		}
		f := g.feeding(o.node)
		f.add(o.bytes, g.reduces)
		for r, b := range f.row {
			if b > g.peak[r] {
				g.peak[r] = b
			}
		}
	}
	g.unfold = g.unfold[:0]
}

// row is the bytes per reduce in a group of level l.
func (g *gravity) row(l int, group int32) []int64 {
	for len(g.groups) <= l {
		g.groups = append(g.groups, nil)
	}
	if need := int(group) + 1 - len(g.groups[l]); need > 0 {
		g.groups[l] = append(g.groups[l], make([][]int64, need)...)
	}
	row := g.groups[l][group]
	if row == nil {
		row = make([]int64, g.reduces)
		g.groups[l][group] = row
	}
	return row
}

// sumUp works out the totals of all reduces.
func (g *gravity) sumUp() {
	clear(g.total)
	if len(g.groups) < 2 {
		return
	}
	for _, row := range g.groups[1] {
		for r, b := range row {
			g.total[r] += b
		}
	}
}

// held is the bytes of reduce r that lie on n; the outputs are folded.
func (g *gravity) held(r int32, n *node) int64 {
	if f := g.feeding(n); f != nil && f.row != nil {
		return f.row[r]
	}
	return 0
}

// score is the sum over the first levels levels of the bytes of reduce r in n's group; the outputs
// are folded.
func (g *gravity) score(r int32, n *node, levels int) int64 {
	return g.held(r, n) + g.around(r, n, levels)
}

// around is score without what lies on n itself.
func (g *gravity) around(r int32, n *node, levels int) (sum int64) {
	for l := 1; l < levels && l < len(g.groups); l++ {
		if group := int(n.groups[l]); group < len(g.groups[l]) && g.groups[l][group] != nil {
			sum += g.groups[l][group][r]
		}
	}
	return sum
}

// center is the feeding node of reduce r with the greatest score, the first of those in node order;
// nil if nothing is known of r's input. It looks at every output and leaves the sums alone, for it
// answers questions: when those are asked must not show in decisions.
func (g *gravity) center(r int32, levels int) (best *node) {
	held := make([]int64, len(g.feeders))
	near := make([]map[int32]int64, levels) // from 1
	for l := range near {
		near[l] = map[int32]int64{}
	}
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) >= len(o.bytes) || o.bytes[r] == 0 {
			continue
		}
		held[g.feeder[o.node.id]-1] += o.bytes[r]
		for l := 1; l < levels && l < len(o.node.groups); l++ {
			near[l][o.node.groups[l]] += o.bytes[r]
		}
	}
	at := int64(0)
	for i, s := range held {
		if s == 0 {
			continue
		}
		n := g.feeders[i].node
		for l := 1; l < levels && l < len(n.groups); l++ {
			s += near[l][n.groups[l]]
		}
		if best == nil || s > at || s == at && n.id < best.id {
			best, at = n, s
		}
	}
	return best
}
