package serve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
)

// Uploads and outputs in progress share the limit with stored files. A claim that has ended takes
// no more.
func TestRoomIsSharedByWhatComes(t *testing.T) {
	l := newLedger(t.Context(), &Config{StoreBytes: 100})
	stores := func(name string, size int64, ends *claim) {
		require.NoError(t, l.record(&entry{Stored: map[string]*dfs.Sums{name: {Size: size}}, claim: ends}))
	}
	stores("a", 4, nil)
	stores("dir/b", 6, nil)
	one, two, upload := &claim{ledger: l}, &claim{ledger: l}, &claim{ledger: l}
	require.NoError(t, one.grow(50))
	require.Error(t, two.grow(41))
	require.NoError(t, two.grow(40))
	require.Error(t, upload.grow(1))
	require.Error(t, new(claim{ledger: l}).grow(1))
	require.NoError(t, two.grow(-15))
	require.NoError(t, upload.grow(15))
	upload.end()
	two.end()
	require.NoError(t, two.grow(1000), "an attempt that comes late writes nothing that stays")
	stores("dir/one", 40, one)
	last := &claim{ledger: l}
	require.NoError(t, last.grow(50))
	require.Error(t, last.grow(1))
	require.NoError(t, l.record(&entry{Removed: "dir"}))
	require.NoError(t, last.grow(46))
	require.Error(t, last.grow(1))
}
