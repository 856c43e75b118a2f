package actors

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// TestSplitTailCoversTheInput states that the pieces follow one another without a gap, on the
// hosts of their blocks, and that the blocks in front of them stay whole.
func TestSplitTailCoversTheInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var blocks []cluster.Block
		var at int64
		for _, n := range rapid.SliceOfN(rapid.Int64Range(1, 9), 0, 8).Draw(t, "lengths") {
			blocks = append(blocks, cluster.Block{Offset: at, Length: n, Hosts: []string{string(rune('a' + at))}})
			at += n
		}
		tail := rapid.IntRange(0, 9).Draw(t, "tail")
		pieces := rapid.Int64Range(1, 8).Draw(t, "pieces")
		got := splitTail(blocks, tail, pieces)
		whole := max(0, len(blocks)-tail)
		require.Equal(t, blocks[:whole], got[:whole])
		var end int64
		for _, b := range got {
			require.Equal(t, end, b.Offset)
			require.Positive(t, b.Length)
			end += b.Length
			for _, old := range blocks {
				if old.Offset <= b.Offset && b.Offset < old.Offset+old.Length {
					require.Equal(t, old.Hosts, b.Hosts)
					require.LessOrEqual(t, end, old.Offset+old.Length)
				}
			}
		}
		require.Equal(t, at, end)
		require.LessOrEqual(t, len(got), whole+int(pieces)*(len(blocks)-whole))
	})
}
