package engine

import "slices"

// tallies are numbers of things by group of nodes, ascending by group: short lists, as long as what
// they count, not as the cluster.
type tallies []tally

type tally struct{ group, n int32 }

// find finds a group, or where it belongs.
func (t tallies) find(group int32) (at int, known bool) {
	lo, hi := 0, len(t)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if t[mid].group < group {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(t) && t[lo].group == group
}

// of is the number of a group, 0 if there is none.
func (t tallies) of(group int32) int32 {
	if at, known := t.find(group); known {
		return t[at].n
	}
	return 0
}

// add changes the number of a group and returns the new one.
func (t *tallies) add(group, by int32) int32 {
	at, known := t.find(group)
	if !known {
		if *t == nil {
			*t = make(tallies, 0, 8)
		}
		*t = slices.Insert(*t, at, tally{group: group})
	}
	n := &(*t)[at].n
	*n += by
	return *n
}
