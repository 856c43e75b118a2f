package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// crowded is a job of six reduces that all have the same nodes as best: those of rack 0. The part
// of each node is one or two of them.
func crowded(t *testing.T) (*Core, *job, []NodeID) {
	outputs := map[int][]int64{}
	for n := range 8 {
		outputs[n] = []int64{10, 10, 10, 10, 10, 10}
		if n < 3 {
			outputs[n] = []int64{500, 500, 500, 500, 500, 500}
		}
	}
	return gravityCore(t, CoGRS, []int{4, 4}, 6, outputs)
}

func TestReduceWhoseNodesAreTakenGoesToTheNextBest(t *testing.T) {
	c, j, nodes := crowded(t)
	c.placement[Reduce].(*cogrs).pol.SkewCap = 0.5 // one reduce a node, so that the three best nodes are soon at their part
	launched := map[NodeID]int{}
	for round := range 4 { // a round is longer than a sixth of the heartbeat interval of 300 ms
		for _, node := range slices.Backward(nodes) {
			launched[node] += len(beat(t, c, time.Second+time.Duration(round)*60*time.Millisecond, node))
		}
	}
	require.Zero(t, j.w[Reduce].waiting(), "launched in 240 ms, though the waits are 5 s each")
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
			c.nodes[n].used[Reduce]++ // held by something that will go on for long
		}
		beat(t, c, time.Second, nodes[4])
		beat(t, c, 1010*time.Millisecond, nodes[5])
		require.Equal(t, 4, j.w[Reduce].waiting(), "two are launched at once; lost %v", lost)
	}
}

func TestFullCenterIsWaitedForIfASlotIsInSight(t *testing.T) {
	for progress, waiting := range map[float64]int{0.9: 1, 0.1: 0} {
		c, j, nodes := gravityCore(t, CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}})
		for _, n := range []NodeID{nodes[1], nodes[2]} { // only the center and the asker can be reached
			require.NoError(t, c.Cordon(0, n, true))
		}
		_, err := c.Submit(time.Second, JobSpec{Reduces: 1})
		require.NoError(t, err)
		c.launch(c.job(2), Reduce, 0, c.nodes[nodes[0]], AnyPlace, Reason{}, nil)
		on := AttemptID{Task: TaskID{Job: 2, Kind: Reduce}}
		beat(t, c, 11*time.Second, nodes[0], Status{Attempt: on, Progress: progress})
		beat(t, c, 11*time.Second, nodes[3])
		require.Equal(t, waiting, j.w[Reduce].waiting(), "%v done in 10 s, waits are 5 s", progress)
	}
}

func TestIdleClusterEndsAutomaticWaits(t *testing.T) {
	c, j, nodes := gravityCore(t, CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}})
	c.placement[Reduce].(*cogrs).pol.Waits = [2]time.Duration{}
	require.Empty(t, beat(t, c, time.Second, nodes[3]))
	called, _ := c.Due()
	require.Equal(t, []NodeID{nodes[0]}, called)
	called, _ = c.Due()
	require.Empty(t, called, "it is told once")
	require.Empty(t, beat(t, c, 1200*time.Millisecond, nodes[3]))
	require.Len(t, beat(t, c, 1300*time.Millisecond, nodes[3]), 1, "after one heartbeat interval of 300 ms")
	require.Zero(t, j.w[Reduce].waiting())
}

func TestFailedReduceIsNotPartOfANodesPart(t *testing.T) {
	c, j, nodes := gravityCore(t, CoGRS, []int{2, 2}, 1, map[int][]int64{0: {100}})
	for range 3 {
		got := beat(t, c, time.Second, nodes[0])
		require.Len(t, got, 1)
		require.Equal(t, int32(1), c.placement[Reduce].(*cogrs).on(j, c.nodes[nodes[0]]))
		_, err := c.Heartbeat(time.Second, Heartbeat{Node: nodes[0], NoWork: true, Statuses: []Status{{Attempt: got[0], State: StateFailed}}})
		require.NoError(t, err)
		require.Zero(t, c.placement[Reduce].(*cogrs).on(j, c.nodes[nodes[0]]))
	}
}

