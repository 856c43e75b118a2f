package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
)

// A node whose outputs are gone and on which maps run is one choice, not two.
func TestNodeIsChosenOnce(t *testing.T) {
	c, n := newTestCore(t, "fair", func(_ *Config, p *Policy) { p.Reduce, p.SlowStart = ReducePolicy{Rule: CoGRS, Theta: -1}, 0 })
	submit(t, c, JobSpec{Maps: 3, Reduces: 1})
	maps := beat(t, c, 0, n[0])
	require.Len(t, maps, 3, "two maps and the reduce, of whose input nothing is known")
	done := func(at NodeID, id AttemptID) {
		_, err := c.Heartbeat(0, Heartbeat{Node: at, NoWork: true, Statuses: []Status{{Attempt: id, State: StateSucceeded, OutputBytes: []int64{100}}}})
		require.NoError(t, err)
	}
	done(n[0], maps[0])
	r, j := c.placement[Reduce].(*cogrs), c.job(1)
	r.plan(j, c.outputsOf(j))
	c.rerun(j, maps[0].Task.Index)
	other := beat(t, c, 0, n[1])
	require.NotEmpty(t, other)
	done(n[1], other[0])
	best := r.plan(j, c.outputsOf(j)).best[0]
	require.Equal(t, []NodeID{n[1], n[0]}, []NodeID{best[0].node.id, best[1].node.id})
	require.Nil(t, best[2].node)
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
		c, _, nodes := gravityCore(t, CoGRS, []int{4}, x.reduces, nil)
		r := newCoGRS(c, ReducePolicy{SkewCap: x.cap}, nil).(*cogrs)
		g := gravity.New(9, x.reduces)
		for m := range x.feeds {
			g.Add(int32(m), c.nodes[nodes[m]].site(), []int64{1})
		}
		j := &job{w: [kinds]work{Reduce: {tasks: make([]task, x.reduces)}}}
		require.Equal(t, x.want, r.cap(j, g), "%+v", x)
	}
}

// Numbers that are not set have their defaults; a negative Theta is none, a negative wait, too.
func TestDefaultsOfCoGRS(t *testing.T) {
	c, _ := newTestCore(t, "fair", func(cfg *Config, _ *Policy) { cfg.HeartbeatInterval = 2 * time.Second })
	r := newCoGRS(c, ReducePolicy{Rule: CoGRS}, nil).(*cogrs)
	require.Equal(t, []any{0.05, 1.5, 2}, []any{r.pol.Theta, r.pol.SkewCap, r.levels})
	require.Equal(t, []time.Duration{3 * time.Second, 3 * time.Second}, []time.Duration{r.length(0), r.length(1)})
	r = newCoGRS(c, ReducePolicy{Rule: LARTS, Theta: -1, SkewCap: 4, Waits: [2]time.Duration{time.Second, -1}}, nil).(*cogrs)
	require.Equal(t, []any{0.0, 4.0, 1}, []any{r.pol.Theta, r.pol.SkewCap, r.levels})
	require.Equal(t, []time.Duration{time.Second, 0}, []time.Duration{r.length(0), r.length(1)})
}

// How far from its center a job may go: a level farther for each wait that is over; anywhere once it
// claims slots, or has only reduces left for which the cluster has room and every node has asked.
func TestHowFarAReduceMayGo(t *testing.T) {
	for _, x := range []struct {
		waits [2]time.Duration
		level Locality
		wait  time.Duration
		free  int // slots for the two reduces
		want  Locality
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
		c, n := newTestCore(t, "fair", func(cfg *Config, p *Policy) {
			cfg.HeartbeatInterval = time.Second
			p.Reduce = ReducePolicy{Rule: CoGRS, Waits: x.waits}
		})
		require.Len(t, n, 4)
		j := c.job(submit(t, c, JobSpec{Reduces: 2}))
		r := c.placement[Reduce].(*cogrs)
		*r.of.of(j) = delayed{level: x.level, wait: x.wait}
		c.running[Reduce] = 4 - x.free
		require.Equal(t, x.want, r.allowed(j), "%+v", x)
	}
	c, _ := newTestCore(t, "fair", func(cfg *Config, p *Policy) { cfg.HeartbeatInterval, p.Reduce.Rule = time.Second, CoGRS })
	j := c.job(submit(t, c, JobSpec{Reduces: 2, Maps: 1}))
	c.placement[Reduce].(*cogrs).of.of(j).wait = time.Second
	require.Zero(t, c.placement[Reduce].(*cogrs).allowed(j), "a map is not done")
	j = c.job(submit(t, c, JobSpec{Reduces: 2, SlotsPerTask: 3}))
	c.placement[Reduce].(*cogrs).of.of(j).wait = time.Second
	require.Zero(t, c.placement[Reduce].(*cogrs).allowed(j), "they need six slots")
}

