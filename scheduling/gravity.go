package scheduling

// gravity keeps where the outputs of a job's maps lie, and from that the distances of its reduces.
//
// The network distance of two nodes is twice the height of the lowest level that they share: 0 on the node, 2 in the rack, 4 beyond
// it. With W the input of a reduce, W_l(v) what lies in the level-l group of node v (l = 0: on v itself) and H levels, the weighted total
// network distance of the reduce at v is
//
//	WTND(v) = 2 (H W − score(v)),  score(v) = Σ_l W_l(v);  for racks: 4W − 2 W_rack(v) − 2 w(v)
//
// so that the center of gravity, the feeding node of least WTND, is the one with the greatest score.
type gravity struct {
	reduces int
	outs    []output    // by map
	known   int         // maps whose output is known
	total   []int64     // by reduce, as of the last plan
	groups  [][][]int64 // by level from 1: bytes per reduce in each group that feeds
	feeders []feeder
	feeder  map[NodeID]int32 // index in feeders
	peak    []int64          // by reduce: at least the most bytes on one node
	placed  map[NodeID]int32 // reduces launched per node
	plan    plan
	scratch []int64
}

// output is a map's output: where it lies, and its bytes per reduce.
type output struct {
	node  *node
	bytes []int64 // nil: not known
}

// feeder is a node with outputs.
type feeder struct {
	node *node
	maps []int32
}

func newGravity(maps, reduces int) *gravity {
	return &gravity{reduces: reduces, outs: make([]output, maps), total: make([]int64, reduces), peak: make([]int64, reduces),
		feeder: map[NodeID]int32{}, placed: map[NodeID]int32{}}
}

// add puts in the output of map m, which has none. The slice is kept.
func (g *gravity) add(m int32, n *node, bytes []int64) {
	bytes = bytes[:min(len(bytes), g.reduces)]
	g.outs[m] = output{n, bytes}
	g.known++
	i, ok := g.feeder[n.id]
	if !ok {
		i = int32(len(g.feeders))
		g.feeder[n.id] = i
		g.feeders = append(g.feeders, feeder{node: n})
	}
	f := &g.feeders[i]
	f.maps = append(f.maps, m)
	for l := 2; l < len(n.groups); l++ {
		row := g.row(l, n.groups[l])
		for r, b := range bytes {
			row[r] += b
		}
	}
	on := bytes
	if len(f.maps) > 1 {
		on = g.onNode(f)
	}
	// One pass over what is the bulk of the work: maps × reduces in all.
	row := g.row(1, n.groups[1])[:len(bytes)]
	peak := g.peak[:len(bytes)]
	on = on[:len(bytes)]
	for r, b := range bytes {
		row[r] += b
		if on[r] > peak[r] {
			peak[r] = on[r]
		}
	}
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

// onNode sums the outputs on one node, into a buffer that the next call overwrites.
func (g *gravity) onNode(f *feeder) []int64 {
	if g.scratch == nil {
		g.scratch = make([]int64, g.reduces)
	}
	sum := g.scratch
	clear(sum)
	for _, m := range f.maps {
		for r, b := range g.outs[m].bytes {
			sum[r] += b
		}
	}
	return sum
}

// remove takes the output of map m out, if it is known.
func (g *gravity) remove(m int32) {
	o := g.outs[m]
	if o.bytes == nil {
		return
	}
	g.outs[m] = output{}
	g.known--
	g.plan.made = false
	for l := 1; l < len(o.node.groups); l++ {
		row := g.row(l, o.node.groups[l])
		for r, b := range o.bytes {
			row[r] -= b
		}
	}
	f := &g.feeders[g.feeder[o.node.id]]
	for i, k := range f.maps {
		if k == m {
			f.maps = append(f.maps[:i], f.maps[i+1:]...)
			break
		}
	}
}

// sumUp works out the totals from the racks' rows, which is cheaper than keeping them at each output.
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

// held is the bytes of reduce r that lie on n.
func (g *gravity) held(r int32, n *node) (sum int64) {
	if i, ok := g.feeder[n.id]; ok {
		for _, m := range g.feeders[i].maps {
			if b := g.outs[m].bytes; int(r) < len(b) {
				sum += b[r]
			}
		}
	}
	return sum
}

// score is the sum over the first levels levels of the bytes of reduce r in n's group.
func (g *gravity) score(r int32, n *node, levels int) int64 {
	sum := g.held(r, n)
	for l := 1; l < levels && l < len(g.groups); l++ {
		if group := int(n.groups[l]); group < len(g.groups[l]) && g.groups[l][group] != nil {
			sum += g.groups[l][group][r]
		}
	}
	return sum
}

// center is the feeding node of reduce r with the greatest score, the first of those in node order; nil if nothing is known of r's input.
func (g *gravity) center(r int32, levels int) (best *node, at int64) {
	for i := range g.feeders {
		n := g.feeders[i].node
		if g.held(r, n) == 0 {
			continue
		}
		s := g.score(r, n, levels)
		if best == nil || s > at || s == at && n.id < best.id {
			best, at = n, s
		}
	}
	return best, at
}

// wtnd is the weighted total network distance of reduce r at n: by definition, one map output after the other; weigh gives an output its
// weight from its bytes. Slow: for questions and as the oracle of score.
func (g *gravity) wtnd(r int32, n *node, weigh func(bytes int64) int64) (sum int64) {
	for m := range g.outs {
		o := &g.outs[m]
		if int(r) < len(o.bytes) && o.bytes[r] > 0 {
			sum += distance(n, o.node) * weigh(o.bytes[r])
		}
	}
	return sum
}

// distance is the number of links between two nodes.
func distance(a, b *node) int64 {
	for l := range a.groups {
		if a.groups[l] == b.groups[l] {
			return 2 * int64(l)
		}
	}
	return 2 * int64(len(a.groups))
}
