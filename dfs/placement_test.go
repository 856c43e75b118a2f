package dfs

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPlacementRule: each choice is the live node with the least load that the rule prefers or, if
// it prefers none, of all without a replica. For the first replica it compares first replicas. For
// the second it prefers another rack. For the third it prefers the rack of the second, unless the
// first two are in one rack: then another.
func TestPlacementRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := newNamespace(Config{Nodes: racks(rapid.IntRange(1, 9).Draw(t, "nodes"), rapid.IntRange(1, 4).Draw(t, "racks"))})
		for _, d := range ns.nodes {
			d.alive = rapid.IntRange(0, 4).Draw(t, "alive") > 0
			d.load = int64(rapid.IntRange(0, 2).Draw(t, "load"))
			d.firsts = int64(rapid.IntRange(0, 2).Draw(t, "firsts"))
		}
		held := slices.Clone(ns.nodes[:rapid.IntRange(0, min(3, len(ns.nodes))).Draw(t, "held")])
		n := rapid.IntRange(0, 6).Draw(t, "wanted")
		chosen := slices.Concat(held, ns.place(1, n, held))
		require.LessOrEqual(t, len(chosen), len(held)+n)
		for i := len(held); i <= len(chosen) && i < len(held)+n; i++ {
			before := chosen[:i]
			free := slices.DeleteFunc(slices.Clone(ns.nodes), func(d *node) bool { return !d.alive || slices.Contains(before, d) })
			if i == len(chosen) {
				require.Empty(t, free, "fewer than wanted only where no live node is left")
				break
			}
			preferred := slices.DeleteFunc(slices.Clone(free), func(d *node) bool { return !prefers(before, d) })
			if len(preferred) == 0 {
				preferred = free
			}
			require.Contains(t, preferred, chosen[i], "choice %d", i)
			for _, d := range preferred {
				if i == 0 {
					require.LessOrEqual(t, chosen[0].firsts, d.firsts)
				} else {
					require.LessOrEqual(t, chosen[i].load, d.load)
				}
			}
		}
	})
}

func prefers(before []*node, d *node) bool {
	switch len(before) {
	case 1:
		return d.rack != before[0].rack
	case 2:
		if before[0].rack == before[1].rack {
			return d.rack != before[0].rack
		}
		return d.rack == before[1].rack
	default:
		return true
	}
}
