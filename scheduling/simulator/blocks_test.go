package simulator

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func topologyOf(cl Cluster) topology {
	cfg := Config{Cluster: cl}.withDefaults()
	return newTopology(cfg.Cluster.Machines)
}

// inPieces returns nodes of which neighbors are in different racks.
func inPieces(nodes, racks int) (list []Machine) {
	for i := range nodes {
		list = append(list, Machine{Rack: i % racks, MapSlots: 1})
	}
	return list
}

// Blocks are placed by HDFS's rule: replicas on separate nodes, the first two in different racks,
// the third in the rack of the second.
func TestPlaceBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes")
		racks := rapid.IntRange(1, min(nodes, 6)).Draw(t, "racks")
		replicas := rapid.IntRange(1, 4).Draw(t, "replicas")
		top := topologyOf(Cluster{Nodes: nodes, Racks: racks})
		if rapid.Bool().Draw(t, "racks in pieces") {
			top = topologyOf(Cluster{Machines: inPieces(nodes, racks)})
		}
		require.Equal(t, racks, top.racks())
		p := top.placeBlocks(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), 20, replicas)
		for b := range 20 {
			at := p.Nodes[p.Offsets[b]:p.Offsets[b+1]]
			require.Len(t, at, min(replicas, nodes))
			for i, v := range at {
				require.NotContains(t, at[:i], v)
			}
			if len(at) >= 2 && racks > 1 {
				require.NotEqual(t, top.rackOf[at[0]], top.rackOf[at[1]])
			}
			if len(at) >= 3 && racks > 1 && top.size(top.rackOf[at[1]]) > 1 {
				require.Equal(t, top.rackOf[at[1]], top.rackOf[at[2]])
			}
		}
	})
}

// Each node gets its equal part of all replicas: 300 of 30,000, with a tolerance of 90.
func TestBlocksAreSpread(t *testing.T) {
	for _, cl := range []Cluster{{Nodes: 100, Racks: 4}, {Machines: inPieces(100, 4)}} {
		top := topologyOf(cl)
		p := top.placeBlocks(rand.New(rand.NewPCG(1, 0)), 10_000, 3)
		count := make([]int, 100)
		for _, v := range p.Nodes {
			count[v]++
		}
		for v, n := range count {
			require.InDelta(t, 300, n, 90, "node %d", v)
		}
	}
}
