package index

import "sort"

// Level finds, for one job and one level of the network, the pending map with the lowest index that
// has a replica in a group of nodes. For each group with data of the job it holds the maps in
// ascending order, in one flat array. The first remaining map is stored with the group, which is
// all that most lookups read. Launched maps are removed lazily: a cursor per group passes over each
// once. A map that becomes pending moves the cursors back. All levels of the same height share a
// BitMatrix, which shows for each group and job whether such a map may exist.
type Level struct {
	mayHave *BitMatrix // by group and job: the job may have a pending map for the group
	job     int32      // its index
	shift   uint8
	table   []groupMaps // open addressing
	items   []int32
}

// groupMaps is the range of a group's maps among the items. All data for a lookup is adjacent in
// memory.
type groupMaps struct {
	key      int32 // group+1, or 0
	cur, end int32 // maps that may be pending
	first    int32 // the map at cur, if cur < end
}

// of returns the entry of a group, nil if the group has no data of the job.
func (x *Level) of(group int32) *groupMaps {
	if len(x.table) == 0 {
		return nil
	}
	if g := x.entry(group); g.key != 0 {
		return g
	}
	return nil
}

// entry returns the entry of a group, or the empty one where it belongs. Group numbers are hashed
// by Fibonacci hashing.
func (x *Level) entry(group int32) *groupMaps { return &x.table[x.place(group)] }

// place returns the table index of a group's entry.
func (x *Level) place(group int32) uint32 {
	mask := uint32(len(x.table) - 1)
	for h := uint32(group) * 2654435769 >> x.shift; ; h = (h + 1) & mask {
		if key := x.table[h].key; key == group+1 || key == 0 {
			return h
		}
	}
}

// First returns the pending map of a group with the lowest index, or -1.
func (x *Level) First(group int32, pending *TaskSet) int32 {
	if !x.mayHave.Has(group, x.job) {
		return -1
	}
	g := x.of(group)
	for ; g.cur < g.end; g.move(x, g.cur+1) {
		if pending.Has(g.first) {
			return g.first
		}
	}
	x.mayHave.Clear(group, x.job)
	return -1
}

// move sets the cursor of a group.
func (g *groupMaps) move(x *Level, cur int32) {
	if g.cur = cur; cur < g.end {
		g.first = x.items[cur]
	}
}

// start returns where the maps of the group at a table index begin, which is where those of the
// entry before it end. The table is at least half empty, so that entry is near.
func (x *Level) start(at int) int32 {
	for at--; at >= 0; at-- {
		if g := &x.table[at]; g.key != 0 {
			return g.end
		}
	}
	return 0
}

// Append appends the pending maps of a group with the lowest indexes to a list, at most `most`,
// each once.
func (x *Level) Append(list []int32, most int, group int32, pending *TaskSet) []int32 {
	if most <= 0 || x.First(group, pending) < 0 {
		return list
	}
	g, last := x.of(group), int32(-1)
	for _, m := range x.items[g.cur:g.end] {
		if m != last && pending.Has(m) { // a map with several replicas in the group occurs several times
			list, last = append(list, m), m
			if most--; most == 0 {
				break
			}
		}
	}
	return list
}

// Reopen moves the cursor of a group back to map m, which has become pending.
func (x *Level) Reopen(group, m int32) {
	if x.of(group) == nil {
		return
	}
	place := x.place(group)
	g, start := &x.table[place], x.start(int(place))
	items := x.items[start:g.end]
	i := sort.Search(len(items), func(i int) bool { return items[i] >= m })
	g.move(x, min(g.cur, start+int32(i)))
	x.mayHave.Set(group, x.job)
}

// Leave removes the job from the BitMatrix, before the job is indexed once more.
func (x *Level) Leave() {
	for i := range x.table {
		if k := x.table[i].key; k != 0 {
			x.mayHave.Clear(k-1, x.job)
		}
	}
}

// NewLevel indexes the maps of a job: map m has replicas on nodes[offsets[m]:offsets[m+1]]. groupOf
// returns the group of a node, or -1 if it is unknown; groups is the number of groups.
func NewLevel[N ~int32](offsets []int32, nodes []N, groups int, mayHave *BitMatrix, job int32, groupOf func(N) int32) Level {
	maps := len(offsets) - 1
	size, shift := 2, uint8(31)
	for size < 2*min(len(nodes), groups) {
		size, shift = size*2, shift-1
	}
	x := Level{mayHave: mayHave, job: job, shift: shift, table: make([]groupMaps, size)}
	for _, n := range nodes[:offsets[maps]] {
		if group := groupOf(n); group >= 0 {
			g := x.entry(group)
			g.key = group + 1
			g.end++ // here the number of its maps
			mayHave.Set(group, job)
		}
	}
	sum := int32(0)
	for i := range x.table {
		g := &x.table[i]
		n := g.end
		g.cur, g.end = sum, sum
		sum += n
	}
	x.items = make([]int32, sum)
	for m := range maps {
		for _, n := range nodes[offsets[m]:offsets[m+1]] {
			if group := groupOf(n); group >= 0 {
				g := x.entry(group)
				if x.items[g.end] = int32(m); g.cur == g.end {
					g.first = int32(m)
				}
				g.end++
			}
		}
	}
	return x
}
