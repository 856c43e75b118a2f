package statistics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInterval(t *testing.T) {
	five := []float64{1, 2, 3, 4, 5}
	require.InDelta(t, 3, Mean(five), 1e-12)
	require.InDelta(t, 2.776*math.Sqrt(2.5/5), Half(five), 1e-9)
	require.True(t, math.IsNaN(Half(five[:1])))
	require.True(t, math.IsNaN(Mean(nil)))
	require.InDelta(t, 12.706, Student95(1), 1e-9)
	require.InDelta(t, 2.0, Student95(60), 1e-9)
}
