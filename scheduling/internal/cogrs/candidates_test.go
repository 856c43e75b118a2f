package cogrs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// crowded returns a Core with a job of six reduces. The candidates of all are the nodes of rack 0,
// each of which may get only one or two of them.
func crowded(t *testing.T) (*core.Core, *core.Job) {
	outputs := map[int][]int64{}
	for n := range 8 {
		outputs[n] = []int64{10, 10, 10, 10, 10, 10}
		if n < 3 {
			outputs[n] = []int64{500, 500, 500, 500, 500, 500}
		}
	}
	return gravityCore(t, model.CoGRS, []int{4, 4}, 6, outputs)
}

func TestReduceWhoseNodesAreTakenGoesToTheNextBest(t *testing.T) {
	c, j := crowded(t)
	placement(c).pol.SkewCap = 0.5 // a node may get one reduce, so the three best nodes are soon at their cap
	launched := map[model.NodeID]int{}
	for round := range 4 { // a round is longer than a sixth of the heartbeat interval of 300 ms
		for n := model.NodeID(7); n >= 0; n-- {
			launched[n] += len(coretest.Beat(t, c, time.Second+time.Duration(round)*60*time.Millisecond, n))
		}
	}
	require.Zero(t, j.Work[model.Reduce].Waiting(), "launched in 240 ms, though the waits are 5 s each")
	for n := range model.NodeID(4) {
		require.Equal(t, 1, launched[n], "the heavy rack comes first")
	}
}

func TestIdleClusterEndsAutomaticWaits(t *testing.T) {
	c, j := gravityCore(t, model.CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}})
	placement(c).pol.Waits = [2]time.Duration{}
	require.Empty(t, coretest.Beat(t, c, time.Second, 3))
	called, _ := c.Due()
	require.Equal(t, []model.NodeID{0}, called)
	called, _ = c.Due()
	require.Empty(t, called, "it is told once")
	require.Empty(t, coretest.Beat(t, c, 1299*time.Millisecond, 3))
	require.Len(t, coretest.Beat(t, c, 1300*time.Millisecond, 3), 1, "after one heartbeat interval of 300 ms")
	require.Zero(t, j.Work[model.Reduce].Waiting())
}

// canTake is true for an open node with enough slots that the job does not avoid. The node must
// have fewer of the job's reduces than the limit, and a slot that is free or will be soon.
func TestWhichNodesCanTakeAReduce(t *testing.T) {
	c, j := gravityCore(t, model.CoGRS, []int{2}, 2, map[int][]int64{0: {10, 10}})
	r, n := placement(c), c.Nodes[1]
	require.True(t, r.canTake(j, n, 1))
	require.False(t, r.canTake(j, n, 0), "it has its part")
	j.Slots = 2
	require.False(t, r.canTake(j, n, 1), "it is too small")
	j.Slots = 1
	n.Cordoned = true
	require.False(t, r.canTake(j, n, 1))
	n.Cordoned = false
	j.Failures = map[model.NodeID]int32{n.ID: 9}
	c.Live = 8
	require.False(t, r.canTake(j, n, 1), "the job avoids it")
	c.Live, j.Failures = 2, nil
	other := c.Job(coretest.Submit(t, c, model.JobSpec{Reduces: 1, Maps: 1, SlowStart: -1}))
	c.Launch(other, model.Reduce, 0, n, model.AnyPlace, model.Reason{}, nil)
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
		require.Equal(t, x.want, r.freesSoon(n), "%+v", x)
		require.Equal(t, x.want, r.canTake(j, n, 1), "%+v", x)
	}
	a.Suspended, a.Progress, a.ID.Task.Kind = false, 0, model.Map
	require.False(t, r.freesSoon(n), "a map gives back no slot for reduces")
}

// A candidate that can take no reduce any more is replaced a sixth of a heartbeat interval after
// the last check, not earlier.
func TestCandidatesAreLookedAtEachSixthOfAnInterval(t *testing.T) {
	c, j := gravityCore(t, model.CoGRS, []int{2, 4}, 1, map[int][]int64{0: {100}})
	at := time.Second
	candidate := func() model.NodeID {
		require.Empty(t, coretest.Beat(t, c, at, 5))
		return placement(c).PlanOf(j).Candidates[0][0].Node.ID
	}
	require.Equal(t, model.NodeID(0), candidate())
	c.Nodes[0].Used[model.Reduce]++ // by a task that runs for long
	at += c.HeartbeatInterval()/6 - 1
	require.Equal(t, model.NodeID(0), candidate())
	at++
	require.Equal(t, model.NodeID(1), candidate(), "in the rack of the center")
	c.Nodes[0].Used[model.Reduce]--
	at += time.Second
	require.Equal(t, model.NodeID(1), candidate(), "it can take the reduce")
	for _, n := range c.Nodes[1:4] {
		n.Used[model.Reduce]++
	}
	at += time.Second
	require.Equal(t, model.NodeID(0), candidate(), "none of the three can, the center can again")
}

// A node that has lost its outputs and runs maps is listed only once as a candidate.
func TestNodeIsChosenOnce(t *testing.T) {
	c, r := fair(t, core.Config{}, model.ReducePolicy{Rule: model.CoGRS, Theta: -1})
	j := c.Job(coretest.Submit(t, c, model.JobSpec{Maps: 3, Reduces: 1, SlowStart: -1}))
	maps := coretest.Beat(t, c, 0, 0)
	require.Len(t, maps, 3, "two maps and the reduce, of whose input nothing is known")
	done := func(at model.NodeID, id model.AttemptID) {
		coretest.Report(t, c, 0, at, model.Status{Attempt: id, State: model.StateSucceeded, OutputBytes: []int64{100}})
	}
	done(0, maps[0])
	r.plan(j, j.Outputs)
	c.Rerun(j, maps[0].Task.Index)
	other := coretest.Beat(t, c, 0, 1)
	require.NotEmpty(t, other)
	done(1, other[0])
	best := r.plan(j, j.Outputs).Best[0]
	require.Equal(t, []model.NodeID{1, 0}, []model.NodeID{best[0].Node.ID, best[1].Node.ID})
	require.Nil(t, best[2].Node)
}