// glance drives a load and looks, now and then, at the jobs that have a plan with centers.
func (s setup) glance(t *testing.T, p Policy, look func(r *cogrs, j *job)) {
	c := s.load(t, p)
	r := c.placement[Reduce].(*cogrs)
	running := make([][]Status, s.nodes)
	for step := range 400 {
		n := NodeID(step * 7 % s.nodes)
		got, err := c.Heartbeat(time.Duration(step)*50*time.Millisecond, Heartbeat{Node: n, Statuses: running[n]})
		require.NoError(t, err)
		running[n] = running[n][:0]
		for _, o := range got.Actions {
			st := Status{Attempt: o.Attempt, State: StateSucceeded}
			if o.Attempt.Task.Kind == Map {
				st.OutputBytes = s.bytes[int(o.Attempt.Task.Index)%len(s.bytes)]
			}
			running[n] = append(running[n], st)
		}
		for _, j := range c.active {
			if !j.state.Ended() && step%9 == 0 && r.planOf(j).made && !r.planOf(j).flat {
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
	for _, rule := range []ReduceRule{CoGRS, LARTS} {
		var looks [2]int
		s.glance(t, benchPolicy(t, "hfs", func(p *Policy) { p.Reduce.Rule, p.SlowStart = rule, 0.2 }), func(r *cogrs, j *job) {
			g, p := r.c.outputsOf(j), r.planOf(j)
			limit := r.cap(j, g)
			best := func(i int32, fits func(n *node) bool) (best [choices]candidate) {
				for _, n := range r.c.nodes {
					if fits(n) {
						enter(&best, candidate{n, r.score(g, p, i, n)})
					}
				}
				return best
			}
			r.makePlan(j, g, p)
			for i := range p.best {
				i := int32(i)
				require.Equal(t, best(i, func(n *node) bool {
					return g.Held(i, int32(n.id)) > 0 || p.ahead.runs(n) && g.Total(i) > 0
				}), p.best[i])
			}
			for i := range p.best { // as if none of the best could take any
				if int(j.index+int32(i))%2 == 0 {
					p.best[i], p.candidates[i] = [choices]candidate{}, [choices]candidate{}
				}
			}
			r.index(j, p)
			r.renew(j, g, p)
			for i := j.w[Reduce].pending.First(); i >= 0; i = j.w[Reduce].pending.Next(i) {
				if r.anyCanTake(j, &p.best[i], limit) {
					require.Equal(t, p.best[i], p.candidates[i])
					looks[0]++
				} else {
					require.Equal(t, best(i, func(n *node) bool { return r.canTake(j, n, limit) }), p.candidates[i])
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
	c, j, nodes := gravityCore(t, CoGRS, []int{2, 4}, 1, map[int][]int64{0: {100}})
	at := time.Second
	candidate := func() NodeID {
		require.Empty(t, beat(t, c, at, nodes[5]))
		return c.placement[Reduce].(*cogrs).planOf(j).candidates[0][0].node.id
	}
	require.Equal(t, nodes[0], candidate())
	c.nodes[nodes[0]].used[Reduce]++ // by something that goes on for long
	at += c.heartbeatInterval()/6 - 1
	require.Equal(t, nodes[0], candidate())
	at++
	require.Equal(t, nodes[1], candidate(), "in the rack of the center")
	c.nodes[nodes[0]].used[Reduce]--
	at += time.Second
	require.Equal(t, nodes[1], candidate(), "it can take the reduce")
	for _, n := range nodes[1:4] {
		c.nodes[n].used[Reduce]++
	}
	at += time.Second
	require.Equal(t, nodes[0], candidate(), "none of the three can, the center can again")
}

// A reduce that has failed goes anywhere at once, whatever others of its job wait for.
func TestFailedReduceDoesNotWait(t *testing.T) {
	c, j, nodes := gravityCore(t, CoGRS, []int{2, 2}, 2, map[int][]int64{0: {100, 100}})
	got := beat(t, c, time.Second, nodes[0])
	require.Len(t, got, 1)
	require.Empty(t, beat(t, c, time.Second, nodes[3]), "the other one waits")
	_, err := c.Heartbeat(time.Second, Heartbeat{Node: nodes[0], NoWork: true, Statuses: []Status{{Attempt: got[0], State: StateFailed}}})
	require.NoError(t, err)
	again := beat(t, c, time.Second, nodes[3])
	require.Len(t, again, 1)
	require.Equal(t, got[0].Task, again[0].Task)
	require.Empty(t, beat(t, c, time.Second, nodes[2]))
	require.Equal(t, 1, j.w[Reduce].waiting())
}

// A job that launches a reduce and refuses the next slot of the same heartbeat has not been passed
// over.
func TestLaunchBeforeARefusalOfAReduce(t *testing.T) {
	c, j, nodes := gravityCore(t, CoGRS, []int{2}, 2, map[int][]int64{0: {100, 100}})
	r := c.placement[Reduce]
	for launches, want := range map[bool]time.Duration{true: 0, false: time.Second} {
		c.beat++
		r.begin()
		if launches {
			r.launched(j, c.nodes[nodes[0]], NodeLocal)
		}
		r.refused(j)
		c.now += time.Second
		c.beat++
		r.begin()
		stands, _ := r.view(j)
		require.Equal(t, want, stands.Wait, "launched %v", launches)
		r.launched(j, c.nodes[nodes[0]], NodeLocal)
	}
}
