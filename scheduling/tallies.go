package scheduling

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

// nodeCounts are numbers by node: a short list, or a table once that is long.
type nodeCounts struct {
	few  tallies
	many []int32 // by node, as far as needed; nil while there are few
}

// mostFew is how many nodes are a short list.
const mostFew = 64

// of is the number of a node.
func (c *nodeCounts) of(n int32) int32 {
	switch {
	case c.many == nil:
		return c.few.of(n)
	case int(n) < len(c.many):
		return c.many[n]
	}
	return 0
}

// add changes the number of a node and returns the new one.
func (c *nodeCounts) add(n, by int32) int32 {
	if c.many == nil && len(c.few) < mostFew {
		return c.few.add(n, by)
	}
	for _, t := range c.few {
		c.many = reach(c.many, t.group)
		c.many[t.group] = t.n
	}
	c.few, c.many = nil, reach(c.many, n)
	c.many[n] += by
	return c.many[n]
}

// all calls a function with each node that has a number.
func (c *nodeCounts) all(yield func(n, count int32) bool) {
	for _, t := range c.few {
		if !yield(t.group, t.n) {
			return
		}
	}
	for n, count := range c.many {
		if count != 0 && !yield(int32(n), count) {
			return
		}
	}
}
