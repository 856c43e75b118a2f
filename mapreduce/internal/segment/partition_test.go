package segment

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The partition of a number is that of its bytes in big-endian order.
func TestPartitionOfNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, n := rapid.IntRange(1, 8).Draw(t, "width"), rapid.IntRange(1, 300).Draw(t, "n")
		var key [8]byte
		x := rapid.Uint64().Draw(t, "x") >> (64 - 8*width)
		binary.BigEndian.PutUint64(key[:], x)
		require.Equal(t, PartitionOf(key[8-width:], n), PartitionOfNumber(x, width, n))
	})
}