// A plan is recomputed when half as many more outputs are known, when all are known, and when one
// is lost.
func TestWhenAPlanIsMade(t *testing.T) {
	c, j := gravityCore(t, model.CoGRS, []int{2}, 1, nil)
	j.Work[model.Map].Tasks = make([]core.Task, 9)
	g := gravity.New(9, 1)
	j.Outputs = g
	r := placement(c)
	plan := func() *Plan { return r.plan(j, g) }
	var made []int
	for m := range int32(9) {
		g.Add(m, c.Nodes[0].Site, []int64{1})
		if plan(); r.PlanOf(j).Known == g.Known() {
			made = append(made, g.Known())
		}
	}
	require.Equal(t, []int{1, 2, 3, 5, 8, 9}, made)
	plan().ByNode = nil
	require.Nil(t, plan().ByNode, "nothing new")
	join := func() { // the second time with more slots
		_, err := c.Join(c.Now, model.Node{Name: "new", Rack: "r0", ReduceSlots: 1 + c.Slots[model.Reduce]})
		require.NoError(t, err)
	}
	for name, change := range map[string]func(){
		"one is lost":        func() { g.Remove(0) },
		"a node has come":    join,
		"one is cordoned":    func() { require.NoError(t, c.Cordon(c.Now, 1, true)) },
		"one has gone":       func() { require.NoError(t, c.Leave(c.Now, 1)) },
		"one has more slots": join,
	} {
		plan().ByNode = nil
		change()
		require.NotNil(t, plan().ByNode, name)
	}
}

// The three candidates found with few comparisons are those of a search through all nodes. They are
// the best nodes that have, or will have, input of the reduce. If none of these can take it, they
// are the best of all nodes that can.
func TestCandidatesAreTheBestNodes(t *testing.T) {
	for _, x := range []struct{ racks, perRack, jobs, maps, reduces, sigma int }{{6, 10, 8, 30, 40, 2}, {9, 17, 4, 140, 30, 1}} {
		for _, rule := range []model.ReduceRule{model.CoGRS, model.LARTS} {
			sizes := slices.Repeat([]int{x.perRack}, x.racks)
			c := coretest.New(t, built, core.Config{}, model.Policy{Order: "fair", SlowStart: 0.2, Reduce: model.ReducePolicy{Rule: rule}}, coretest.Racks([2]int{2, 2}, sizes...)...)
			for range x.jobs {
				coretest.Submit(t, c, model.JobSpec{Maps: x.maps, Reduces: x.reduces})
			}
			var looks [2]int
			drive(t, c, x.reduces, float64(x.sigma), func(j *core.Job) { candidatesAreTheBest(t, placement(c), j, &looks) })
			require.Greater(t, min(looks[0], looks[1]), 100)
		}
	}
}

// drive ends maps with output sizes from a lognormal distribution, some equal or zero. At some
// steps it passes each job that has a plan with centers to look.
func drive(t *testing.T, c *core.Core, reduces int, sigma float64, look func(j *core.Job)) {
	rng := rand.New(rand.NewPCG(3, 4))
	running := make([][]model.Status, len(c.Nodes))
	for step := range 400 {
		n := model.NodeID(step * 7 % len(c.Nodes))
		launched := coretest.Beat(t, c, time.Duration(step)*50*time.Millisecond, n, running[n]...)
		running[n] = nil
		for _, a := range launched {
			s := model.Status{Attempt: a, State: model.StateSucceeded}
			for range reduces {
				s.OutputBytes = append(s.OutputBytes, int64(2*math.Exp(sigma*rng.NormFloat64()))*500)
			}
			running[n] = append(running[n], s)
		}
		for _, j := range c.Active {
			if p := placement(c).PlanOf(j); !j.State.Ended() && step%9 == 0 && p.Made && !p.Flat {
				look(j)
			}
		}
	}
}

func candidatesAreTheBest(t *testing.T, r *Placement, j *core.Job, looks *[2]int) {
	g, p := j.Outputs, r.PlanOf(j)
	limit := r.cap(j, g)
	best := func(i int32, fits func(n *core.NodeState) bool) (best [Choices]Candidate) {
		for _, n := range r.C.Nodes {
			if fits(n) {
				enter(&best, Candidate{n, r.score(g, p, i, n)})
			}
		}
		return best
	}
	r.makePlan(j, g, p)
	for i := range int32(len(p.Best)) {
		require.Equal(t, best(i, func(n *core.NodeState) bool {
			return g.Score(i, n.Site, 1) > 0 || p.ahead.runs(n) && g.Total(i) > 0
		}), p.Best[i])
	}
	for i := range p.Best { // as if none of the best nodes could take a reduce
		if (int(j.Index)+i)%2 == 0 {
			p.Best[i], p.Candidates[i] = [Choices]Candidate{}, [Choices]Candidate{}
		}
	}
	r.index(j, p)
	r.renew(j, g, p)
	for i := j.Work[model.Reduce].Pending.First(); i >= 0; i = j.Work[model.Reduce].Pending.Next(i) {
		want, which := p.Best[i], 0
		if !r.anyCanTake(j, &p.Best[i], limit) {
			want, which = best(i, func(n *core.NodeState) bool { return r.canTake(j, n, limit) }), 1
		}
		require.Equal(t, want, p.Candidates[i])
		looks[which]++
	}
}
