package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// gravityCore makes a core with the given numbers of nodes per rack, and a job whose maps have run
// on the given nodes (numbered through all racks from 0) and left the given bytes per reduce there.
func gravityCore(t require.TestingT, rule ReduceRule, racks []int, reduces int, outputs map[int][]int64) (*Core, *job, []NodeID) {
	p, err := Preset("fair")
	require.NoError(t, err)
	p.Reduce = ReducePolicy{Rule: rule, Theta: -1, Waits: [2]time.Duration{5 * time.Second, 5 * time.Second}}
	p.SlowStart = 1
	c, err := NewCore(Config{}, p)
	require.NoError(t, err)
	var nodes []NodeID
	for r, n := range racks {
		for range n {
			id, err := c.Join(0, Node{Name: fmt.Sprint("n", len(nodes)), Rack: fmt.Sprint("r", r), MapSlots: 1, ReduceSlots: 1})
			require.NoError(t, err)
			nodes = append(nodes, id)
		}
	}
	_, err = c.Submit(0, JobSpec{Maps: len(outputs), Reduces: reduces})
	require.NoError(t, err)
	for i, n := range nodes {
		if bytes, ok := outputs[i]; ok {
			got, err := c.Heartbeat(0, Heartbeat{Node: n})
			require.NoError(t, err)
			require.Len(t, got.Actions, 1)
			_, err = c.Heartbeat(0, Heartbeat{Node: n, NoWork: true, Statuses: []Status{{Attempt: got.Actions[0].Attempt, State: StateSucceeded, OutputBytes: bytes}}})
			require.NoError(t, err)
		}
	}
	return c, c.job(1), nodes
}

// scoreOf is what lies of a reduce's input on a node and in its groups, each level counted.
func scoreOf(g *gravity.Outputs, r int32, n *node, levels int) int64 {
	return g.Held(r, int32(n.id)) + g.Around(r, n.site(), levels)
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
		for rule, want := range map[ReduceRule]int{CoGRS: c.cogrs, LARTS: c.larts} {
			core, j, nodes := gravityCore(t, rule, c.racks, 1, c.outputs)
			g := core.outputsOf(j)
			g.Fold()
			center, ok, err := core.View().Gravity(TaskID{1, Reduce, 0})
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, nodes[c.cogrs], center)
			at, err := core.View().WTND(TaskID{1, Reduce, 0}, center)
			require.NoError(t, err)
			require.Equal(t, c.weightedTotal, at)
			for i, n := range nodes { // only the rule's own center takes the reduce at once
				levels := core.placement[Reduce].(*cogrs).levels
				best := scoreOf(g, 0, core.nodes[nodes[want]], levels)
				require.LessOrEqual(t, scoreOf(g, 0, core.nodes[n], levels), best)
				got := core.placement[Reduce].place(j, core.nodes[n]).task >= 0
				require.Equal(t, scoreOf(g, 0, core.nodes[n], levels) == best, got, "rule %d, node %d", rule, i)
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
		c, j, nodes := gravityCore(t, CoGRS, racks, reduces, outputs)
		g := c.outputsOf(j)
		g.Fold()
		before := map[string]int64{}
		for r := range int32(reduces) {
			sum, best := int64(0), int64(1)<<60
			for _, b := range outputs {
				sum += b[r]
			}
			for _, n := range nodes {
				at, err := c.View().WTND(TaskID{1, Reduce, r}, n)
				require.NoError(t, err)
				require.Equal(t, at, 2*(2*sum-scoreOf(g, r, c.nodes[n], 2)), "closed form")
				best = min(best, at)
				before[fmt.Sprint(r, n)] = at
			}
			if center, ok, _ := c.View().Gravity(TaskID{1, Reduce, r}); ok {
				require.Equal(t, best, before[fmt.Sprint(r, center)], "the least distance of all nodes is at a feeding node")
			}
		}
		m := int32(rapid.IntRange(0, len(outputs)-1).Draw(t, "map"))
		on := c.nodes[j.w[Map].tasks[m].node]
		g.Remove(m)
		g.Add(m, on.site(), outputs[int(on.id)])
		g.Fold()
		for r := range int32(reduces) {
			for _, n := range nodes {
				sum := int64(0)
				for _, b := range outputs {
					sum += b[r]
				}
				require.Equal(t, before[fmt.Sprint(r, n)], 2*(2*sum-scoreOf(g, r, c.nodes[n], 2)), "taking an output out and in again changes nothing")
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
		p.Reduce = ReducePolicy{Rule: CoGRS, NoProjection: blind}
		p.SlowStart = 0.25
		c, err := NewCore(Config{}, p)
		require.NoError(t, err)
		for i, slots := range []int{1, 0, 3, 0} {
			_, err := c.Join(0, Node{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("r", i/2), MapSlots: slots, ReduceSlots: 1})
			require.NoError(t, err)
		}
		_, err = c.Submit(0, JobSpec{Maps: 4, Reduces: 1})
		require.NoError(t, err)
		done := beat(t, c, 0, 0)
		require.Len(t, done, 1)
		require.Len(t, beat(t, c, 0, 2), 3)
		_, err = c.Heartbeat(0, Heartbeat{Node: 0, NoWork: true, Statuses: []Status{{Attempt: done[0], State: StateSucceeded, OutputBytes: []int64{100}}}})
		require.NoError(t, err)
		j := c.job(1)
		for n, want := range []bool{blind, false, !blind, false} {
			require.Equal(t, want, c.placement[Reduce].place(j, c.nodes[n]).task >= 0, "node %d, blind %v", n, blind)
		}
	}
}

func TestReduceWaitIsBounded(t *testing.T) {
	c, j, nodes := gravityCore(t, CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}})
	require.Empty(t, beat(t, c, time.Second, nodes[1]), "the center's rack comes after 5 s")
	require.Empty(t, beat(t, c, 2*time.Second, nodes[3]))
	require.False(t, c.placement[Reduce].place(j, c.nodes[nodes[1]]).task >= 0)
	require.Empty(t, beat(t, c, 7*time.Second, nodes[3]), "6 s of waiting: the rack, but not yet anywhere")
	require.True(t, c.placement[Reduce].place(j, c.nodes[nodes[1]]).task >= 0)
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
	c, j, nodes := gravityCore(t, CoGRS, racks, 3, outputs)
	c.placement[Reduce].(*cogrs).pol.Theta = 0.05
	require.True(t, c.placement[Reduce].(*cogrs).plan(j, c.outputsOf(j)).flat)
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
	c, j, nodes := gravityCore(t, CoGRS, []int{7, 7}, 10, outputs)
	for now := time.Second; j.w[Reduce].waiting() > 0; now += 100 * time.Millisecond {
		require.Less(t, now, time.Minute)
		for _, n := range nodes {
			beat(t, c, now, n)
		}
	}
	for _, on := range c.placement[Reduce].(*cogrs).planOf(j).launched {
		require.LessOrEqual(t, on.n, int32(2), "ceil(1.5 × 10 / 14) on %v", on.group)
	}
}

func TestLaunchEventsTellTheCenter(t *testing.T) {
	c, _, nodes := gravityCore(t, CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}, 2: {10}})
	var events []Event
	c.cfg.Events = func(e Event) { events = append(events, e) }
	require.Len(t, beat(t, c, time.Second, nodes[0]), 1)
	require.Len(t, events, 1)
	require.Equal(t, EventLaunched, events[0].Type)
	require.Equal(t, &Placed{Center: "n0", AtCenter: 40, Here: 40}, events[0].Placed)
	require.Equal(t, CauseGravity, events[0].Reason.Cause)
}
