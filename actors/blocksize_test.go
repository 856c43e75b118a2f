package actors

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBlocksGiveEverySlotWork: unless the configuration sets their size, each slot that may compute
// has four blocks, of at least 256 KiB and at most 64 MiB, or 128 MiB where maps fold values. Of
// blocks of 64 MiB and more, the last ones, one for each such slot, are read in pieces of at most
// 16 MiB, unless only one slot computes.
func TestBlocksGiveEverySlotWork(t *testing.T) {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	for _, x := range []struct {
		slots, computing  int
		folds             bool
		configured, input int64
		size              int64
		inPieces          int
	}{
		{slots: 4, input: 16 * mib, size: 512 * kib},
		{slots: 4, computing: 2, input: 16 * mib, size: 2 * mib},
		{slots: 4, computing: 100, input: 16 * mib, size: 512 * kib},
		{slots: 4, input: 1, size: 256 * kib},
		{slots: 4, input: 9 * gib, size: 64 * mib, inPieces: 8},
		{slots: 4, computing: 2, input: 9 * gib, size: 64 * mib, inPieces: 2},
		{slots: 4, computing: 1, input: 9 * gib, size: 64 * mib},
		{slots: 4, configured: 1000, input: 9 * gib, size: 1000},
		{slots: 4, folds: true, input: 16 * mib, size: 512 * kib},
		{slots: 4, computing: 2, folds: true, input: 511 * mib, size: 64 * mib, inPieces: 2},
		{slots: 4, computing: 2, folds: true, input: 600 * mib, size: 75 * mib, inPieces: 2},
		{slots: 4, folds: true, input: 9 * gib, size: 128 * mib, inPieces: 8},
		{slots: 4, folds: true, configured: 1000, input: 9 * gib, size: 1000},
	} {
		c := start(t, Config{Nodes: 2, MapSlots: x.slots, Parallelism: x.computing, BlockSize: x.configured})
		size, inPieces := c.blockSize(x.input, x.folds)
		require.Equal(t, x.size, size, "%+v", x)
		require.Equal(t, x.inPieces, inPieces, "%+v", x)
	}
	require.EqualValues(t, 4, tailPieces(64*mib))
	require.EqualValues(t, 5, tailPieces(75*mib))
	require.EqualValues(t, 8, tailPieces(128*mib))
}
