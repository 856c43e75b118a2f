// Package gravity records the locations of each reduce's input, and computes network distances from
// them [Hammoud12]. It knows only node numbers and bytes; its caller handles slots and waits.
//
// [Outputs] serves decisions: it keeps sums up to date as outputs appear. [Sums] serves views.
package gravity

import "math"

// Levels is the number of levels of the network: the node and its rack.
const Levels = 2

// Site is the place of a node in the network: its group at each level, which is the number of the
// node itself, then that of its rack.
type Site [Levels]int32

// Outputs holds the map outputs of a job, by location.
//
// The network distance of two nodes is twice the height of their lowest common level: 0 on the
// node, 2 in the rack, 4 beyond. Let W be the input of a reduce, W_l(v) the input in the level-l
// group of node v (l = 0: on v itself), and H the number of levels. The weighted total network
// distance of the reduce at v is
//
//	WTND(v) = 2 (H W − score(v)),  score(v) = Σ_l W_l(v);  for racks: 4W − 2 W_rack(v) − 2 w(v)
//
// The center of gravity, which is the feeding node with minimum WTND, therefore has the highest
// score.
//
// Adding an output reads its bytes once, for Even. Only Fold sums them per node, rack and reduce.
// If Even reports that placement gains nothing for a job, no sums are needed.
type Outputs struct {
	reduces   int
	outs      []output // by map
	knownMaps int      // maps whose output is known
	removed   int      // outputs removed so far

	feeders  []int32        // nodes that have or had map outputs
	sums     [Levels][]*sum // by level and group; nil for groups that never had outputs
	minInput int64          // sum of the outputs' minimum bytes per reduce: no reduce has less
	unfold   []int32        // maps whose outputs Fold must still add
	total    []int64        // by reduce; nil before the first Fold
}

// output is a map's output: its site and its bytes per reduce.
type output struct {
	at    Site
	bytes []int64 // nil: unknown
}

// sum adds up the map outputs in a group of nodes.
type sum struct {
	high  int64   // sum, over the outputs, of the largest number of bytes for one reduce
	maps  int     // folded maps
	bytes []int64 // by reduce, of the folded maps; nil without any
}

// New returns the Outputs of a job without known outputs.
func New(maps, reduces int) *Outputs {
	return &Outputs{reduces: reduces, outs: make([]output, maps)}
}

// Known returns the number of maps whose output is known.
func (g *Outputs) Known() int { return g.knownMaps }

// Removed returns the number of outputs removed so far.
func (g *Outputs) Removed() int { return g.removed }

// Feeders returns the nodes that have or had outputs; valid until the next change.
func (g *Outputs) Feeders() []int32 { return g.feeders }

// Total returns the bytes of input of reduce r, in the outputs that Fold has added.
func (g *Outputs) Total(r int32) int64 { return at(g.total, r) }

// Totals returns Total of all reduces, nil before the first Fold; valid until the next change.
func (g *Outputs) Totals() []int64 { return g.total }

// Score returns the bytes for reduce r in the site's groups at the first `levels` levels, summed
// over the levels. It counts the outputs that Fold has added.
func (g *Outputs) Score(r int32, site Site, levels int) (bytes int64) {
	for l := range levels {
		bytes += at(g.In(l, site), r)
	}
	return bytes
}

// In returns the bytes by reduce in a site's group at a level, in the outputs that Fold has added.
// It returns nil if there are none. The slice is valid until the next change.
func (g *Outputs) In(level int, site Site) []int64 {
	if row, group := g.sums[level], int(site[level]); group < len(row) && row[group] != nil {
		return row[group].bytes
	}
	return nil
}

// at returns element i of a list that omits trailing zeros: 0 beyond its end.
func at(list []int64, i int32) int64 {
	if int(i) >= len(list) {
		return 0
	}
	return list[i]
}

// Add adds the output of map m, which has none: its bytes per reduce, without trailing zeros.
// Outputs keeps the slices.
func (g *Outputs) Add(m int32, at Site, bytes []int64) {
	g.outs[m] = output{at: at, bytes: bytes[:min(len(bytes), g.reduces)]}
	g.knownMaps++
	g.unfold = append(g.unfold, m)
	g.count(&g.outs[m], 1)
}

// sumAt returns the sum for the group of a site at a level; it creates it if necessary.
func (g *Outputs) sumAt(level int, site Site) *sum {
	row, group := &g.sums[level], int(site[level])
	if need := group + 1 - len(*row); need > 0 {
		*row = append(*row, make([]*sum, need)...)
	}
	if (*row)[group] == nil {
		(*row)[group] = &sum{}
		if level == 0 {
			g.feeders = append(g.feeders, site[0])
		}
	}
	return (*row)[group]
}

// count adds (1) or subtracts (-1) an output's minimum and maximum bytes per reduce, for Even.
func (g *Outputs) count(o *output, sign int64) {
	low, high := span(o.bytes)
	if len(o.bytes) < g.reduces {
		low = 0
	}
	g.minInput += sign * low
	for l := range Levels {
		g.sumAt(l, o.at).high += sign * high
	}
}

// span returns the minimum and the maximum of list, or the largest number and 0 if it is empty.
func span(list []int64) (low, high int64) {
	low = math.MaxInt64
	for _, b := range list {
		low, high = min(low, b), max(high, b)
	}
	return low, high
}

// Even reports whether no node can be much better than others for any reduce. No score can then
// exceed the given part of its maximum, levels × input. It looks only at minima and maxima.
func (g *Outputs) Even(part float64, levels int) bool {
	bound := int64(0)
	for _, row := range g.sums[:levels] {
		most := int64(0)
		for _, s := range row {
			if s != nil {
				most = max(most, s.high)
			}
		}
		bound += most
	}
	return float64(bound) <= part*float64(int64(levels)*g.minInput)
}

// Fold adds the outputs that are new since its last call to the sums per node, rack and reduce.
func (g *Outputs) Fold() {
	if g.total == nil {
		g.total = make([]int64, g.reduces)
	}
	for _, m := range g.unfold {
		o := &g.outs[m]
		add(g.total, o.bytes, 1)
		for l := range Levels {
			s := g.sumAt(l, o.at)
			if s.bytes == nil {
				s.bytes = make([]int64, g.reduces)
			}
			add(s.bytes, o.bytes, 1)
			s.maps++
		}
	}
	g.unfold = g.unfold[:0]
}

// Remove removes the output of map m and reports whether it was known.
func (g *Outputs) Remove(m int32) bool {
	o := &g.outs[m]
	if o.bytes == nil {
		return false
	}
	g.Fold()
	g.count(o, -1)
	add(g.total, o.bytes, -1)
	for l := range Levels {
		s := g.sumAt(l, o.at)
		add(s.bytes, o.bytes, -1)
		if s.maps--; s.maps == 0 {
			s.bytes = nil
		}
	}
	g.knownMaps--
	g.removed++
	*o = output{}
	return true
}

// add adds bytes to sum, which is at least as long (sign 1), or subtracts them (-1).
func add(sum, bytes []int64, sign int64) {
	sum = sum[:len(bytes)]
	for r, b := range bytes {
		sum[r] += sign * b
	}
}
