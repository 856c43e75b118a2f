package dfs

import (
	"io/fs"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

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
	blocks := blocksOf(t, f, "x")
	require.Equal(t, []NodeID{"n0", "n2"}, blocks[0].Nodes)
}

// A full report that lacks a replica reveals its loss. If the replica was only planned, it counts
// as lost if the last full report came after the plan.
func TestFullReportsTellWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, report := silent(t, 2, 2)
		full := func(id NodeID) {
			reportAll(t, f, id)
		}
		where := func() []NodeID {
			b := blocksOf(t, f, "x")
			return b[0].Nodes
		}
		done := writing(f, "x", "data")
		report("n0")
		report("n1")
		require.NoError(t, <-done)
		require.Empty(t, f.PlanHeal())

		block := f.ns.last
		f.stores["n1"].forget([]BlockID{block}) // without a report
		require.Equal(t, []NodeID{"n0", "n1"}, where())
		full("n1")
		require.Equal(t, []NodeID{"n0"}, where())
		require.Equal(t, []Copy{{Block: block, To: "n1", Length: 4}}, f.PlanHeal())
		require.Empty(t, f.PlanHeal(), "it is under way")
		full("n1")
		require.Empty(t, f.PlanHeal(), "it may still be under way")
		full("n0")
		require.Empty(t, f.PlanHeal(), "and that is none of the other's business")
		full("n1")
		plan := f.PlanHeal()
		require.Equal(t, []Copy{{Block: block, To: "n1", Length: 4}}, plan, "word of it was lost")
		require.NoError(t, f.Copy(plan[0]))
		require.Equal(t, []NodeID{"n0"}, where(), "until the node says so")
		full("n1")
		require.Equal(t, []NodeID{"n0", "n1"}, where())
		require.Empty(t, f.PlanHeal())
	})
}

// A node must delete blocks that it reports and that belong to no file. Unknown nodes are errors.
func TestReportsOfTheUnknown(t *testing.T) {
	f := open(t, Config{Nodes: racks(2, 1), Replication: 1})
	f.stores["n0"].put(77, newPayload([]byte("of no file")))
	require.NoError(t, f.Report(Report{Node: "n0", Full: true, Have: []BlockID{77}}))
	require.Empty(t, f.stores["n0"].blocks)
	require.NoError(t, f.Report(Report{Node: "n0", Gone: []BlockID{78}}))
	_, err := f.Inventory("nowhere")
	require.ErrorIs(t, err, ErrUnknownNode)
	_, err = f.Changes("nowhere")
	require.ErrorIs(t, err, ErrUnknownNode)
	require.ErrorIs(t, f.Report(Report{Node: "nowhere"}), ErrUnknownNode)
	require.ErrorIs(t, f.Lose("nowhere", true), ErrUnknownNode)
	require.False(t, f.Damage("nowhere", 77))
	require.False(t, f.Damage("n0", 77))
	require.False(t, f.stores["n0"].drop(77))
	r, err := f.Changes("n0")
	require.NoError(t, err)
	require.Empty(t, r.Gone, "it had none")
}

// Reads, copies and checks skip a replica that its node has lost but not reported as lost.
func TestReplicasThatWentUnreported(t *testing.T) {
	f := open(t, Config{Nodes: racks(3, 1), Replication: 2})
	require.NoError(t, f.WriteFile("x", []byte("data")))
	blocks := blocksOf(t, f, "x")
	b := blocks[0]
	f.stores[b.Nodes[0]].forget([]BlockID{b.ID})
	requireFile(t, f, "x", "data")

	require.NoError(t, f.Report(Report{Node: b.Nodes[0], Gone: []BlockID{b.ID}}))
	plan := f.PlanHeal()
	require.Len(t, plan, 1)
	f.stores[b.Nodes[1]].forget([]BlockID{b.ID})
	require.ErrorIs(t, f.Copy(plan[0]), ErrNoReplica)
	require.Nil(t, f.stores[plan[0].To].get(b.ID))
	_, err := f.ReadFile("x")
	require.ErrorIs(t, err, ErrNoReplica)
	require.ErrorContains(t, err, "no live node holds it")
}

// PlanHeal searches all blocks only if one may lack replicas, and later only while one does.
func TestHealingAtNoCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, report := silent(t, 2, 2)
		done := writing(f, "x", "data")
		f.ns.degraded = true
		require.Empty(t, f.PlanHeal(), "all replicas are awaited")
		require.False(t, f.ns.degraded)
		report("n0")
		report("n1")
		require.NoError(t, <-done)
		f.ns.degraded = true
		require.Empty(t, f.PlanHeal())
		require.False(t, f.ns.degraded)
		require.NoError(t, f.Lose("n0", true))
		require.Empty(t, f.PlanHeal(), "there is no other node")
		require.True(t, f.ns.degraded, "until there is one")
		reportAll(t, f, "n0")
		require.Len(t, f.PlanHeal(), 1)
		require.False(t, f.ns.degraded)
		require.NoError(t, f.Lose("n0", true))
		require.NoError(t, f.Lose("n1", true))
		require.Empty(t, f.PlanHeal())
		require.True(t, f.ns.degraded, "a node may come back with it")
	})
}
