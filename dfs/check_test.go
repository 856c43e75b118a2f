package dfs

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Check finds each damaged replica, once: it is dropped, and healed from a good one. A block of
// which none is good is missing for good.
func TestCheckFindsAndDropsDamage(t *testing.T) {
	f, err := New(Config{Nodes: []Node{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}, Replication: 3, BlockSize: 100})
	require.NoError(t, err)
	require.NoError(t, f.WriteFile("x", bytes.Repeat([]byte("tarry"), 50)))
	h, err := f.Check("x")
	require.NoError(t, err)
	require.Equal(t, int64(250), h.Size)
	require.Len(t, h.Blocks, 3)
	for _, b := range h.Blocks {
		require.Len(t, b.Nodes, 3)
		require.Empty(t, b.Corrupt)
	}
	bad := h.Blocks[1]
	require.True(t, f.Damage(bad.Nodes[0], bad.ID))
	h, err = f.Check("x")
	require.NoError(t, err)
	require.Equal(t, []NodeID{bad.Nodes[0]}, h.Blocks[1].Corrupt)
	require.Equal(t, bad.Nodes[1:], h.Blocks[1].Nodes)
	require.Equal(t, 1, f.Heal())
	h, err = f.Check("x")
	require.NoError(t, err)
	require.Empty(t, h.Blocks[1].Corrupt)
	require.Len(t, h.Blocks[1].Nodes, 3)
	for _, n := range h.Blocks[1].Nodes {
		require.True(t, f.Damage(n, bad.ID))
	}
	h, err = f.Check("x")
	require.NoError(t, err)
	require.True(t, h.Blocks[1].Missing())
	require.Len(t, h.Blocks[1].Corrupt, 3)
	require.Zero(t, f.Heal())
	_, err = f.Check("y")
	require.Error(t, err)
}

// Blocks that end with a chunk of sums are read to their ends.
func TestBlockOfWholeChunks(t *testing.T) {
	f, err := New(Config{Nodes: []Node{{ID: "a"}}, BlockSize: 2 * sumChunk})
	require.NoError(t, err)
	data := bytes.Repeat([]byte("0123456789abcdef"), 4*sumChunk/16)
	require.NoError(t, f.WriteFile("x", data))
	got, err := f.ReadFile("x")
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
	h, err := f.Check("x")
	require.NoError(t, err)
	require.Len(t, h.Blocks, 2)
	require.Len(t, h.Blocks[1].Nodes, 1)
}
