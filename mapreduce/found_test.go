package mapreduce

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFoundWithin states for how many keys a map's table is made: as many as in the map before,
// fewer if the split is smaller, and of the first map what a huge page takes, if it is large.
func TestFoundWithin(t *testing.T) {
	var none *found
	require.Zero(t, none.within(largeSplit-1))
	require.Equal(t, largeDistinct, none.within(largeSplit))
	f := &found{keys: 400_000, length: 64 << 20}
	require.Equal(t, 400_000, f.within(64<<20))
	require.Equal(t, 400_000, f.within(1<<40))
	require.Equal(t, 200_000, f.within(16<<20))
	require.Equal(t, 100_000, f.within(4<<20))
	require.Equal(t, f.within(1), f.within(0))
	require.Equal(t, largeDistinct, (&found{length: 64 << 20}).within(64<<20), "a map without keys tells nothing")
	require.Equal(t, 7, (&found{keys: 7}).within(9))
}
