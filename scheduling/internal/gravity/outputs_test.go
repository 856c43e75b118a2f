package gravity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
