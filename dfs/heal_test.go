package dfs

import (
	"cmp"
	"fmt"
	"io/fs"
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
				require.NoError(t, f.Up(n))
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
					for id := range d.disk {
						b := f.ns.blocks[id]
						require.True(t, !d.alive || b != nil && slices.Contains(b.replicas, d), "%v on %v", id, d.id)
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
		for _, d := range slices.Concat(b.replicas, b.ordered) {
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
			e := f.ns.byID[n].disk[b.ID]
			require.NotNil(t, e, "%v is on the disk of %v", b.ID, n)
			good = good || !e.written || slices.Equal(bytesOf(t, e), data[b.Offset:b.Offset+b.Length])
		}
		readable = readable && (good || f.ns.blocks[b.ID].local != nil)
	}
	got, err := fs.ReadFile(f, name)
	if readable {
		require.NoError(t, err)
		require.Equal(t, append([]byte{}, data...), append([]byte{}, got...))
	} else {
		require.ErrorIs(t, err, ErrNoReplica)
	}
}

// bytesOf returns the bytes of a written extent, good or not.
func bytesOf(t require.TestingT, e *extent) []byte {
	b, _ := viewOf(t, e.src.(*checked).src, 0, int(e.n))
	return b
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
	require.NoError(t, f.Up(first))
	require.True(t, slices.ContainsFunc(f.PlanHeal(), func(c Copy) bool { return c.Block == plan[0].Block }))
}

// A copy is ordered once. If its node comes up without it, the order was lost, and the copy is
// planned once more. An order for a node that was lost since then, or for a removed file, does
// nothing.
func TestOrdersThatAreLost(t *testing.T) {
	f := open(t, Config{Nodes: racks(3, 1), Replication: 2})
	require.NoError(t, f.WriteFile("x", []byte("data")))
	nodes := blocksOf(t, f, "x")[0].Nodes
	require.NoError(t, f.Lose(nodes[1], true))
	plan := f.PlanHeal()
	require.Len(t, plan, 1)
	require.Empty(t, f.PlanHeal(), "it is under way")
	require.NoError(t, f.Up(nodes[0]))
	require.Empty(t, f.PlanHeal(), "that is no matter of another node")
	require.NoError(t, f.Up(plan[0].To))
	require.Equal(t, plan, f.PlanHeal())

	require.NoError(t, f.Lose(plan[0].To, true))
	require.NoError(t, f.Copy(plan[0]))
	require.Equal(t, nodes[:1], blocksOf(t, f, "x")[0].Nodes)
	require.NoError(t, f.Up(nodes[1]))
	plan = f.PlanHeal()
	require.Len(t, plan, 1)
	require.NoError(t, f.Remove("x"))
	require.NoError(t, f.Copy(plan[0]))
	checkLoads(t, f)
}

// A copy is not made if a node has come back with the replica meanwhile.
func TestCopyIsNoLongerNeeded(t *testing.T) {
	f := open(t, Config{Nodes: racks(3, 1), Replication: 2})
	require.NoError(t, f.WriteFile("x", []byte("data")))
	nodes := blocksOf(t, f, "x")[0].Nodes
	require.NoError(t, f.Lose(nodes[1], false))
	plan := f.PlanHeal()
	require.Len(t, plan, 1)
	require.NoError(t, f.Up(nodes[1]))
	require.NoError(t, f.Copy(plan[0]))
	require.Equal(t, nodes, blocksOf(t, f, "x")[0].Nodes)
	checkLoads(t, f)
}

// PlanHeal searches all blocks only if one may lack replicas, and later only while one does.
func TestHealingAtNoCost(t *testing.T) {
	f := open(t, Config{Nodes: racks(2, 1)})
	require.NoError(t, f.WriteFile("x", []byte("data")))
	require.False(t, f.ns.degraded)
	require.NoError(t, f.Lose("n0", true))
	require.Empty(t, f.PlanHeal(), "there is no other node")
	require.True(t, f.ns.degraded, "until there is one")
	require.NoError(t, f.Up("n0"))
	require.Equal(t, 1, heal(f))
	require.False(t, f.ns.degraded)
	require.NoError(t, f.Lose("n0", true))
	require.NoError(t, f.Lose("n1", true))
	require.Empty(t, f.PlanHeal())
	require.True(t, f.ns.degraded, "a node may come back with it")
}

func TestUnknownNodes(t *testing.T) {
	f := open(t, Config{Nodes: racks(2, 1), Replication: 1})
	require.ErrorIs(t, f.Up("nowhere"), ErrUnknownNode)
	require.ErrorIs(t, f.Lose("nowhere", true), ErrUnknownNode)
	require.False(t, f.Damage("nowhere", 77))
	require.False(t, f.Damage("n0", 77))
}
