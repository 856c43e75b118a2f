package cogrs

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

func TestCenterOfGravityWeighsRacks(t *testing.T) {
	for _, c := range []struct {
		racks         []int
		outputs       map[int][]int64
		cogrs, larts  int
		weightedTotal int64 // weighted distance at the center of gravity
	}{
		// Rack A has 10 bytes on a node, rack B 6 on each of two nodes: score 20 in A, 18 in B.
		// With a third node in B it is 20 in A, 24 in B. LARTS takes the node with most bytes.
		{[]int{1, 2}, map[int][]int64{0: {10}, 1: {6}, 2: {6}}, 0, 0, 48},
		{[]int{1, 3}, map[int][]int64{0: {10}, 1: {6}, 2: {6}, 3: {6}}, 1, 0, 64},
		// In one rack, node 0 has 10 bytes and node 1 has 90: distances 180 and 20.
		{[]int{2, 1}, map[int][]int64{0: {10}, 1: {90}}, 1, 1, 20},
	} {
		for rule, want := range map[model.ReduceRule]int{model.CoGRS: c.cogrs, model.LARTS: c.larts} {
			k, j := gravityCore(t, rule, c.racks, 1, c.outputs)
			g := j.Outputs
			g.Fold()
			center, ok, err := k.View().Gravity(model.TaskID{Job: 1, Kind: model.Reduce, Index: 0})
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, model.NodeID(c.cogrs), center)
			at, err := k.View().WTND(model.TaskID{Job: 1, Kind: model.Reduce, Index: 0}, center)
			require.NoError(t, err)
			require.Equal(t, c.weightedTotal, at)
			levels := placement(k).levels
			best := scoreOf(g, 0, k.Nodes[want], levels)
			for _, n := range k.Nodes { // only the center by the rule takes the reduce at once
				score := scoreOf(g, 0, n, levels)
				require.LessOrEqual(t, score, best)
				require.Equal(t, score == best, placement(k).Place(j, n).Task >= 0, "rule %d, node %d", rule, n.ID)
			}
		}
	}
}

// A node gets at most 1.5 times an equal fraction of a job's reduces, rounded up, and at least one.
// The fraction is among the nodes with input of the job.
func TestPartOfANode(t *testing.T) {
	for _, x := range []struct {
		cap            float64
		reduces, feeds int
		want           int32
	}{
		{0, 4, 2, 3}, {0, 3, 3, 2}, {0, 1, 3, 1}, {2, 3, 3, 2}, {1, 4, 2, 2}, {0.1, 4, 3, 1}, {-1, 4, 2, math.MaxInt32}, {0, 4, 0, math.MaxInt32}, {3, 4, 4, 3},
	} {
		c, _ := gravityCore(t, model.CoGRS, []int{4}, x.reduces, nil)
		r := New(c, model.ReducePolicy{SkewCap: x.cap}, nil).(*Placement)
		g := gravity.New(9, x.reduces)
		for m := range x.feeds {
			g.Add(int32(m), c.Nodes[m].Site, []int64{1})
		}
		j := &core.Job{Work: [model.Kinds]core.Work{model.Reduce: {Tasks: make([]core.Task, x.reduces)}}}
		require.Equal(t, x.want, r.cap(j, g), "%+v", x)
	}
}

// Numbers that are 0 have their defaults; a negative Theta or wait means 0.
func TestDefaultsOfCoGRS(t *testing.T) {
	c, r := fair(t, core.Config{HeartbeatInterval: 2 * time.Second}, model.ReducePolicy{Rule: model.CoGRS})
	require.Equal(t, []any{0.05, 1.5, 2}, []any{r.pol.Theta, r.pol.SkewCap, r.levels})
	require.Equal(t, []time.Duration{3 * time.Second, 3 * time.Second}, []time.Duration{r.Length(0), r.Length(1)})
	r = New(c, model.ReducePolicy{Rule: model.LARTS, Theta: -1, SkewCap: 4, Waits: [2]time.Duration{time.Second, -1}}, nil).(*Placement)
	require.Equal(t, []any{0.0, 4.0, 1}, []any{r.pol.Theta, r.pol.SkewCap, r.levels})
	require.Equal(t, []time.Duration{time.Second, 0}, []time.Duration{r.Length(0), r.Length(1)})
}

