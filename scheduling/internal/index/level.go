package index

import "slices"

// Level finds a group's pending map with the lowest index, for one job and one network level: the
// map has a replica on a node of the group. It holds each group's maps in ascending order, in one
// flat array. Launched maps are removed lazily: a cursor per group passes over each once. A map
// that becomes pending moves the cursors back. The Levels of all jobs for one network level share a
// BitMatrix, which shows for each group and job whether such a map may exist.
type Level struct {
	mayHave *BitMatrix // by group and job: the job may have a pending map for the group
	job     int32      // its column in mayHave
	groups  []groupMaps
	items   []int32 // maps, group after group
}

// groupMaps is the range of a group's maps in Level.items; those before cur are not pending.
type groupMaps struct{ start, cur, end int32 }

// First returns the pending map of a group with the lowest index; -1 means none.
func (x *Level) First(group int32, pending *TaskSet) int32 {
	if !x.mayHave.Has(group, x.job) {
		return -1
	}
	for g := &x.groups[group]; g.cur < g.end; g.cur++ {
		if m := x.items[g.cur]; pending.Has(m) {
			return m
		}
	}
	x.mayHave.Clear(group, x.job)
	return -1
}

// Append appends to list the pending maps of a group with the lowest indexes, each once, `most` at
// most, and returns the list.
func (x *Level) Append(list []int32, most int, group int32, pending *TaskSet) []int32 {
	if most <= 0 || x.First(group, pending) < 0 {
		return list
	}
	g, last := x.groups[group], int32(-1)
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
	if int(group) >= len(x.groups) || x.groups[group].start == x.groups[group].end {
		return // the group had no node with data when the job was indexed
	}
	g := &x.groups[group]
	i, _ := slices.BinarySearch(x.items[g.start:g.end], m)
	g.cur = min(g.cur, g.start+int32(i))
	x.mayHave.Set(group, x.job)
}

// Leave clears the job's bits in the BitMatrix; call it when the job ends or is indexed once more.
func (x *Level) Leave() {
	for i, g := range x.groups {
		if g.start < g.end {
			x.mayHave.Clear(int32(i), x.job)
		}
	}
}

// NewLevel indexes the maps of a job: map m has replicas on nodes[offsets[m]:offsets[m+1]]. groupOf
// returns the group of a node, or -1 if it is unknown; groups is the number of groups.
func NewLevel[N ~int32](offsets []int32, nodes []N, groups int, mayHave *BitMatrix, job int32, groupOf func(N) int32) Level {
	maps := len(offsets) - 1
	x := Level{mayHave: mayHave, job: job, groups: make([]groupMaps, groups)}
	for _, n := range nodes[:offsets[maps]] {
		if group := groupOf(n); group >= 0 {
			x.groups[group].end++ // here the number of its maps
			mayHave.Set(group, job)
		}
	}
	sum := int32(0)
	for i := range x.groups {
		n := x.groups[i].end
		x.groups[i] = groupMaps{sum, sum, sum}
		sum += n
	}
	x.items = make([]int32, sum)
	for m := range maps {
		for _, n := range nodes[offsets[m]:offsets[m+1]] {
			if group := groupOf(n); group >= 0 {
				g := &x.groups[group]
				x.items[g.end] = int32(m)
				g.end++
			}
		}
	}
	return x
}
