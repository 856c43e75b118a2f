package memory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A resting sub-budget leaves its share to the others, in whatever order sub-budgets rest, wake and
// close.
func TestRestingLeavesTheShare(t *testing.T) {
	root := NewBudget(1000)
	a, b := root.Sub(), root.Sub()
	require.EqualValues(t, 500, a.Available())
	b.Rest()
	b.Rest()
	require.EqualValues(t, 1000, a.Available())
	b.Wake()
	b.Wake()
	require.EqualValues(t, 500, a.Available())
	b.Rest()
	b.Close()
	b.Wake()
	require.EqualValues(t, 1000, a.Available())
}
