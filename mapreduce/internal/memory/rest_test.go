package memory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A sub-budget that rests leaves its share to the others, whatever order it rests, wakes and
// closes in.
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
