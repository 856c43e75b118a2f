package core

import "slices"

// Tallies counts things by group of nodes, in ascending order of groups. Its length depends on what
// it counts, not on the cluster.
type Tallies []tally

type tally struct{ Group, N int32 }

// find returns the index of a group, or where to insert it.
func (t Tallies) find(group int32) (at int, known bool) {
	lo, hi := 0, len(t)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if t[mid].Group < group {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(t) && t[lo].Group == group
}

// Of returns the count of a group, 0 if it is unknown.
func (t Tallies) Of(group int32) int32 {
	if at, known := t.find(group); known {
		return t[at].N
	}
	return 0
}

// Add changes the count of a group and returns the new count.
func (t *Tallies) Add(group, by int32) int32 {
	at, known := t.find(group)
	if !known {
		if *t == nil {
			*t = make(Tallies, 0, 8)
		}
		*t = slices.Insert(*t, at, tally{Group: group})
	}
	n := &(*t)[at].N
	*n += by
	return *n
}
