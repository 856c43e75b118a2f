package dfs

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// A block whose length is a multiple of the checksum chunk is read and verified up to its end.
func TestBlockOfWholeChunks(t *testing.T) {
	f, err := New(Config{Nodes: []Node{{ID: "a"}}, BlockSize: 2 * sumChunk})
	require.NoError(t, err)
	data := bytes.Repeat([]byte("0123456789abcdef"), 4*sumChunk/16)
	require.NoError(t, f.WriteFile("x", data))
	got, err := f.ReadFile("x")
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
}
