package core

import "slices"

// Tallies are numbers of things by group of nodes, ascending by group: short lists, as long as what
// they count, not as the cluster.
type Tallies []tally

type tally struct{ Group, N int32 }

// find finds a group, or where it belongs.
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

// Of is the number of a group, 0 if there is none.
func (t Tallies) Of(group int32) int32 {
	if at, known := t.find(group); known {
		return t[at].N
	}
	return 0
}

// Add changes the number of a group and returns the new one.
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
