package scheduling

import "sort"

// placeIndex finds, for a job and a node, the pending map of least index with a replica on that
// node, in its rack, or in a wider group. Per level it holds, for each group that has data of the
// job, the maps in ascending order (one flat array). Launched maps are dropped lazily: a cursor per
// group passes over them once. A map that becomes pending again moves the cursors back.
type placeIndex struct {
	levels []levelIndex // 0: nodes, 1: racks, …
	topo   int          // the Core's topology when the levels above 0 were built
}

// levelIndex is the index of one level.
type levelIndex struct {
	near  *presence // of all jobs at this level
	seat  int32     // the job's
	shift uint8
	table []groupMaps // open addressing
	items []int32
}

// groupMaps is where the maps of a group stand among the items: all that a look at a group needs is
// side by side in the cache.
type groupMaps struct {
	key        int32 // group+1, or 0
	start, end int32
	cur        int32 // the first that may be pending
}

// of returns the entry of a group, nil if it has no data of the job.
func (x *levelIndex) of(group int32) *groupMaps {
	if len(x.table) == 0 {
		return nil
	}
	if g := x.entry(group); g.key != 0 {
		return g
	}
	return nil
}

// entry returns the entry of a group, or the empty one where it belongs. Group numbers are spread
// by Fibonacci hashing.
func (x *levelIndex) entry(group int32) *groupMaps {
	mask := uint32(len(x.table) - 1)
	for h := uint32(group) * 2654435769 >> x.shift; ; h = (h + 1) & mask {
		if g := &x.table[h]; g.key == group+1 || g.key == 0 {
			return g
		}
	}
}

// first returns the least pending map of a group, or -1.
func (x *levelIndex) first(group int32, pending *taskSet) int32 {
	if !x.near.has(group, x.seat) {
		return -1
	}
	g := x.of(group)
	for g.cur < g.end && !pending.has(x.items[g.cur]) {
		g.cur++
	}
	if g.cur == g.end {
		x.near.clear(group, x.seat)
		return -1
	}
	return x.items[g.cur]
}

// again moves the cursor of a group back to map m, which has become pending.
func (x *levelIndex) again(group, m int32) {
	g := x.of(group)
	if g == nil {
		return
	}
	items := x.items[g.start:g.end]
	i := sort.Search(len(items), func(i int) bool { return items[i] >= m })
	g.cur = min(g.cur, g.start+int32(i))
	x.near.set(group, x.seat)
}

// leave takes the job out of the level's presence.
func (x *levelIndex) leave() {
	for i := range x.table {
		if k := x.table[i].key; k != 0 {
			x.near.clear(k-1, x.seat)
		}
	}
}

// buildLevel indexes maps by group; groupOf gives the group of a node, or -1 if it is unknown yet.
// It notes the groups in near.
func buildLevel(p Places, maps, groups int, near *presence, seat int32, groupOf func(NodeID) int32) levelIndex {
	size, shift := 2, uint8(31)
	for size < 2*min(len(p.Nodes), groups) {
		size, shift = size*2, shift-1
	}
	x := levelIndex{near: near, seat: seat, shift: shift, table: make([]groupMaps, size)}
	for _, n := range p.Nodes[:p.Offsets[maps]] {
		if group := groupOf(n); group >= 0 {
			g := x.entry(group)
			g.key = group + 1
			g.end++ // the number of its maps
			near.set(group, seat)
		}
	}
	sum := int32(0)
	for i := range x.table {
		g := &x.table[i]
		n := g.end
		g.start, g.cur, g.end = sum, sum, sum
		sum += n
	}
	x.items = make([]int32, sum)
	for m := range maps {
		for _, n := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
			if group := groupOf(n); group >= 0 {
				g := x.entry(group)
				x.items[g.end] = int32(m)
				g.end++
			}
		}
	}
	return x
}
