package dfs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestReadableWhileAReplicaLives runs random creations, removals, losses, returns, corruptions,
// plans, copies and healings, and a model that knows which nodes hold a good copy of each block.
// Properties: a file reads as written exactly while every block has a live good replica, and always
// if it is registered; healing restores min(replication, live nodes) replicas of each readable
// block; no block has two replicas on a node or more than wanted; live nodes store nothing else;
// each node's load is what it holds plus what it will get.
func TestReadableWhileAReplicaLives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 7).Draw(t, "nodes")
		repl := rapid.IntRange(1, min(3, nodes)).Draw(t, "replication")
		f, err := New(Config{
			Nodes: racks(nodes, rapid.IntRange(1, nodes).Draw(t, "racks")), Replication: repl,
			BlockSize: 4, Seed: rapid.Uint64().Draw(t, "seed"),
		})
		require.NoError(t, err)
		files := map[string][]byte{}
		lost := map[NodeID]bool{}
		var plan []Copy
		copies := func(n int) { // makes the first n planned copies, but for nodes that are lost
			for ; n > 0 && len(plan) > 0; n-- {
				if !lost[plan[0].To] {
					_ = f.Copy(plan[0]) // its block or the other replicas may be lost
				}
				plan = plan[1:]
			}
		}
		created := 0
		node := func() NodeID { return f.cfg.Nodes[rapid.IntRange(0, nodes-1).Draw(t, "node")].ID }

		t.Repeat(map[string]func(*rapid.T){
			"create": func(t *rapid.T) {
				name := fmt.Sprintf("f%d", created)
				created++
				data := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "data")
				if len(lost) == nodes || rapid.Bool().Draw(t, "register") {
					require.NoError(t, f.Register(name, Bytes(name, data), 0))
				} else {
					require.NoError(t, f.WriteFile(name, data))
				}
				files[name] = data
			},
			"lose": func(t *rapid.T) {
				n := node()
				require.NoError(t, f.Lose(n, rapid.Bool().Draw(t, "wipe")))
				lost[n] = true
			},
			"return": func(t *rapid.T) {
				n := node()
				reportAll(t, f, n)
				delete(lost, n)
			},
			"corrupt": func(t *rapid.T) {
				name := rapid.SampledFrom(append(slices.Sorted(maps.Keys(files)), "")).Draw(t, "file")
				if name == "" {
					return
				}
				blocks := blocksOf(t, f, name)
				for _, b := range blocks {
					f.Damage(node(), b.ID)
				}
			},
			"remove": func(t *rapid.T) {
				if len(files) == 0 {
					return
				}
				name := rapid.SampledFrom(slices.Sorted(maps.Keys(files))).Draw(t, "file")
				require.NoError(t, f.Remove(name))
				delete(files, name)
			},
			"plan": func(*rapid.T) { plan = append(plan, f.PlanHeal()...) },
			"copy": func(*rapid.T) { copies(1) },
			"heal": func(t *rapid.T) {
				copies(len(plan))
				checkHealing(t, f, files, min(repl, nodes-len(lost)))
			},
			"": func(t *rapid.T) {
				for name, data := range files {
					checkFile(t, f, name, data)
				}
				checkLoads(t, f)
				for _, d := range f.ns.nodes {
					for id := range f.stores[d.id].blocks {
						b := f.ns.blocks[id]
						require.True(t, !d.alive || b != nil && (slices.Contains(b.replicas, d) || slices.Contains(b.placed, d)), "%v on %v", id, d.id)
					}
				}
			},
		})
	})
}

// checkHealing heals until nothing is left to copy. Then each block that is not lost must have
// `want` replicas.
func checkHealing(t *rapid.T, f *FS, files map[string][]byte, want int) {
	for heal(f) > 0 { // a copy may find its source corrupt: then another round is needed
	}
	for name := range files {
		blocks := blocksOf(t, f, name)
		for _, b := range blocks {
			if len(b.Nodes) > 0 || f.ns.blocks[b.ID].local != nil {
				require.Len(t, b.Nodes, want, "%v of %s", b.ID, name)
			}
		}
	}
}

