package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// gravityCore makes a core with the given numbers of nodes per rack, and a job whose maps have run
// on the given nodes (numbered through all racks from 0) and left the given bytes per reduce there.
func gravityCore(t require.TestingT, rule core.ReduceRule, racks []int, reduces int, outputs map[int][]int64) (*core.Core, *core.Job, []core.NodeID) {
	p, err := Preset("fair")
	require.NoError(t, err)
	p.Reduce = core.ReducePolicy{Rule: rule, Theta: -1, Waits: [2]time.Duration{5 * time.Second, 5 * time.Second}}
	p.SlowStart = 1
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	var nodes []core.NodeID
	for r, n := range racks {
		for range n {
			id, err := c.Join(0, core.Node{Name: fmt.Sprint("n", len(nodes)), Rack: fmt.Sprint("r", r), MapSlots: 1, ReduceSlots: 1})
			require.NoError(t, err)
			nodes = append(nodes, id)
		}
	}
	_, err = c.Submit(0, core.JobSpec{Maps: len(outputs), Reduces: reduces})
	require.NoError(t, err)
	for i, n := range nodes {
		if bytes, ok := outputs[i]; ok {
			got, err := c.Heartbeat(0, core.Heartbeat{Node: n})
			require.NoError(t, err)
			require.Len(t, got.Actions, 1)
			_, err = c.Heartbeat(0, core.Heartbeat{Node: n, NoWork: true, Statuses: []core.Status{{Attempt: got.Actions[0].Attempt, State: core.StateSucceeded, OutputBytes: bytes}}})
			require.NoError(t, err)
		}
	}
	return c, c.Job(1), nodes
}

// scoreOf is what lies of a reduce's input on a node and in its groups, each level counted.
func scoreOf(g *gravity.Outputs, r int32, n *core.NodeState, levels int) int64 {
	return g.Held(r, int32(n.ID)) + g.Around(r, n.Site(), levels)
}

func TestCenterOfGravityWeighsRacks(t *testing.T) {
	for _, c := range []struct {
		racks         []int
		outputs       map[int][]int64
		cogrs, larts  int
		weightedTotal int64 // at the center of gravity
	}{
		// A {10}, B {6, 6}: 20 against 18 speaks for A; with a third node in B, 24 against 20 for
		// B. LARTS takes the node that holds most.
		{[]int{1, 2}, map[int][]int64{0: {10}, 1: {6}, 2: {6}}, 0, 0, 48},
		{[]int{1, 3}, map[int][]int64{0: {10}, 1: {6}, 2: {6}, 3: {6}}, 1, 0, 64},
		// TT1 10 bytes, TT2 90 bytes in one rack: 180 and 20.
		{[]int{2, 1}, map[int][]int64{0: {10}, 1: {90}}, 1, 1, 20},
	} {
		for rule, want := range map[core.ReduceRule]int{core.CoGRS: c.cogrs, core.LARTS: c.larts} {
			k, j, nodes := gravityCore(t, rule, c.racks, 1, c.outputs)
			g := k.OutputsOf(j)
			g.Fold()
			center, ok, err := k.View().Gravity(core.TaskID{Job: 1, Kind: core.Reduce, Index: 0})
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, nodes[c.cogrs], center)
			at, err := k.View().WTND(core.TaskID{Job: 1, Kind: core.Reduce, Index: 0}, center)
			require.NoError(t, err)
			require.Equal(t, c.weightedTotal, at)
			for i, n := range nodes { // only the rule's own center takes the reduce at once
				levels := k.Placement[core.Reduce].(*cogrs.Placement).Levels
				best := scoreOf(g, 0, k.Nodes[nodes[want]], levels)
				require.LessOrEqual(t, scoreOf(g, 0, k.Nodes[n], levels), best)
				got := k.Placement[core.Reduce].Place(j, k.Nodes[n]).Task >= 0
				require.Equal(t, scoreOf(g, 0, k.Nodes[n], levels) == best, got, "rule %d, node %d", rule, i)
			}
		}
	}
}

func TestGravityProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		racks := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(t, "racks")
		total := 0
		for _, n := range racks {
			total += n
		}
		reduces := rapid.IntRange(1, 4).Draw(t, "reduces")
		outputs := map[int][]int64{}
		for n := range total {
			if n == 0 || rapid.Bool().Draw(t, "feeds") {
				outputs[n] = rapid.SliceOfN(rapid.Int64Range(0, 50), reduces, reduces).Draw(t, "bytes")
			}
		}
		c, j, nodes := gravityCore(t, core.CoGRS, racks, reduces, outputs)
		g := c.OutputsOf(j)
		g.Fold()
		before := map[string]int64{}
		for r := range int32(reduces) {
			sum, best := int64(0), int64(1)<<60
			for _, b := range outputs {
				sum += b[r]
			}
			for _, n := range nodes {
				at, err := c.View().WTND(core.TaskID{Job: 1, Kind: core.Reduce, Index: r}, n)
				require.NoError(t, err)
				require.Equal(t, at, 2*(2*sum-scoreOf(g, r, c.Nodes[n], 2)), "closed form")
				best = min(best, at)
				before[fmt.Sprint(r, n)] = at
			}
			if center, ok, _ := c.View().Gravity(core.TaskID{Job: 1, Kind: core.Reduce, Index: r}); ok {
				require.Equal(t, best, before[fmt.Sprint(r, center)], "the least distance of all nodes is at a feeding node")
			}
		}
		m := int32(rapid.IntRange(0, len(outputs)-1).Draw(t, "map"))
		on := c.Nodes[j.Work[core.Map].Tasks[m].Node]
		g.Remove(m)
		g.Add(m, on.Site(), outputs[int(on.ID)])
		g.Fold()
		for r := range int32(reduces) {
			for _, n := range nodes {
				sum := int64(0)
				for _, b := range outputs {
					sum += b[r]
				}
				require.Equal(t, before[fmt.Sprint(r, n)], 2*(2*sum-scoreOf(g, r, c.Nodes[n], 2)), "taking an output out and in again changes nothing")
			}
		}
	})
}

