package simulator

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// divideKeys assigns each key to the node that the paper's rule gives, computed by hand.
func TestDivideKeysByHand(t *testing.T) {
	// If each key is on one node, it stays there, and nothing moves.
	require.Equal(t, []int{0, 1, 2}, divideKeys([][]float64{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}))
	// Node 0 has 10 and 9 bytes of keys 0 and 1, node 1 has 8 and 1. Key 0: deviation 1 / (10/18) =
	// 1.8. Key 1: 4 / 0.9 = 4.4, so it is assigned first. At node 0 the loads would be 20 and 8, at
	// node 1 they are 10 and 18, which is fairer. Then key 0: 18 and 10 at node 0, 0 and 28 at node
	// 1. It stays at node 0.
	require.Equal(t, []int{0, 1}, divideKeys([][]float64{{10, 8}, {9, 1}}))
	require.Equal(t, []int{0}, divideKeys([][]float64{{0, 0}}), "a key without bytes")
	require.Empty(t, divideKeys(nil))
}

// A key leaves the node with most of its bytes only if the loads become fairer. All bytes of a key
// go to its node.
func TestDivideKeysMovesOnlyForFairness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, nodes := rapid.IntRange(1, 12).Draw(t, "keys"), rapid.IntRange(1, 5).Draw(t, "nodes")
		bytes := make([][]float64, keys)
		for k := range bytes {
			for range nodes {
				bytes[k] = append(bytes[k], float64(rapid.IntRange(0, 100).Draw(t, "bytes")))
			}
		}
		for k, n := range divideKeys(bytes) {
			require.True(t, n >= 0 && n < nodes, "key %d", k)
		}
		load := make([]float64, nodes)
		for _, held := range bytes {
			for n, b := range held {
				load[n] += b
			}
		}
		held := bytes[0]
		home := 0
		for n := range held {
			if held[n] > held[home] {
				home = n
			}
		}
		before := slices.Clone(load)
		got := giveKey(held, load)
		require.LessOrEqual(t, deviationWith(before, held, got), deviationWith(before, held, home)+1e-9, "never less fair than at home")
		sum := 0.0
		for n := range load {
			sum += load[n] - before[n]
		}
		require.InDelta(t, 0, sum, 1e-6)
	})
}

// deviationWith returns the deviation of the nodes' loads if all bytes of a key move to node n.
func deviationWith(load, held []float64, n int) float64 {
	moved := slices.Clone(load)
	for i, b := range held {
		moved[i] -= b
		moved[n] += b
	}
	return deviation(moved)
}

// keyedRun simulates a job of 12 maps and 4 reduces whose output has keys.
func keyedRun(t *testing.T, change func(*scheduling.Policy), flows bool, failures Failures) *Result {
	w := &workload.Workload{Jobs: []workload.Job{{
		Name: "j", User: "u", Maps: 12, Reduces: 4, InputBytes: 12e8, ShuffleBytes: 12e8,
		Keys: workload.Keys{Count: 50, Zipf: 0.8, Spread: 1}, Map: workload.Cost{Time: 5 * time.Second},
	}}}
	p := preset(t, "fair")
	p.SlowStart = 1
	change(&p)
	return run(t, Config{
		Cluster: Cluster{Nodes: 4, Racks: 2, MapSlots: 1, ReduceSlots: 2}, Network: Network{Flows: flows}, Policy: p, Seed: 5, Failures: failures,
	}, w)
}

// Under LEEN each byte is shuffled once. More bytes stay on their node than with keys by hash, and
// the largest reduce is smaller.
func TestLEENMovesLessAndIsFairer(t *testing.T) {
	for _, flows := range []bool{false, true} {
		hash := keyedRun(t, func(p *scheduling.Policy) { p.Reduce.Rule = scheduling.CoGRS }, flows, Failures{})
		leen := keyedRun(t, func(p *scheduling.Policy) { p.Reduce.Part = LEEN }, flows, Failures{})
		for _, r := range []*Result{hash, leen} {
			s := r.Report.Shuffle
			require.Equal(t, int64(12e8), s.NodeLocal+s.RackLocal+s.OffRack)
		}
		require.Greater(t, leen.Report.Shuffle.NodeLocal, hash.Report.Shuffle.NodeLocal)
		require.Less(t, leen.Jobs[0].Largest, hash.Jobs[0].Largest)
		require.GreaterOrEqual(t, leen.Jobs[0].Largest, int64(3e8))
	}
	lost := keyedRun(t, func(p *scheduling.Policy) { p.Reduce.Part = LEEN }, true,
		Failures{Outages: []Outage{{Node: 1, At: 20 * time.Second, For: 30 * time.Second}}})
	s := lost.Report.Shuffle
	require.Equal(t, int64(12e8), s.NodeLocal+s.RackLocal+s.OffRack, "with a node that fails")
}
