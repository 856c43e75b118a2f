package gravity

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The sums per node and rack are those of the present outputs, after any sequence of Add and
// Remove.
func TestOutputsKeepTheirSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes, maps, reduces = 3, 8, 4
		var all []Site
		for i := range int32(nodes) {
			all = append(all, Site{Node: i, Groups: []int32{i, i % 2}})
		}
		g := New(maps, reduces)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			m := int32(rapid.IntRange(0, maps-1).Draw(t, "map"))
			g.Remove(m)
			if rapid.Bool().Draw(t, "add") {
				sizes := rapid.SliceOfN(rapid.Int64Range(0, 9), 1, reduces).Draw(t, "sizes") // missing numbers are 0
				g.Add(m, all[rapid.IntRange(0, nodes-1).Draw(t, "node")], sizes)
			}
			if rapid.Bool().Draw(t, "fold") {
				g.Fold()
			}
		}
		g.Fold()
		for _, n := range all {
			for r := range int32(reduces) {
				var here, rack int64
				for m := range g.outs {
					if o := &g.outs[m]; int(r) < len(o.bytes) {
						if o.at.Node == n.Node {
							here += o.bytes[r]
						}
						if o.at.Groups[1] == n.Groups[1] {
							rack += o.bytes[r]
						}
					}
				}
				require.Equal(t, here, g.Score(r, n, 1))
				require.Equal(t, here+rack, g.Score(r, n, 2))
			}
		}
	})
}

// A map may rerun on one node after the other; its output then counts only for the last one. Each
// node that had an output stays in Feeders.
func TestOutputsRecomputedElsewhere(t *testing.T) {
	for _, maps := range []int{1, 2, 5} {
		g := New(maps, 2)
		for node := range int32(40) {
			m := node % int32(maps)
			g.Remove(m)
			g.Add(m, Site{Node: node, Groups: []int32{node, node}}, []int64{1, int64(node)})
			g.Fold()
		}
		require.Len(t, g.Feeders(), 40)
		require.Equal(t, maps, g.Known())
		require.Equal(t, int64(1), g.Score(0, Site{Groups: []int32{39}}, 1))
		require.Zero(t, g.Score(0, Site{Groups: []int32{int32(39 - maps)}}, 1))
	}
}

func TestSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Int64Range(0, 50), 1, 20).Draw(t, "bytes")
		low, high := span(list)
		require.Equal(t, slices.Min(list), low)
		require.Equal(t, slices.Max(list), high)
	})
}
