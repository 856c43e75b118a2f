package shares

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// While the cluster has fewer tasks than slots, a node may have its fraction of the load plus diff,
// rounded up.
func TestOfNode(t *testing.T) {
	for _, x := range []struct {
		slots, load, total int
		diff               float64
		want               int
	}{
		{4, 0, 0, 0, 4},
		{4, 2, 8, 0, 1},
		{4, 3, 8, 0, 2},
		{4, 2, 8, 0.25, 2},
		{4, 0, 8, 0, 0},
		{4, 8, 8, 0, 4},
		{4, 20, 8, 0.5, 4},
		{10, 2, 10, 0.1, 3}, // 0.1 + 0.2 is slightly above 0.3 in floating point
	} {
		require.Equal(t, x.want, OfNode(x.slots, x.load, x.total, x.diff), "%+v", x)
	}
}

// A user may hold an equal fraction of the queue's capacity, or the given percentage if that is
// more. Once the capacity is used up, both are of the slots held with one more task.
func TestOfUser(t *testing.T) {
	for _, x := range []struct{ capacity, occupied, task, users, percent, want int }{
		{10, 0, 1, 1, 100, 10},
		{10, 0, 1, 2, 25, 5},
		{10, 9, 1, 3, 25, 4},
		{10, 9, 1, 10, 25, 3},
		{10, 9, 1, 10, 20, 2},
		{10, 10, 1, 1, 100, 11},
		{10, 12, 2, 2, 25, 7},
		{0, 0, 2, 1, 100, 2},
	} {
		require.Equal(t, x.want, OfUser(x.capacity, x.occupied, x.task, x.users, x.percent), "%+v", x)
	}
}

// Minimum shares that add up to the total are not scaled down. A total of 0 gives shares of 0.
func TestDivideAtItsBounds(t *testing.T) {
	claims := []Claim{{Demand: 5, Min: 2, Weight: 1}, {Demand: 5, Min: 3, Weight: 1}}
	require.False(t, Divide(claims, 5))
	require.Equal(t, []float64{2, 3}, []float64{claims[0].Share, claims[1].Share})
	claims = []Claim{{Demand: 5, Min: 2, Weight: 1}, {Demand: 5, Min: 3, Weight: 1}}
	require.True(t, Divide(claims, 4))
	require.Equal(t, []float64{1.6, 2.4}, []float64{claims[0].Share, claims[1].Share})
	claims = []Claim{{Demand: 5, Weight: 1}}
	require.False(t, Divide(claims, 0))
	require.Zero(t, claims[0].Share)
	claims = []Claim{{Demand: 2, Min: 9, Weight: 1}}
	require.False(t, Divide(claims, 2))
	require.Equal(t, 2.0, claims[0].Share)
}
