package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// crowded is a job of six reduces that all have the same nodes as best: those of rack 0. The part
// of each node is one or two of them.
func crowded(t *testing.T) (*core.Core, *core.Job, []core.NodeID) {
	outputs := map[int][]int64{}
	for n := range 8 {
		outputs[n] = []int64{10, 10, 10, 10, 10, 10}
		if n < 3 {
			outputs[n] = []int64{500, 500, 500, 500, 500, 500}
		}
	}
	return gravityCore(t, core.CoGRS, []int{4, 4}, 6, outputs)
}

func TestReduceWhoseNodesAreTakenGoesToTheNextBest(t *testing.T) {
	c, j, nodes := crowded(t)
	c.Placement[core.Reduce].(*cogrs.Placement).Pol.SkewCap = 0.5 // one reduce a node, so that the three best nodes are soon at their part
	launched := map[core.NodeID]int{}
	for round := range 4 { // a round is longer than a sixth of the heartbeat interval of 300 ms
		for _, node := range slices.Backward(nodes) {
			launched[node] += len(beat(t, c, time.Second+time.Duration(round)*60*time.Millisecond, node))
		}
	}
	require.Zero(t, j.Work[core.Reduce].Waiting(), "launched in 240 ms, though the waits are 5 s each")
	for _, n := range nodes[:4] {
		require.Equal(t, 1, launched[n], "the heavy rack comes first")
	}
}

func TestReduceWhoseNodesAreFullOrGoneGoesOn(t *testing.T) {
	for _, lost := range []bool{false, true} {
		c, j, nodes := crowded(t)
		for _, n := range nodes[:4] {
			if lost {
				require.NoError(t, c.Cordon(time.Second, n, true))
				continue
			}
			c.Nodes[n].Used[core.Reduce]++ // held by something that will go on for long
		}
		beat(t, c, time.Second, nodes[4])
		beat(t, c, 1010*time.Millisecond, nodes[5])
		require.Equal(t, 4, j.Work[core.Reduce].Waiting(), "two are launched at once; lost %v", lost)
	}
}

func TestFullCenterIsWaitedForIfASlotIsInSight(t *testing.T) {
	for progress, waiting := range map[float64]int{0.9: 1, 0.1: 0} {
		c, j, nodes := gravityCore(t, core.CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}})
		for _, n := range []core.NodeID{nodes[1], nodes[2]} { // only the center and the asker can be reached
			require.NoError(t, c.Cordon(0, n, true))
		}
		_, err := c.Submit(time.Second, core.JobSpec{Reduces: 1})
		require.NoError(t, err)
		c.Launch(c.Job(2), core.Reduce, 0, c.Nodes[nodes[0]], core.AnyPlace, core.Reason{}, nil)
		on := core.AttemptID{Task: core.TaskID{Job: 2, Kind: core.Reduce}}
		beat(t, c, 11*time.Second, nodes[0], core.Status{Attempt: on, Progress: progress})
		beat(t, c, 11*time.Second, nodes[3])
		require.Equal(t, waiting, j.Work[core.Reduce].Waiting(), "%v done in 10 s, waits are 5 s", progress)
	}
}

func TestIdleClusterEndsAutomaticWaits(t *testing.T) {
	c, j, nodes := gravityCore(t, core.CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}})
	c.Placement[core.Reduce].(*cogrs.Placement).Pol.Waits = [2]time.Duration{}
	require.Empty(t, beat(t, c, time.Second, nodes[3]))
	called, _ := c.Due()
	require.Equal(t, []core.NodeID{nodes[0]}, called)
	called, _ = c.Due()
	require.Empty(t, called, "it is told once")
	require.Empty(t, beat(t, c, 1200*time.Millisecond, nodes[3]))
	require.Len(t, beat(t, c, 1300*time.Millisecond, nodes[3]), 1, "after one heartbeat interval of 300 ms")
	require.Zero(t, j.Work[core.Reduce].Waiting())
}

