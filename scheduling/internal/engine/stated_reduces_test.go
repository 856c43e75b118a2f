package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// A node whose outputs are gone and on which maps run is one choice, not two.
func TestNodeIsChosenOnce(t *testing.T) {
	c, n := newTestCore(t, "fair", func(_ *core.Config, p *core.Policy) {
		p.Reduce, p.SlowStart = core.ReducePolicy{Rule: core.CoGRS, Theta: -1}, 0
	})
	submit(t, c, core.JobSpec{Maps: 3, Reduces: 1})
	maps := beat(t, c, 0, n[0])
	require.Len(t, maps, 3, "two maps and the reduce, of whose input nothing is known")
	done := func(at core.NodeID, id core.AttemptID) {
		_, err := c.Heartbeat(0, core.Heartbeat{Node: at, NoWork: true, Statuses: []core.Status{{Attempt: id, State: core.StateSucceeded, OutputBytes: []int64{100}}}})
		require.NoError(t, err)
	}
	done(n[0], maps[0])
	r, j := c.Placement[core.Reduce].(*cogrs.Placement), c.Job(1)
	r.Plan(j, c.OutputsOf(j))
	c.Rerun(j, maps[0].Task.Index)
	other := beat(t, c, 0, n[1])
	require.NotEmpty(t, other)
	done(n[1], other[0])
	best := r.Plan(j, c.OutputsOf(j)).Best[0]
	require.Equal(t, []core.NodeID{n[1], n[0]}, []core.NodeID{best[0].Node.ID, best[1].Node.ID})
	require.Nil(t, best[2].Node)
	checkInvariants(t, c)
}

// The part of a job's reduces that one node gets: 1.5 times an equal part, rounded up, of the nodes
// that feed them, at least one.
func TestPartOfANode(t *testing.T) {
	for _, x := range []struct {
		cap            float64
		reduces, feeds int
		want           int32
	}{
		{0, 4, 2, 3}, {0, 3, 3, 2}, {0, 1, 3, 1}, {2, 3, 3, 2}, {1, 4, 2, 2}, {0.1, 4, 3, 1}, {-1, 4, 2, math.MaxInt32}, {0, 4, 0, math.MaxInt32}, {3, 4, 4, 3},
	} {
		c, _, nodes := gravityCore(t, core.CoGRS, []int{4}, x.reduces, nil)
		r := cogrs.New(c, core.ReducePolicy{SkewCap: x.cap}, nil).(*cogrs.Placement)
		g := gravity.New(9, x.reduces)
		for m := range x.feeds {
			g.Add(int32(m), c.Nodes[nodes[m]].Site(), []int64{1})
		}
		j := &core.Job{Work: [core.Kinds]core.Work{core.Reduce: {Tasks: make([]core.Task, x.reduces)}}}
		require.Equal(t, x.want, r.Cap(j, g), "%+v", x)
	}
}

// Numbers that are not set have their defaults; a negative Theta is none, a negative wait, too.
func TestDefaultsOfCoGRS(t *testing.T) {
	c, _ := newTestCore(t, "fair", func(cfg *core.Config, _ *core.Policy) { cfg.HeartbeatInterval = 2 * time.Second })
	r := cogrs.New(c, core.ReducePolicy{Rule: core.CoGRS}, nil).(*cogrs.Placement)
	require.Equal(t, []any{0.05, 1.5, 2}, []any{r.Pol.Theta, r.Pol.SkewCap, r.Levels})
	require.Equal(t, []time.Duration{3 * time.Second, 3 * time.Second}, []time.Duration{r.Length(0), r.Length(1)})
	r = cogrs.New(c, core.ReducePolicy{Rule: core.LARTS, Theta: -1, SkewCap: 4, Waits: [2]time.Duration{time.Second, -1}}, nil).(*cogrs.Placement)
	require.Equal(t, []any{0.0, 4.0, 1}, []any{r.Pol.Theta, r.Pol.SkewCap, r.Levels})
	require.Equal(t, []time.Duration{time.Second, 0}, []time.Duration{r.Length(0), r.Length(1)})
}

// How far from its center a job may go: a level farther for each wait that is over; anywhere once it
// claims slots, or has only reduces left for which the cluster has room and every node has asked.
func TestHowFarAReduceMayGo(t *testing.T) {
	for _, x := range []struct {
		waits [2]time.Duration
		level core.Locality
		wait  time.Duration
		free  int // slots for the two reduces
		want  core.Locality
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
		c, n := newTestCore(t, "fair", func(cfg *core.Config, p *core.Policy) {
			cfg.HeartbeatInterval = time.Second
			p.Reduce = core.ReducePolicy{Rule: core.CoGRS, Waits: x.waits}
		})
		require.Len(t, n, 4)
		j := c.Job(submit(t, c, core.JobSpec{Reduces: 2}))
		r := c.Placement[core.Reduce].(*cogrs.Placement)
		*r.Of.Of(j) = delay.Delayed{Level: x.level, Wait: x.wait}
		c.Running[core.Reduce] = 4 - x.free
		require.Equal(t, x.want, r.Allowed(j), "%+v", x)
	}
	c, _ := newTestCore(t, "fair", func(cfg *core.Config, p *core.Policy) { cfg.HeartbeatInterval, p.Reduce.Rule = time.Second, core.CoGRS })
	j := c.Job(submit(t, c, core.JobSpec{Reduces: 2, Maps: 1}))
	c.Placement[core.Reduce].(*cogrs.Placement).Of.Of(j).Wait = time.Second
	require.Zero(t, c.Placement[core.Reduce].(*cogrs.Placement).Allowed(j), "a map is not done")
	j = c.Job(submit(t, c, core.JobSpec{Reduces: 2, SlotsPerTask: 3}))
	c.Placement[core.Reduce].(*cogrs.Placement).Of.Of(j).Wait = time.Second
	require.Zero(t, c.Placement[core.Reduce].(*cogrs.Placement).Allowed(j), "they need six slots")
}