// Which nodes can take a reduce within the wait: open ones that the job does not avoid, with slots
// enough, that have not had their part; with a slot free, or one that soon is.
func TestWhichNodesCanTakeAReduce(t *testing.T) {
	c, j, nodes := gravityCore(t, CoGRS, []int{2}, 2, map[int][]int64{0: {10, 10}})
	r, n := c.placement[Reduce].(*cogrs), c.nodes[nodes[1]]
	require.True(t, r.canTake(j, n, 1))
	require.False(t, r.canTake(j, n, 0), "it has its part")
	j.slots = 2
	require.False(t, r.canTake(j, n, 1), "it is too small")
	j.slots = 1
	n.bar(barCordoned, true)
	require.False(t, r.canTake(j, n, 1))
	n.bar(barCordoned, false)
	j.trouble = &trouble{failures: map[NodeID]int32{n.id: 9}, nodes: 1}
	c.live = 8
	require.False(t, r.canTake(j, n, 1), "the job avoids it")
	c.live, j.trouble = 2, nil
	other := c.job(submit(t, c, JobSpec{Reduces: 1, Maps: 1, SlowStart: -1}))
	c.launch(other, Reduce, 0, n, AnyPlace, Reason{}, nil)
	a := &c.atts[n.atts[0]]
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
		a.start, a.since, a.progress, a.suspended = c.now-x.ran, c.now-x.ran, x.progress, x.suspended
		require.Equal(t, x.want, r.freesSoon(n), "%+v", x)
		require.Equal(t, x.want, r.canTake(j, n, 1), "%+v", x)
	}
	a.suspended, a.progress, a.id.Task.Kind = false, 0, Map
	require.False(t, r.freesSoon(n), "a map gives back no slot for reduces")
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
		best := bestReduce{g: g, reduce: -1}
		for _, o := range x.offers {
			best.offer(int32(o[0]), o[1])
		}
		require.Equal(t, x.want, best.reduce, x.offers)
	}
}

// A plan is made anew when half as many outputs again are known, when all are, and when one is
// lost.
func TestWhenAPlanIsMade(t *testing.T) {
	c, j, nodes := gravityCore(t, CoGRS, []int{2}, 1, nil)
	j.w[Map].tasks = make([]task, 9)
	g := gravity.New(9, 1)
	c.outputs[j.index] = g
	r := c.placement[Reduce].(*cogrs)
	plan := func() *plan { return r.plan(j, g) }
	var made []int
	for m := range int32(9) {
		g.Add(m, c.nodes[nodes[0]].site(), []int64{1})
		if plan(); r.planOf(j).known == g.Known() {
			made = append(made, g.Known())
		}
	}
	require.Equal(t, []int{1, 2, 3, 5, 8, 9}, made)
	plan().byNode = nil
	require.Nil(t, plan().byNode, "nothing new")
	for name, change := range map[string]func(){
		"one is lost":        func() { g.Remove(0) },
		"a node has come":    func() { beatJoin(t, c, "new") },
		"one is cordoned":    func() { require.NoError(t, c.Cordon(c.now, nodes[1], true)) },
		"one has gone":       func() { require.NoError(t, c.Leave(c.now, nodes[1])) },
		"one has more slots": func() { beatJoin(t, c, "new") },
	} {
		plan().byNode = nil
		change()
		require.NotNil(t, plan().byNode, name)
	}
}