func TestFailedReduceIsNotPartOfANodesPart(t *testing.T) {
	c, j, nodes := gravityCore(t, core.CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}})
	for range 3 {
		got := beat(t, c, time.Second, nodes[0])
		require.Len(t, got, 1)
		require.Equal(t, int32(1), c.Placement[core.Reduce].(*cogrs.Placement).On(j, c.Nodes[nodes[0]]))
		_, err := c.Heartbeat(time.Second, core.Heartbeat{Node: nodes[0], NoWork: true, Statuses: []core.Status{{Attempt: got[0], State: core.StateFailed}}})
		require.NoError(t, err)
		require.Zero(t, c.Placement[core.Reduce].(*cogrs.Placement).On(j, c.Nodes[nodes[0]]))
	}
}

// glance drives a load and looks, now and then, at the jobs that have a plan with centers.
func (s setup) glance(t *testing.T, p core.Policy, look func(r *cogrs.Placement, j *core.Job)) {
	c := s.load(t, p)
	r := c.Placement[core.Reduce].(*cogrs.Placement)
	running := make([][]core.Status, s.nodes)
	for step := range 400 {
		n := core.NodeID(step * 7 % s.nodes)
		got, err := c.Heartbeat(time.Duration(step)*50*time.Millisecond, core.Heartbeat{Node: n, Statuses: running[n]})
		require.NoError(t, err)
		running[n] = running[n][:0]
		for _, o := range got.Actions {
			st := core.Status{Attempt: o.Attempt, State: core.StateSucceeded}
			if o.Attempt.Task.Kind == core.Map {
				st.OutputBytes = s.bytes[int(o.Attempt.Task.Index)%len(s.bytes)]
			}
			running[n] = append(running[n], st)
		}
		for _, j := range c.Active {
			if !j.State.Ended() && step%9 == 0 && r.PlanOf(j).Made && !r.PlanOf(j).Flat {
				look(r, j)
			}
		}
	}
}

// Few nodes are looked at closely; the three best are those of a look at all: of those that hold or
// will hold some of a reduce's input; if none of these can take it, of those that can.
func TestCandidatesAreTheBestNodes(t *testing.T) {
	few := setup{nodes: 60, racks: 6, slots: [2]int{2, 2}, jobs: 8, pools: 2, maps: 30, reduces: 40, bytes: skewedSizes(40, 2)}
	many := setup{nodes: 150, racks: 9, slots: [2]int{2, 2}, jobs: 4, pools: 2, maps: 140, reduces: 30, bytes: skewedSizes(40, 1)}
	few.candidatesAreTheBest(t)
	many.candidatesAreTheBest(t)
}

func (s setup) candidatesAreTheBest(t *testing.T) {
	for i := range s.bytes { // ties, and reduces that get nothing
		for k := range s.bytes[i] {
			s.bytes[i][k] = s.bytes[i][k] / 500 * 500
		}
	}
	for _, rule := range []core.ReduceRule{core.CoGRS, core.LARTS} {
		var looks [2]int
		s.glance(t, benchPolicy(t, "hfs", func(p *core.Policy) { p.Reduce.Rule, p.SlowStart = rule, 0.2 }), func(r *cogrs.Placement, j *core.Job) {
			g, p := r.C.OutputsOf(j), r.PlanOf(j)
			limit := r.Cap(j, g)
			best := func(i int32, fits func(n *core.NodeState) bool) (best [cogrs.Choices]cogrs.Candidate) {
				for _, n := range r.C.Nodes {
					if fits(n) {
						cogrs.Enter(&best, cogrs.Candidate{Node: n, Score: r.Score(g, p, i, n)})
					}
				}
				return best
			}
			r.MakePlan(j, g, p)
			for i := range p.Best {
				i := int32(i)
				require.Equal(t, best(i, func(n *core.NodeState) bool {
					return g.Held(i, int32(n.ID)) > 0 || p.Ahead.Runs(n) && g.Total(i) > 0
				}), p.Best[i])
			}
			for i := range p.Best { // as if none of the best could take any
				if int(j.Index+int32(i))%2 == 0 {
					p.Best[i], p.Candidates[i] = [cogrs.Choices]cogrs.Candidate{}, [cogrs.Choices]cogrs.Candidate{}
				}
			}
			r.Index(j, p)
			r.Renew(j, g, p)
			for i := j.Work[core.Reduce].Pending.First(); i >= 0; i = j.Work[core.Reduce].Pending.Next(i) {
				if r.AnyCanTake(j, &p.Best[i], limit) {
					require.Equal(t, p.Best[i], p.Candidates[i])
					looks[0]++
				} else {
					require.Equal(t, best(i, func(n *core.NodeState) bool { return r.CanTake(j, n, limit) }), p.Candidates[i])
					looks[1]++
				}
			}
			checkPlan(t, r, j, p)
		})
		require.Greater(t, min(looks[0], looks[1]), 100)
	}
}

