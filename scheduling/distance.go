package scheduling

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

// distance is the number of links between two nodes: up to what they share, and down again.
func distance(a, b *node) int64 {
	for l := range a.groups {
		if a.groups[l] == b.groups[l] {
			return 2 * int64(l)
		}
	}
	return 2 * int64(len(a.groups))
}