// beatJoin has a node of a name join, or join again with other slots.
func beatJoin(t *testing.T, c *Core, name string) {
	_, err := c.Join(c.now, Node{Name: name, Rack: "r0", ReduceSlots: 1 + c.slots[Reduce]})
	require.NoError(t, err)
}

// What is known of where a reduce's input lies can be asked; of what is no reduce it is an error.
func TestQuestionsAboutGravity(t *testing.T) {
	c, _, nodes := gravityCore(t, CoGRS, []int{2, 1}, 2, map[int][]int64{0: {10, 0}, 2: {3, 0}})
	first, second := TaskID{1, Reduce, 0}, TaskID{1, Reduce, 1}
	center, ok, err := c.View().Gravity(first)
	require.NoError(t, err)
	require.Equal(t, []any{nodes[0], true}, []any{center, ok})
	center, ok, err = c.View().Gravity(second)
	require.NoError(t, err)
	require.Equal(t, []any{NoNode, false}, []any{center, ok})
	for n, want := range map[NodeID][2]int64{nodes[0]: {12, 4}, nodes[1]: {32, 6}, nodes[2]: {40, 4}} {
		weighted, err := c.View().WTND(first, n)
		require.NoError(t, err)
		plain, err := c.View().TND(first, n)
		require.NoError(t, err)
		require.Equal(t, want, [2]int64{weighted, plain})
	}
	unjoined := c.NodeID("named")
	for _, n := range []NodeID{NoNode, unjoined, unjoined + 1} {
		_, err = c.View().WTND(first, n)
		require.ErrorIs(t, err, ErrUnknownNode)
	}
	for _, id := range []TaskID{{1, Map, 0}, {1, Reduce, 2}, {9, Reduce, 0}} {
		_, err = c.View().WTND(id, nodes[0])
		require.ErrorIs(t, err, ErrUnknownTask)
		_, ok, err = c.View().Gravity(id)
		require.ErrorIs(t, err, ErrUnknownTask)
		require.False(t, ok)
	}
	id := submit(t, c, JobSpec{Maps: 1, Reduces: 1})
	_, ok, err = c.View().Gravity(TaskID{id, Reduce, 0})
	require.NoError(t, err)
	require.False(t, ok, "nothing is known yet")
	sum, err := c.View().WTND(TaskID{id, Reduce, 0}, NodeID(99))
	require.NoError(t, err)
	require.Zero(t, sum)
}

// Under a new policy of the kind, reduces that run, are copied or are done count for their nodes as
// before; those that a node kept from a former cluster count for none.
func TestReducesCountUnderANewPolicy(t *testing.T) {
	c, j, nodes := gravityCore(t, CoGRS, []int{2}, 4, map[int][]int64{0: {9, 9, 9, 9}})
	r := c.placement[Reduce].(*cogrs)
	n := c.nodes[nodes[0]]
	for range 2 {
		got := beat(t, c, 0, nodes[0])
		require.Len(t, got, 1)
		_, err := c.Heartbeat(0, Heartbeat{Node: nodes[0], NoWork: true, Statuses: []Status{{Attempt: got[0], State: StateSucceeded}}})
		require.NoError(t, err)
	}
	require.Len(t, beat(t, c, 0, nodes[0]), 1)
	require.Equal(t, int32(3), r.on(j, n))
	j.w[Reduce].tasks[0].node = NoNode
	other := c.nodes[nodes[1]]
	running := runningReduce(j)
	c.launch(j, Reduce, running, other, AnyPlace, Reason{Cause: CauseSlowTask}, nil)
	require.NoError(t, c.Reconfigure(0, c.View().Policy()))
	r = c.placement[Reduce].(*cogrs)
	require.Equal(t, []int32{2, 1}, []int32{r.on(j, n), r.on(j, other)})
	c.kill(c.atts[j.w[Reduce].tasks[running].att].next, Reason{}, false)
	require.Equal(t, []int32{2, 0}, []int32{r.on(j, n), r.on(j, other)}, "it came to nothing")
}

// runningReduce is the reduce of a job that runs.
func runningReduce(j *job) int32 {
	for i := range j.w[Reduce].tasks {
		if j.w[Reduce].tasks[i].att >= 0 {
			return int32(i)
		}
	}
	return -1
}
