package dfs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// placed is a Source that names, for each block, the machines with its bytes.
type placed struct {
	Source
	block int64
	hosts [][]string
}

func (p placed) Hosts(off, _ int64) []string { return p.hosts[off/p.block] }

// A node with the name of a machine gets that machine's blocks. Another machine is represented by
// one node, the same for every file. Replicas whose machine is unknown go to further nodes.
func TestBlocksLieWhereTheirSourceSays(t *testing.T) {
	f, err := New(Config{
		Nodes:       []Node{{"a", "r1"}, {"b", "r1"}, {"c", "r2"}, {"d", "r2"}},
		Replication: 2,
	})
	require.NoError(t, err)
	src := placed{Bytes("x", make([]byte, 30)), 10, [][]string{{"d"}, {"host1", "host2", "host3"}, nil}}
	require.NoError(t, f.RegisterAll([]string{"x", "y"}, []Source{src, placed{
		Bytes("y", make([]byte, 20)), 10, [][]string{{"host2", "host1"}, {"host3"}},
	}}, 10))
	nodes := func(name string) (list [][]NodeID) {
		blocks := blocksOf(t, f, name)
		for _, b := range blocks {
			require.Len(t, b.Nodes, 2)
			list = append(list, b.Nodes)
		}
		return list
	}
	x, y := nodes("x"), nodes("y")
	require.Contains(t, x[0], NodeID("d"))
	require.ElementsMatch(t, []NodeID{"a", "b"}, x[1], "host1 and host2")
	require.ElementsMatch(t, []NodeID{"a", "b"}, y[0])
	require.Contains(t, y[1], NodeID("c"), "host3")
	require.NoError(t, f.Lose("c", true))
	require.NoError(t, f.Register("z", placed{Bytes("z", make([]byte, 10)), 10, [][]string{{"host3"}}}, 10))
	require.NotContains(t, nodes("z")[0], NodeID("c"), "it is gone")
}