// A candidate that cannot take a reduce any more is given up a sixth of a heartbeat interval after the
// candidates were looked at last, not before.
func TestCandidatesAreLookedAtEachSixthOfAnInterval(t *testing.T) {
	c, j, nodes := gravityCore(t, core.CoGRS, []int{2, 4}, 1, map[int][]int64{0: {100}})
	at := time.Second
	candidate := func() core.NodeID {
		require.Empty(t, beat(t, c, at, nodes[5]))
		return c.Placement[core.Reduce].(*cogrs.Placement).PlanOf(j).Candidates[0][0].Node.ID
	}
	require.Equal(t, nodes[0], candidate())
	c.Nodes[nodes[0]].Used[core.Reduce]++ // by something that goes on for long
	at += c.HeartbeatInterval()/6 - 1
	require.Equal(t, nodes[0], candidate())
	at++
	require.Equal(t, nodes[1], candidate(), "in the rack of the center")
	c.Nodes[nodes[0]].Used[core.Reduce]--
	at += time.Second
	require.Equal(t, nodes[1], candidate(), "it can take the reduce")
	for _, n := range nodes[1:4] {
		c.Nodes[n].Used[core.Reduce]++
	}
	at += time.Second
	require.Equal(t, nodes[0], candidate(), "none of the three can, the center can again")
}

// A reduce that has failed goes anywhere at once, whatever others of its job wait for.
func TestFailedReduceDoesNotWait(t *testing.T) {
	c, j, nodes := gravityCore(t, core.CoGRS, []int{2, 2}, 2, map[int][]int64{0: {100, 100}})
	got := beat(t, c, time.Second, nodes[0])
	require.Len(t, got, 1)
	require.Empty(t, beat(t, c, time.Second, nodes[3]), "the other one waits")
	_, err := c.Heartbeat(time.Second, core.Heartbeat{Node: nodes[0], NoWork: true, Statuses: []core.Status{{Attempt: got[0], State: core.StateFailed}}})
	require.NoError(t, err)
	again := beat(t, c, time.Second, nodes[3])
	require.Len(t, again, 1)
	require.Equal(t, got[0].Task, again[0].Task)
	require.Empty(t, beat(t, c, time.Second, nodes[2]))
	require.Equal(t, 1, j.Work[core.Reduce].Waiting())
}

// A job that launches a reduce and refuses the next slot of the same heartbeat has not been passed
// over.
func TestLaunchBeforeARefusalOfAReduce(t *testing.T) {
	c, j, nodes := gravityCore(t, core.CoGRS, []int{2}, 2, map[int][]int64{0: {100, 100}})
	r := c.Placement[core.Reduce]
	for launches, want := range map[bool]time.Duration{true: 0, false: time.Second} {
		c.Beat++
		r.Begin()
		if launches {
			r.Launched(j, c.Nodes[nodes[0]], core.NodeLocal)
		}
		r.Refused(j)
		c.Now += time.Second
		c.Beat++
		r.Begin()
		stands, _ := r.View(j)
		require.Equal(t, want, stands.Wait, "launched %v", launches)
		r.Launched(j, c.Nodes[nodes[0]], core.NodeLocal)
	}
}