// Which nodes can take a reduce within the wait: open ones that the job does not avoid, with slots
// enough, that have not had their part; with a slot free, or one that soon is.
func TestWhichNodesCanTakeAReduce(t *testing.T) {
	c, j, nodes := gravityCore(t, core.CoGRS, []int{2}, 2, map[int][]int64{0: {10, 10}})
	r, n := c.Placement[core.Reduce].(*cogrs.Placement), c.Nodes[nodes[1]]
	require.True(t, r.CanTake(j, n, 1))
	require.False(t, r.CanTake(j, n, 0), "it has its part")
	j.Slots = 2
	require.False(t, r.CanTake(j, n, 1), "it is too small")
	j.Slots = 1
	n.Bar(core.BarCordoned, true)
	require.False(t, r.CanTake(j, n, 1))
	n.Bar(core.BarCordoned, false)
	j.Trouble = &core.Trouble{Failures: map[core.NodeID]int32{n.ID: 9}, Nodes: 1}
	c.Live = 8
	require.False(t, r.CanTake(j, n, 1), "the job avoids it")
	c.Live, j.Trouble = 2, nil
	other := c.Job(submit(t, c, core.JobSpec{Reduces: 1, Maps: 1, SlowStart: -1}))
	c.Launch(other, core.Reduce, 0, n, core.AnyPlace, core.Reason{}, nil)
	a := &c.Attempts[n.Atts[0]]
	for _, x := range []struct {
		ran       time.Duration
		progress  float64
		suspended bool
		want      bool
	}{
		{time.Hour, 0, false, true},
		{10 * time.Second, 0.5, false, false},
		{5 * time.Second, 0.5, false, true},
		{5*time.Second + 1, 0.5, false, false},
		{20 * time.Second, 0.8, false, true},
		{21 * time.Second, 0.8, false, false},
		{0, 0, true, false},
	} {
		a.Start, a.Since, a.Progress, a.Suspended = c.Now-x.ran, c.Now-x.ran, x.progress, x.suspended
		require.Equal(t, x.want, r.FreesSoon(n), "%+v", x)
		require.Equal(t, x.want, r.CanTake(j, n, 1), "%+v", x)
	}
	a.Suspended, a.Progress, a.ID.Task.Kind = false, 0, core.Map
	require.False(t, r.FreesSoon(n), "a map gives back no slot for reduces")
}

// Of reduces of equal value the one with the larger input is launched, of equal inputs the first.
func TestBestReduce(t *testing.T) {
	g := gravity.New(1, 4)
	g.Add(0, gravity.Site{Groups: []int32{0, 0}}, []int64{5, 9, 9, 2})
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
		best := cogrs.BestReduce{G: g, Reduce: -1}
		for _, o := range x.offers {
			best.Offer(int32(o[0]), o[1])
		}
		require.Equal(t, x.want, best.Reduce, x.offers)
	}
}

// A plan is made anew when half as many outputs again are known, when all are, and when one is
// lost.
func TestWhenAPlanIsMade(t *testing.T) {
	c, j, nodes := gravityCore(t, core.CoGRS, []int{2}, 1, nil)
	j.Work[core.Map].Tasks = make([]core.Task, 9)
	g := gravity.New(9, 1)
	c.Outputs[j.Index] = g
	r := c.Placement[core.Reduce].(*cogrs.Placement)
	plan := func() *cogrs.Plan { return r.Plan(j, g) }
	var made []int
	for m := range int32(9) {
		g.Add(m, c.Nodes[nodes[0]].Site(), []int64{1})
		if plan(); r.PlanOf(j).Known == g.Known() {
			made = append(made, g.Known())
		}
	}
	require.Equal(t, []int{1, 2, 3, 5, 8, 9}, made)
	plan().ByNode = nil
	require.Nil(t, plan().ByNode, "nothing new")
	for name, change := range map[string]func(){
		"one is lost":        func() { g.Remove(0) },
		"a node has come":    func() { beatJoin(t, c, "new") },
		"one is cordoned":    func() { require.NoError(t, c.Cordon(c.Now, nodes[1], true)) },
		"one has gone":       func() { require.NoError(t, c.Leave(c.Now, nodes[1])) },
		"one has more slots": func() { beatJoin(t, c, "new") },
	} {
		plan().ByNode = nil
		change()
		require.NotNil(t, plan().ByNode, name)
	}
}

