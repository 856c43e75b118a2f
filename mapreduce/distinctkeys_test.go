package mapreduce

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExpectedDistinctKeys: a map's table is sized by the keys of the previous map, fewer if the
// split is smaller; the table of a first large map fills a huge page.
func TestExpectedDistinctKeys(t *testing.T) {
	var none *distinctKeys
	require.Zero(t, none.expect(largeSplit-1))
	require.Equal(t, largeDistinct, none.expect(largeSplit))
	f := &distinctKeys{keys: 400_000, length: 64 << 20}
	require.Equal(t, 400_000, f.expect(64<<20))
	require.Equal(t, 400_000, f.expect(1<<40))
	require.Equal(t, 200_000, f.expect(16<<20))
	require.Equal(t, 100_000, f.expect(4<<20))
	require.Equal(t, f.expect(1), f.expect(0))
	require.Equal(t, largeDistinct, (&distinctKeys{length: 64 << 20}).expect(64<<20), "a map without keys tells nothing")
	require.Equal(t, 7, (&distinctKeys{keys: 7}).expect(9))
}
