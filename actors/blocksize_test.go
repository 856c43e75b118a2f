package actors

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// By default, blocks have a size that gives four of them to each slot that may compute: 256 KiB to
// 64 MiB, or to 128 MiB if maps combine values. If that is at least 64 MiB, as many last blocks as
// slots may compute are read in pieces of at most 16 MiB. One slot alone reads whole blocks.
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
