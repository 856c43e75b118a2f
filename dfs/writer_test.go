package dfs

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

// While no node is alive, a write fails at once. A registered file needs no node; its blocks get
// their replicas once one is up.
func TestNoNodeIsAlive(t *testing.T) {
	f := open(t, Config{Nodes: racks(1, 1)})
	require.NoError(t, f.Lose("n0", true))
	require.NoError(t, f.Register("in", Bytes("in", []byte("abc")), 2))
	requireFile(t, f, "in", "abc")
	require.ErrorIs(t, f.WriteFile("x", []byte("a")), ErrNoReplica)
	require.NoError(t, f.Up("n0"))
	require.NoError(t, f.WriteFile("x", []byte("a")))
	require.Equal(t, 2, heal(f))
	require.Equal(t, []NodeID{"n0"}, blocksOf(t, f, "in")[0].Nodes)
}

// A file whose first blocks are lost before its last one is written does not appear.
func TestLostWhileWritten(t *testing.T) {
	f := open(t, Config{Nodes: racks(2, 1), BlockSize: 4, Replication: 1})
	w, err := f.Create("x")
	require.NoError(t, err)
	_, err = w.Write([]byte("data and more"))
	require.NoError(t, err)
	require.NoError(t, f.Lose("n0", true))
	require.ErrorIs(t, w.Close(), ErrNoReplica)
	_, err = f.Stat("x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Empty(t, f.ns.blocks)
	checkLoads(t, f)
}

// One changed bit, in any chunk of a block, makes each read that touches it fail: of the whole
// block, of the chunk, and across its edges.
func TestEveryByteIsVerified(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 3*sumChunk/16+100)
	for _, at := range []int64{0, sumChunk - 1, sumChunk, 2*sumChunk + 7, 3 * sumChunk, int64(len(data)) - 1} {
		e := newExtent(bytes.Clone(data))
		bytesOf(t, e)[at] ^= 4
		for _, part := range [][2]int64{{0, e.n}, {at, at + 1}, {max(0, at-sumChunk), at + 1}, {at, e.n}} {
			err := e.read(make([]byte, part[1]-part[0]), part[0])
			require.ErrorIs(t, err, ErrCorrupt, "byte %d, %v", at, part)
		}
		require.ErrorIs(t, e.verify(), ErrCorrupt)
	}
	require.NoError(t, newExtent(data).verify())
}
