//go:build unix

package segment

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A sorter with many partitions may have nearly its whole budget in a pinned chunk. Its spills are
// still large, and not files of a few records each.
func TestStarvedSortersSpillLargeRuns(t *testing.T) {
	text := teraText(40_000)
	for _, more := range []int64{-1 << 20, 0, 1, 16 << 10, 1 << 20, 4 << 20, 8 << 20} {
		s := NewSorter(Config{Resources: resources(t, int64(len(text))+more), Partitions: 64})
		s.Pin(text, nil)
		for i, r := 0, text; len(r) > 0; i, r = i+1, r[100:] {
			require.NoError(t, s.Add(i%64, r[:10:10], r[10:100:100]))
		}
		out, stats, err := s.Finish()
		require.NoError(t, err)
		require.LessOrEqual(t, stats.Spills, int64(6), "%d bytes more than the chunk", more)
		var n int64
		for _, x := range out {
			n += x.Records()
			x.Release()
		}
		require.EqualValues(t, 40_000, n)
	}
}
