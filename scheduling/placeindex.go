package scheduling

import "sort"

// placeIndex finds, for a job and a node, the pending map of least index with a replica on that node, in its rack, or in a wider
// group. Per level it holds, for each group that has data of the job, the maps in ascending order (one flat array). Launched
// maps are dropped lazily: a cursor per group passes over them once. A map that becomes pending again moves the cursors back.
type placeIndex struct {
	levels []levelIndex // 0: nodes, 1: racks, …
	topo   int          // the Core's topology when the levels above 0 were built
}

// levelIndex is the index of one level.
type levelIndex struct {
	keys  []int32 // open addressing: group+1, or 0
	lists []int32 // list number of the key beside
	shift uint8
	live  []uint64 // by group: its list may hold a pending map; small enough to stay in the cache where the table does not
	start []int32  // list l is items[start[l]:start[l+1]]
	cur   []int32  // the first item of the list that may be pending
	items []int32
}

// hashGroup spreads group numbers over a table (Fibonacci hashing).
func hashGroup(group int32, shift uint8) uint32 { return uint32(group) * 2654435769 >> shift }

// list returns the list of a group, or -1.
func (x *levelIndex) list(group int32) int32 {
	if len(x.keys) == 0 {
		return -1
	}
	mask := uint32(len(x.keys) - 1)
	for h := hashGroup(group, x.shift); ; h = (h + 1) & mask {
		switch x.keys[h] {
		case group + 1:
			return x.lists[h]
		case 0:
			return -1
		}
	}
}

// has tells whether a group may have a pending map: one bit, for the many offers that come to nothing.
func (x *levelIndex) has(group int32) bool { return hasBit(x.live, group) }

// hasBit tells whether bit i is set; bits beyond the end are not.
func hasBit(bits []uint64, i int32) bool {
	w := int(i >> 6)
	return w < len(bits) && bits[w]&(1<<(i&63)) != 0
}

// first returns the least pending map of a group, or -1.
func (x *levelIndex) first(group int32, pending *taskSet) int32 {
	if !x.has(group) {
		return -1
	}
	l := x.list(group)
	at, end := x.cur[l], x.start[l+1]
	for at < end && !pending.has(x.items[at]) {
		at++
	}
	x.cur[l] = at
	if at == end {
		x.live[group>>6] &^= 1 << (group & 63)
		return -1
	}
	return x.items[at]
}

// again moves the cursor of a group back to map m, which has become pending.
func (x *levelIndex) again(group, m int32) {
	l := x.list(group)
	if l < 0 {
		return
	}
	items := x.items[x.start[l]:x.start[l+1]]
	i := sort.Search(len(items), func(i int) bool { return items[i] >= m })
	x.cur[l] = min(x.cur[l], x.start[l]+int32(i))
	x.live[group>>6] |= 1 << (group & 63)
}

// buildLevel indexes maps by group; groupOf gives the group of a node, or -1 if it is unknown yet.
func buildLevel(p Places, maps int, groups int, groupOf func(NodeID) int32) levelIndex {
	size, shift := 1, uint8(32)
	for size < 2*min(len(p.Nodes), groups) || size < 2 {
		size, shift = size*2, shift-1
	}
	x := levelIndex{keys: make([]int32, size), lists: make([]int32, size), shift: shift, live: make([]uint64, (groups+63)/64)}
	mask := uint32(size - 1)
	var count []int32
	for _, n := range p.Nodes[:p.Offsets[maps]] {
		g := groupOf(n)
		if g < 0 {
			continue
		}
		h := hashGroup(g, shift)
		for x.keys[h] != 0 && x.keys[h] != g+1 {
			h = (h + 1) & mask
		}
		if x.keys[h] == 0 {
			x.keys[h], x.lists[h] = g+1, int32(len(count))
			x.live[g>>6] |= 1 << (g & 63)
			count = append(count, 0)
		}
		count[x.lists[h]]++
	}
	x.start = make([]int32, len(count)+1)
	for l, c := range count {
		x.start[l+1] = x.start[l] + c
	}
	x.cur = append([]int32(nil), x.start[:len(count)]...)
	x.items = make([]int32, x.start[len(count)])
	fill := count
	copy(fill, x.start)
	for m := range maps {
		for _, n := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
			if g := groupOf(n); g >= 0 {
				l := x.list(g)
				x.items[fill[l]] = int32(m)
				fill[l]++
			}
		}
	}
	return x
}