// checkLoads checks that each node's load, which placement compares, is the bytes placed on it.
func checkLoads(t require.TestingT, f *FS) {
	loads := map[NodeID]int64{}
	for _, b := range f.ns.blocks {
		for _, d := range slices.Concat(b.replicas, b.placed) {
			loads[d.id] += b.length
		}
	}
	for _, d := range f.ns.nodes {
		require.Equal(t, loads[d.id], d.load, "load of %v", d.id)
	}
}

// checkFile checks that a file reads as written if and only if its blocks have live good replicas.
func checkFile(t *rapid.T, f *FS, name string, data []byte) {
	blocks := blocksOf(t, f, name)
	readable := true
	for _, b := range blocks {
		require.LessOrEqual(t, len(b.Nodes), f.Replication())
		require.True(t, slices.IsSortedFunc(b.Nodes, func(a, b NodeID) int {
			if a < b {
				return -1
			}
			return 1
		}), "distinct and in order: %v", b.Nodes)
		good := false
		for _, n := range b.Nodes {
			p := f.stores[n].get(b.ID)
			require.NotNil(t, p, "%v reported by %v is in its store", b.ID, n)
			if p.src != nil || slices.Equal(p.data, data[b.Offset:b.Offset+b.Length]) {
				good = true
			}
		}
		readable = readable && (good || f.ns.blocks[b.ID].local != nil)
	}
	got, err := f.ReadFile(name)
	if readable {
		require.NoError(t, err)
		require.Equal(t, append([]byte{}, data...), append([]byte{}, got...))
	} else {
		require.ErrorIs(t, err, ErrNoReplica)
	}
}

// Healing spreads replicas over racks, as placement does: if all replicas are in one rack, the new
// one goes to another rack.
func TestHealingSpreadsOverRacks(t *testing.T) {
	for seed := range uint64(20) {
		f := open(t, Config{Nodes: racks(6, 2), Seed: seed})
		require.NoError(t, f.WriteFile("x", []byte("abcd")))
		rack := func(n NodeID) string { return f.ns.byID[n].rack }
		nodes := blocksOf(t, f, "x")[0].Nodes
		alone := slices.IndexFunc(nodes, func(n NodeID) bool {
			return !slices.ContainsFunc(nodes, func(other NodeID) bool { return other != n && rack(other) == rack(n) })
		})
		require.NoError(t, f.Lose(nodes[alone], true))
		require.Equal(t, 1, heal(f))
		require.True(t, slices.ContainsFunc(blocksOf(t, f, "x")[0].Nodes, func(n NodeID) bool { return rack(n) == rack(nodes[alone]) }))
	}
}

// A plan lists copies in the order of blocks. A copy that no node can receive now is planned once
// one can.
func TestPlansOfHealing(t *testing.T) {
	f := open(t, Config{Nodes: racks(3, 1), Replication: 2, BlockSize: 1})
	require.NoError(t, f.WriteFile("x", noise(1, 200)))
	blocks := blocksOf(t, f, "x")
	first, second := blocks[0].Nodes[0], blocks[0].Nodes[1]
	require.NoError(t, f.Lose(second, false))
	plan := f.PlanHeal()
	require.Greater(t, len(plan), 50)
	require.True(t, slices.IsSortedFunc(plan, func(a, b Copy) int { return cmp.Compare(a.Block, b.Block) }))
	require.Equal(t, blocks[0].ID, plan[0].Block)

	require.NoError(t, f.Lose(first, false))
	require.ErrorIs(t, f.Copy(plan[0]), ErrNoReplica)
	reportAll(t, f, first)
	require.True(t, slices.ContainsFunc(f.PlanHeal(), func(c Copy) bool { return c.Block == plan[0].Block }))
}