// Three maps run on node 2 of rack 1 while one is done on node 0 of rack 0: each counts with that
// one's output, so the center is where they run, although nothing lies there yet. Without
// projection it is where the known output lies.
func TestRunningMapsMakeACenter(t *testing.T) {
	for _, blind := range []bool{false, true} {
		p, err := Preset("fair")
		require.NoError(t, err)
		p.Reduce = core.ReducePolicy{Rule: core.CoGRS, NoProjection: blind}
		p.SlowStart = 0.25
		c, err := NewCore(core.Config{}, p)
		require.NoError(t, err)
		for i, slots := range []int{1, 0, 3, 0} {
			_, err := c.Join(0, core.Node{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("r", i/2), MapSlots: slots, ReduceSlots: 1})
			require.NoError(t, err)
		}
		_, err = c.Submit(0, core.JobSpec{Maps: 4, Reduces: 1})
		require.NoError(t, err)
		done := beat(t, c, 0, 0)
		require.Len(t, done, 1)
		require.Len(t, beat(t, c, 0, 2), 3)
		_, err = c.Heartbeat(0, core.Heartbeat{Node: 0, NoWork: true, Statuses: []core.Status{{Attempt: done[0], State: core.StateSucceeded, OutputBytes: []int64{100}}}})
		require.NoError(t, err)
		j := c.Job(1)
		for n, want := range []bool{blind, false, !blind, false} {
			require.Equal(t, want, c.Placement[core.Reduce].Place(j, c.Nodes[n]).Task >= 0, "node %d, blind %v", n, blind)
		}
	}
}

func TestReduceWaitIsBounded(t *testing.T) {
	c, j, nodes := gravityCore(t, core.CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}})
	require.Empty(t, beat(t, c, time.Second, nodes[1]), "the center's rack comes after 5 s")
	require.Empty(t, beat(t, c, 2*time.Second, nodes[3]))
	require.False(t, c.Placement[core.Reduce].Place(j, c.Nodes[nodes[1]]).Task >= 0)
	require.Empty(t, beat(t, c, 7*time.Second, nodes[3]), "6 s of waiting: the rack, but not yet anywhere")
	require.True(t, c.Placement[core.Reduce].Place(j, c.Nodes[nodes[1]]).Task >= 0)
	require.Len(t, beat(t, c, 11500*time.Millisecond, nodes[3]), 1, "after both waits anywhere")
}

func TestEvenJobDoesNotWait(t *testing.T) {
	outputs := map[int][]int64{}
	for n := range 44 {
		outputs[n] = []int64{50, 51, 49}
	}
	racks := make([]int, 44)
	for i := range racks {
		racks[i] = 1
	}
	c, j, nodes := gravityCore(t, core.CoGRS, racks, 3, outputs)
	c.Placement[core.Reduce].(*cogrs.Placement).Pol.Theta = 0.05
	require.True(t, c.Placement[core.Reduce].(*cogrs.Placement).Plan(j, c.OutputsOf(j)).Flat)
	require.Len(t, beat(t, c, time.Second, nodes[7]), 1)
}

func TestNoNodeGetsMoreThanItsPart(t *testing.T) {
	outputs := map[int][]int64{}
	for n := range 14 {
		outputs[n] = make([]int64, 10)
		for r := range outputs[n] {
			outputs[n][r] = 10
		}
	}
	outputs[3][0] = 500 // one reduce has a clear center, so that the plan is not flat
	c, j, nodes := gravityCore(t, core.CoGRS, []int{7, 7}, 10, outputs)
	for now := time.Second; j.Work[core.Reduce].Waiting() > 0; now += 100 * time.Millisecond {
		require.Less(t, now, time.Minute)
		for _, n := range nodes {
			beat(t, c, now, n)
		}
	}
	for _, on := range c.Placement[core.Reduce].(*cogrs.Placement).PlanOf(j).Launched {
		require.LessOrEqual(t, on.N, int32(2), "ceil(1.5 × 10 / 14) on %v", on.Group)
	}
}

func TestLaunchEventsTellTheCenter(t *testing.T) {
	c, _, nodes := gravityCore(t, core.CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}, 2: {10}})
	var events []core.Event
	c.Config.Events = func(e core.Event) { events = append(events, e) }
	require.Len(t, beat(t, c, time.Second, nodes[0]), 1)
	require.Len(t, events, 1)
	require.Equal(t, core.EventLaunched, events[0].Type)
	require.Equal(t, &core.Placed{Center: "n0", AtCenter: 40, Here: 40}, events[0].Placed)
	require.Equal(t, core.CauseGravity, events[0].Reason.Cause)
}