// For each wait that is over, a reduce may run one level farther from its center. It may run
// anywhere if its job claims slots by preemption. So it may if the cluster has free slots for all
// reduces that remain, and every node has asked.
func TestDistanceOfAReduce(t *testing.T) {
	for _, x := range []struct {
		waits [2]time.Duration
		level model.Locality
		wait  time.Duration
		free  int // free slots for the job's two reduces
		want  model.Locality
	}{
		{[2]time.Duration{4, 6}, 0, 3, 4, 0},
		{[2]time.Duration{4, 6}, 0, 4, 4, 1},
		{[2]time.Duration{4, 6}, 0, 9, 4, 1},
		{[2]time.Duration{4, 6}, 0, 10, 4, 2},
		{[2]time.Duration{4, 6}, 1, 5, 4, 1},
		{[2]time.Duration{4, 6}, 1, 6, 4, 2},
		{[2]time.Duration{4, 6}, 2, 0, 4, 2},
		{[2]time.Duration{}, 0, time.Second - 1, 2, 0},
		{[2]time.Duration{}, 0, time.Second, 2, 2},
		{[2]time.Duration{}, 0, time.Second, 1, 0},
	} {
		c, r := fair(t, core.Config{HeartbeatInterval: time.Second}, model.ReducePolicy{Rule: model.CoGRS, Waits: x.waits})
		j := c.Job(coretest.Submit(t, c, model.JobSpec{Reduces: 2}))
		*r.Of.Of(j) = delay.Delayed{Level: x.level, Wait: x.wait}
		c.Running[model.Reduce] = 4 - x.free
		require.Equal(t, x.want, r.allowed(j), "%+v", x)
	}
	c, r := fair(t, core.Config{HeartbeatInterval: time.Second}, model.ReducePolicy{Rule: model.CoGRS})
	for why, s := range map[string]model.JobSpec{"a map is not done": {Reduces: 2, Maps: 1}, "they need six slots": {Reduces: 2, SlotsPerTask: 3}} {
		j := c.Job(coretest.Submit(t, c, s))
		r.Of.Of(j).Wait = time.Second
		require.Zero(t, r.allowed(j), why)
	}
}

// The wait of a job does not grow if it launches a reduce and then refuses another slot at once.
func TestLaunchBeforeARefusalOfAReduce(t *testing.T) {
	c, j := gravityCore(t, model.CoGRS, []int{2}, 2, map[int][]int64{0: {100, 100}})
	r := c.Placement[model.Reduce]
	for launches, want := range map[bool]time.Duration{true: 0, false: time.Second} {
		c.Beat++
		r.Begin()
		if launches {
			r.Launched(j, c.Nodes[0], model.NodeLocal)
		}
		r.Refused(j)
		c.Now += time.Second
		c.Beat++
		r.Begin()
		stands, _ := r.View(j)
		require.Equal(t, want, stands.Wait, "launched %v", launches)
		r.Launched(j, c.Nodes[0], model.NodeLocal)
	}
}

// If reduces lose equally much elsewhere, the larger is launched; of equal ones, the first.
func TestBestReduce(t *testing.T) {
	g := gravity.New(1, 4)
	g.Add(0, gravity.Site{}, []int64{5, 9, 9, 2})
	g.Fold()
	for _, x := range []struct {
		offers [][2]int64 // reduce and value
		want   int32
	}{
		{nil, -1},
		{[][2]int64{{0, -5}}, 0},
		{[][2]int64{{0, 5}, {3, 5}}, 0},
		{[][2]int64{{3, 5}, {0, 5}}, 0},
		{[][2]int64{{1, 5}, {2, 5}}, 1},
		{[][2]int64{{2, 5}, {1, 5}}, 2},
		{[][2]int64{{1, 5}, {3, 6}}, 3},
		{[][2]int64{{3, 6}, {1, 5}}, 3},
		{[][2]int64{{0, 6}, {1, 5}}, 0},
	} {
		best := bestReduce{g: g, reduce: -1}
		for _, o := range x.offers {
			best.offer(int32(o[0]), o[1])
		}
		require.Equal(t, x.want, best.reduce, x.offers)
	}
}