// beatJoin has a node of a name join, or join again with other slots.
func beatJoin(t *testing.T, c *core.Core, name string) {
	_, err := c.Join(c.Now, core.Node{Name: name, Rack: "r0", ReduceSlots: 1 + c.Slots[core.Reduce]})
	require.NoError(t, err)
}

// What is known of where a reduce's input lies can be asked; of what is no reduce it is an error.
func TestQuestionsAboutGravity(t *testing.T) {
	c, _, nodes := gravityCore(t, core.CoGRS, []int{2, 1}, 2, map[int][]int64{0: {10, 0}, 2: {3, 0}})
	first, second := core.TaskID{Job: 1, Kind: core.Reduce, Index: 0}, core.TaskID{Job: 1, Kind: core.Reduce, Index: 1}
	center, ok, err := c.View().Gravity(first)
	require.NoError(t, err)
	require.Equal(t, []any{nodes[0], true}, []any{center, ok})
	center, ok, err = c.View().Gravity(second)
	require.NoError(t, err)
	require.Equal(t, []any{core.NoNode, false}, []any{center, ok})
	for n, want := range map[core.NodeID][2]int64{nodes[0]: {12, 4}, nodes[1]: {32, 6}, nodes[2]: {40, 4}} {
		weighted, err := c.View().WTND(first, n)
		require.NoError(t, err)
		plain, err := c.View().TND(first, n)
		require.NoError(t, err)
		require.Equal(t, want, [2]int64{weighted, plain})
	}
	unjoined := c.NodeID("named")
	for _, n := range []core.NodeID{core.NoNode, unjoined, unjoined + 1} {
		_, err = c.View().WTND(first, n)
		require.ErrorIs(t, err, core.ErrUnknownNode)
	}
	for _, id := range []core.TaskID{{Job: 1, Kind: core.Map, Index: 0}, {Job: 1, Kind: core.Reduce, Index: 2}, {Job: 9, Kind: core.Reduce, Index: 0}} {
		_, err = c.View().WTND(id, nodes[0])
		require.ErrorIs(t, err, core.ErrUnknownTask)
		_, ok, err = c.View().Gravity(id)
		require.ErrorIs(t, err, core.ErrUnknownTask)
		require.False(t, ok)
	}
	id := submit(t, c, core.JobSpec{Maps: 1, Reduces: 1})
	_, ok, err = c.View().Gravity(core.TaskID{Job: id, Kind: core.Reduce, Index: 0})
	require.NoError(t, err)
	require.False(t, ok, "nothing is known yet")
	sum, err := c.View().WTND(core.TaskID{Job: id, Kind: core.Reduce, Index: 0}, core.NodeID(99))
	require.NoError(t, err)
	require.Zero(t, sum)
}

// Under a new policy of the kind, reduces that run, are copied or are done count for their nodes as
// before; those that a node kept from a former cluster count for none.
func TestReducesCountUnderANewPolicy(t *testing.T) {
	c, j, nodes := gravityCore(t, core.CoGRS, []int{2}, 4, map[int][]int64{0: {9, 9, 9, 9}})
	r := c.Placement[core.Reduce].(*cogrs.Placement)
	n := c.Nodes[nodes[0]]
	for range 2 {
		got := beat(t, c, 0, nodes[0])
		require.Len(t, got, 1)
		_, err := c.Heartbeat(0, core.Heartbeat{Node: nodes[0], NoWork: true, Statuses: []core.Status{{Attempt: got[0], State: core.StateSucceeded}}})
		require.NoError(t, err)
	}
	require.Len(t, beat(t, c, 0, nodes[0]), 1)
	require.Equal(t, int32(3), r.On(j, n))
	j.Work[core.Reduce].Tasks[0].Node = core.NoNode
	other := c.Nodes[nodes[1]]
	running := runningReduce(j)
	c.Launch(j, core.Reduce, running, other, core.AnyPlace, core.Reason{Cause: core.CauseSlowTask}, nil)
	require.NoError(t, c.Reconfigure(0, c.View().Policy()))
	r = c.Placement[core.Reduce].(*cogrs.Placement)
	require.Equal(t, []int32{2, 1}, []int32{r.On(j, n), r.On(j, other)})
	c.KillAttempt(c.Attempts[j.Work[core.Reduce].Tasks[running].Att].Next, core.Reason{}, false)
	require.Equal(t, []int32{2, 0}, []int32{r.On(j, n), r.On(j, other)}, "it came to nothing")
}

// runningReduce is the reduce of a job that runs.
func runningReduce(j *core.Job) int32 {
	for i := range j.Work[core.Reduce].Tasks {
		if j.Work[core.Reduce].Tasks[i].Att >= 0 {
			return int32(i)
		}
	}
	return -1
}
