package dfs

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReturningNodeReportsWhatItHas(t *testing.T) {
	f := open(t, Config{Nodes: racks(4, 1), Replication: 2})
	require.NoError(t, f.WriteFile("x", []byte("data")))
	where := func() []NodeID {
		b, err := f.Blocks("x")
		require.NoError(t, err)
		return b[0].Nodes
	}
	before := where()
	require.NoError(t, f.Lose(before[0], false))
	require.Equal(t, before[1:], where())
	require.Equal(t, 1, f.Heal())
	healed := where()
	require.Len(t, healed, 2)

	// It returns with a replica that is no longer wanted, and is told to delete it.
	r, err := f.Inventory(before[0])
	require.NoError(t, err)
	require.Len(t, r.Have, 1)
	require.NoError(t, f.Report(r))
	require.Equal(t, healed, where())
	require.Empty(t, f.stores[before[0]].blocks)

	require.ErrorIs(t, f.Report(Report{Node: "nowhere"}), ErrUnknownNode)
	require.ErrorIs(t, f.Lose("nowhere", true), ErrUnknownNode)
	_, err = f.Changes("nowhere")
	require.ErrorIs(t, err, ErrUnknownNode)
}

func TestReplicasAreKnownFromReportsOnly(t *testing.T) {
	var f *FS
	announced := make(chan NodeID, 100)
	f = open(t, Config{Nodes: racks(3, 1), Announce: func(n NodeID) { announced <- n }})
	done := make(chan error)
	go func() { done <- f.Register("x", Bytes("x", []byte("abc")), 0) }()
	for i := range 3 {
		id := <-announced
		_, err := f.Stat("x")
		require.ErrorIs(t, err, fs.ErrNotExist, "after %d reports", i)
		if id == "n1" {
			require.NoError(t, f.Lose(id, true)) // it will never report
			continue
		}
		r, err := f.Changes(id)
		require.NoError(t, err)
		require.NoError(t, f.Report(r))
	}
	require.NoError(t, <-done)
	blocks, err := f.Blocks("x")
	require.NoError(t, err)
	require.Equal(t, []NodeID{"n0", "n2"}, blocks[0].Nodes)
}

func TestNoLiveNode(t *testing.T) {
	f := open(t, Config{Nodes: racks(1, 1)})
	require.NoError(t, f.Lose("n0", true))
	err := f.WriteFile("x", []byte("a"))
	require.True(t, errors.Is(err, ErrNoReplica), "%v", err)
}