// After a change of the policy, running, speculative and finished reduces still count for their
// nodes. Reduces that a node reports from an earlier cluster do not.
func TestReducesCountUnderANewPolicy(t *testing.T) {
	c, j := gravityCore(t, model.CoGRS, []int{2}, 4, map[int][]int64{0: {9, 9, 9, 9}})
	r := placement(c)
	n := c.Nodes[0]
	for range 2 {
		got := coretest.Beat(t, c, 0, 0)
		require.Len(t, got, 1)
		coretest.Report(t, c, 0, 0, model.Status{Attempt: got[0], State: model.StateSucceeded})
	}
	require.Len(t, coretest.Beat(t, c, 0, 0), 1)
	require.Equal(t, int32(3), r.On(j, n))
	j.Work[model.Reduce].Tasks[0].Node = model.NoNode
	other := c.Nodes[1]
	running := int32(slices.IndexFunc(j.Work[model.Reduce].Tasks, func(t core.Task) bool { return t.Att >= 0 }))
	c.Launch(j, model.Reduce, running, other, model.AnyPlace, model.Reason{Cause: model.CauseSlowTask}, nil)
	require.NoError(t, c.Reconfigure(0, c.View().Policy()))
	r = placement(c)
	require.Equal(t, []int32{2, 1}, []int32{r.On(j, n), r.On(j, other)})
	c.KillAttempt(c.Attempts[j.Work[model.Reduce].Tasks[running].Att].Next, model.Reason{}, false)
	require.Equal(t, []int32{2, 0}, []int32{r.On(j, n), r.On(j, other)}, "it came to nothing")
}

// Views say where a reduce's input is stored; for a task that is not a reduce they return an error.
func TestQuestionsAboutGravity(t *testing.T) {
	c, _ := gravityCore(t, model.CoGRS, []int{2, 1}, 2, map[int][]int64{0: {10, 0}, 2: {3, 0}})
	first, second := model.TaskID{Job: 1, Kind: model.Reduce, Index: 0}, model.TaskID{Job: 1, Kind: model.Reduce, Index: 1}
	center, ok, err := c.View().Gravity(first)
	require.NoError(t, err)
	require.Equal(t, []any{model.NodeID(0), true}, []any{center, ok})
	center, ok, err = c.View().Gravity(second)
	require.NoError(t, err)
	require.Equal(t, []any{model.NoNode, false}, []any{center, ok})
	for n, want := range map[model.NodeID][2]int64{0: {12, 4}, 1: {32, 6}, 2: {40, 4}} {
		weighted, err := c.View().WTND(first, n)
		require.NoError(t, err)
		plain, err := c.View().TND(first, n)
		require.NoError(t, err)
		require.Equal(t, want, [2]int64{weighted, plain})
	}
	unjoined := c.NodeID("named")
	for _, n := range []model.NodeID{model.NoNode, unjoined, unjoined + 1} {
		_, err = c.View().WTND(first, n)
		require.ErrorIs(t, err, core.ErrUnknownNode)
	}
	for _, id := range []model.TaskID{{Job: 1, Kind: model.Map, Index: 0}, {Job: 1, Kind: model.Reduce, Index: 2}, {Job: 9, Kind: model.Reduce, Index: 0}} {
		_, err = c.View().WTND(id, 0)
		require.ErrorIs(t, err, core.ErrUnknownTask)
		_, ok, err = c.View().Gravity(id)
		require.ErrorIs(t, err, core.ErrUnknownTask)
		require.False(t, ok)
	}
	id := coretest.Submit(t, c, model.JobSpec{Maps: 1, Reduces: 1})
	_, ok, err = c.View().Gravity(model.TaskID{Job: id, Kind: model.Reduce, Index: 0})
	require.NoError(t, err)
	require.False(t, ok, "nothing is known yet")
	sum, err := c.View().WTND(model.TaskID{Job: id, Kind: model.Reduce, Index: 0}, model.NodeID(99))
	require.NoError(t, err)
	require.Zero(t, sum)
}

