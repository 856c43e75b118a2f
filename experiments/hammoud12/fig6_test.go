package hammoud12

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGini(t *testing.T) {
	require.Zero(t, gini([]float64{3, 3, 3}))
	require.Zero(t, gini([]float64{0, 0}))
	require.InDelta(t, 0.75, gini([]float64{0, 8, 0, 0}), 1e-12, "all in one of four")
	require.InDelta(t, 1.0/6, gini([]float64{2, 1}), 1e-12)
}

// The heat maps hold every byte of the maps' outputs, equal keys in one column, and each point at
// its center.
func TestPartitionSizes(t *testing.T) {
	size := heatSize{maps: 6, reduces: 4, split: 20_000}
	for _, j := range heatJobs() {
		plan, err := j.plan(t.Context(), 1, size)
		require.NoError(t, err)
		sizes, err := partitionSizes(t.Context(), plan, size, j.unit)
		require.NoError(t, err)
		require.Len(t, sizes, size.maps, j.name)
		for _, row := range sizes {
			require.Len(t, row, size.reduces)
			sum := 0.0
			for _, b := range row {
				sum += b
			}
			require.Positive(t, sum)
			if j.name == "sort1" || j.name == "sort2" {
				require.GreaterOrEqual(t, sum, float64(size.split),
					"a sort shuffles all of its input")
			}
		}
	}
	require.Equal(t, 1, nearest([]point{{0, 0}, {5, 5}, {9, 0}}, point{4, 4}))
}