// A launch on a candidate near the best node has the rule's own reason. Otherwise the reason is
// that better nodes have no slot, or that running maps make the node the best. LARTS has reasons of
// its own, without a center.
func TestLaunchesSayHowNearTheyAre(t *testing.T) {
	for _, rule := range []struct {
		rule                    model.ReduceRule
		near, ahead, full, wait model.Cause
	}{
		{model.CoGRS, model.CauseGravity, model.CauseGravityAhead, model.CauseNoNearerSlot, model.CauseGravityWait},
		{model.LARTS, model.CauseMost, model.CauseMostAhead, model.CauseNoFullerSlot, model.CauseMostWait},
	} {
		c, j := gravityCore(t, rule.rule, []int{2, 2}, 1, map[int][]int64{0: {1000}, 2: {100}})
		at := func(n model.NodeID) model.Cause { return placement(c).Place(j, c.Nodes[n]).Why }
		require.Equal(t, rule.near, at(0))
		require.Equal(t, rule.wait, at(2))
		for _, n := range []model.NodeID{0, 1} { // the heavy rack
			require.NoError(t, c.Cordon(time.Second, n, true))
		}
		coretest.Beat(t, c, time.Second, 3) // a period later
		require.Equal(t, rule.full, at(2))

		nodes := coretest.Racks([2]int{0, 1}, 2, 2)
		nodes[0].MapSlots, nodes[2].MapSlots = 1, 3
		policy := model.Policy{Order: "fair", SlowStart: 0.25, Reduce: model.ReducePolicy{Rule: rule.rule}}
		c = coretest.New(t, built, core.Config{}, policy, nodes...)
		coretest.Submit(t, c, model.JobSpec{Maps: 4, Reduces: 1})
		done := coretest.Beat(t, c, 0, 0)
		coretest.Beat(t, c, 0, 2)
		coretest.Report(t, c, 0, 0, model.Status{Attempt: done[0], State: model.StateSucceeded, OutputBytes: []int64{100}})
		j = c.Job(1)
		require.Equal(t, rule.ahead, at(2), "nothing lies there yet")
	}
}

// A node is near enough by the known outputs alone if its distance exceeds that of the center by at
// most Theta of the maximum. Otherwise it is the running maps that make it near.
func TestNearByKnownOutputs(t *testing.T) {
	for theta, want := range map[float64]model.Cause{0.25: model.CauseGravity, 0.24: model.CauseGravityAhead} {
		policy := model.Policy{Order: "fair", SlowStart: 0.6, Reduce: model.ReducePolicy{Rule: model.CoGRS, Theta: theta}}
		nodes := coretest.Racks([2]int{1, 1}, 2)
		nodes[1].MapSlots = 2
		c := coretest.New(t, built, core.Config{}, policy, nodes...)
		coretest.Submit(t, c, model.JobSpec{Maps: 3, Reduces: 1})
		for n, bytes := range []int64{96, 32} { // a map still runs on the second node
			done := coretest.Beat(t, c, 0, model.NodeID(n))[0]
			coretest.Report(t, c, 0, model.NodeID(n), model.Status{Attempt: done, State: model.StateSucceeded, OutputBytes: []int64{bytes}})
		}
		require.Equal(t, want, placement(c).Place(c.Job(1), c.Nodes[1]).Why, "192 away, the center 64, of at most 512")
	}
}

// Of the reduces whose center a node is, the one that would lose most elsewhere is launched, not
// the one with the largest input.
func TestLaunchesWhatWouldLoseMost(t *testing.T) {
	for _, rule := range []model.ReduceRule{model.CoGRS, model.LARTS} {
		c, j := gravityCore(t, rule, []int{2, 2}, 2, map[int][]int64{0: {100, 60}, 2: {90, 1}})
		require.Equal(t, int32(1), placement(c).Place(j, c.Nodes[0]).Task)
	}
}
