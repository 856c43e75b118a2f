package engine

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// drawPolicy draws a policy: a combination of parts and settings.
func drawPolicy(t *rapid.T) model.Policy {
	p := policyOf(t, rapid.SampledFrom(Presets()).Draw(t, "preset"), nil)
	switch rapid.IntRange(0, 3).Draw(t, "locality") {
	case 0:
		p.Locality = model.LocalityPolicy{}
	case 1:
		p.Locality = model.LocalityPolicy{Rule: model.SkipCount, Skips: rapid.SliceOfN(rapid.IntRange(0, 3), 0, 2).Draw(t, "skips")}
	case 2:
		p.Locality = model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{2 * time.Second, 3 * time.Second}, Capped: rapid.Bool().Draw(t, "capped")}
	case 3:
		p.Locality = model.LocalityPolicy{Rule: model.TimedWait, Auto: true}
	}
	p.Reduce.Rule = rapid.SampledFrom([]model.ReduceRule{model.AnyNode, model.CoGRS, model.LARTS}).Draw(t, "placement")
	if rapid.Bool().Draw(t, "reduce waits") { // otherwise automatic ones
		p.Reduce.Waits = [2]time.Duration{2 * time.Second, 2 * time.Second}
	}
	p.SlowStart = rapid.SampledFrom([]float64{-1, 0, 0.5, 1}).Draw(t, "slowstart")
	p.Spread = rapid.Bool().Draw(t, "spread")
	p.OneTask = rapid.Bool().Draw(t, "onetask")
	p.ReserveLong, p.LongTask = rapid.IntRange(0, 1).Draw(t, "reserve"), 4*time.Second
	if rapid.Bool().Draw(t, "pools") {
		p.Pools.Pools = []model.PoolConfig{
			{Name: "a", Min: [2]int{3, 1}, Weight: 2, MinTimeout: 5 * time.Second},
			{Name: "b", Max: [2]int{3, model.NoLimit}, Mode: model.FIFOMode, MaxJobs: 2},
		}
		p.Pools.FairTimeout = 10 * time.Second
		p.Pools.UserMaxJobs = 3
		p.Pools.SizeBasedWeight = true
		p.Pools.BoostFactor, p.Pools.BoostTime = 3, 20*time.Second
		p.Preemption = model.PreemptionPolicy{Mode: model.PreemptOn, Interval: 4 * time.Second}
	}
	if p.Order == "capacity" && rapid.Bool().Draw(t, "queues") {
		p.Queues = []model.QueueConfig{
			{Name: "top", Capacity: 60},
			{Name: "a", Parent: "top", Capacity: 70, UserLimit: 25, Priorities: true},
			{Name: "b", Parent: "top"},
			{Name: "default", Capacity: 40, Max: 80},
		}
	}
	p.HFSP.Reclaim = rapid.SampledFrom([]model.Reclaim{model.EagerSuspend, model.WaitForSlot, model.KillLarger}).Draw(t, "reclaim")
	p.HFSP.NoTraining = rapid.Bool().Draw(t, "notraining")
	p.HFSP.Sample = rapid.IntRange(1, 3).Draw(t, "sample")
	p.HFSP.Delta = 2 * time.Second
	p.HFSP.Estimator = rapid.SampledFrom([]string{"mean", "fit"}).Draw(t, "estimator")
	p.HFSP.SuspendHigh = rapid.IntRange(0, 4).Draw(t, "high")
	p.HFSP.Weighted = rapid.Bool().Draw(t, "weighted")
	p.Quincy = model.QuincyPolicy{
		Rule:  rapid.SampledFrom([]model.QuincyRule{model.QFP, model.QF, model.QP, model.Q}).Draw(t, "quincy"),
		Rack:  rapid.SampledFrom([]time.Duration{-1, 0, time.Second}).Draw(t, "rack"),
		Floor: rapid.SampledFrom([]float64{-1, 0, 0.5}).Draw(t, "floor"),
		Lost:  rapid.SampledFrom([]float64{-1, 0, 3}).Draw(t, "lost"),
	}
	p.Speculation = model.SpeculationPolicy{
		Rule: rapid.SampledFrom([]model.SpeculationRule{model.NoSpeculation, model.NativeRule, model.LATE}).Draw(t, "speculation"),
		Lag:  time.Second, SlowTask: 0.1, MinCopies: 2,
	}
	p.Avoid = model.Avoidance{JobFailures: 1, Jobs: 1, Forgive: 10 * time.Second}
	p.HFSP.Xi = rapid.SampledFrom([]float64{0, 2, math.Inf(1)}).Draw(t, "xi")
	return p
}

// play is a random run of a Core, with the attempts that its nodes run.
type play struct {
	parts   core.Parts
	t       *rapid.T
	c       *core.Core
	now     time.Duration
	nodes   []model.NodeID
	joined  []model.Node                              // by their IDs
	big     model.NodeID                              // a node with slots enough for every task
	fixed   bool                                      // the policy never changes
	running map[model.NodeID]map[model.AttemptID]bool // true: suspended
	won     map[model.TaskID]int                      // commits of reduces
	log     bytes.Buffer
	calls   *calls.Writer
}

func newPlay(t *rapid.T, p model.Policy) *play { return newPlayOf(t, p, core.Parts{}) }

// newPlayOf is like newPlay, with parts that the policy may name.
func newPlayOf(t *rapid.T, p model.Policy, parts core.Parts) *play {
	y := &play{t: t, running: map[model.NodeID]map[model.AttemptID]bool{}, won: map[model.TaskID]int{}, parts: parts}
	y.calls = calls.NewWriter(&y.log)
	c, err := NewCore(y.config(), p)
	require.NoError(t, err)
	y.c = c
	for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
		y.join(model.Node{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("r", i%2), MapSlots: rapid.IntRange(0, 3).Draw(t, "map"), ReduceSlots: rapid.IntRange(1, 2).Draw(t, "reduce")})
	}
	y.join(model.Node{Name: "big", MapSlots: 2, ReduceSlots: 2})
	y.big = y.nodes[len(y.nodes)-1]
	return y
}

// config returns the configuration of the Core. Heartbeats are so rare that CoGRS checks its
// candidates, and ends waits, after several steps.
func (y *play) config() core.Config {
	return core.Config{
		Calls: y.calls.Write, Explain: true, HeartbeatInterval: 10 * time.Second, Parts: y.parts,
	}
}

// replay fails unless a new Core without explanations, which then has policy p, gives the same
// answers to all calls. It reuses refusals (cogrs/skip.go), and the first Core does not: see beat.
func (y *play) replay(p model.Policy) {
	cfg := silently(y.config())
	cfg.Explain = false
	fresh, err := NewCore(cfg, p)
	require.NoError(y.t, err)
	require.NoError(y.t, ReplayFrom(fresh, &y.log))
}

func (y *play) join(n model.Node) {
	id, err := y.c.Join(y.now, n)
	require.NoError(y.t, err)
	if int(id) < len(y.joined) {
		y.joined[id] = n
		return
	}
	y.nodes, y.joined = append(y.nodes, id), append(y.joined, n)
	y.running[id] = map[model.AttemptID]bool{}
}

func (y *play) submit() {
	t := y.t
	s := model.JobSpec{
		Name: "j", User: rapid.SampledFrom([]string{"u", "v"}).Draw(t, "user"), Pool: rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "pool"),
		Priority: model.Priority(rapid.IntRange(-2, 2).Draw(t, "priority")), Maps: rapid.IntRange(0, 6).Draw(t, "maps"), Reduces: rapid.IntRange(0, 3).Draw(t, "reduces"),
		NoSuspend: rapid.Bool().Draw(t, "nosuspend"), MapTime: 3 * time.Second, ReduceTime: 5 * time.Second,
		SlotsPerTask: rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(t, "slots"),
	}
	if len(y.c.Policy.Queues) > 0 {
		s.Queue = rapid.SampledFrom([]string{"a", "b", "default"}).Draw(t, "queue")
	}
	if rapid.Bool().Draw(t, "placed") {
		s.Places.Offsets = []int32{0}
		for range s.Maps {
			for range rapid.IntRange(0, 2).Draw(t, "replicas") {
				s.Places.Nodes = append(s.Places.Nodes, rapid.SampledFrom(y.nodes).Draw(t, "place"))
			}
			s.Places.Offsets = append(s.Places.Offsets, int32(len(s.Places.Nodes)))
		}
	}
	submitAt(t, y.c, y.now, s)
}

// beat sends a heartbeat of node n. Each attempt ends with a chance of `ends` in ten; `fails` in
// ten of these fail.
func (y *play) beat(n model.NodeID, ends, fails int) {
	t := y.t
	var list []model.Status
	for _, id := range sortedAttempts(y.running[n]) {
		if y.running[n][id] {
			list = append(list, model.Status{Attempt: id, State: model.StateSuspended})
			continue
		}
		st := model.Status{Attempt: id, Progress: rapid.SampledFrom([]float64{0, 0.2, 0.5, 0.9}).Draw(t, "progress"), ReduceProgress: 0.5}
		if rapid.IntRange(0, 9).Draw(t, "end") < ends {
			delete(y.running[n], id)
			st.State = model.StateSucceeded
			if rapid.IntRange(0, 9).Draw(t, "fail") < fails {
				st.State = model.StateFailed
			} else if id.Task.Kind == model.Reduce && y.c.MayCommit(id) {
				y.won[id.Task]++
			} else if id.Task.Kind == model.Reduce {
				st.State = model.StateKilled
			} else {
				for range y.c.Job(id.Task.Job).Spec.Reduces {
					st.OutputBytes = append(st.OutputBytes, int64(rapid.IntRange(0, 100).Draw(t, "bytes")))
				}
			}
		}
		list = append(list, st)
	}
	if r, ok := y.c.Placement[model.Reduce].(*cogrs.Placement); ok {
		clear(r.Waiting)
	}
	got, err := y.c.Heartbeat(y.now, model.Heartbeat{Node: n, Incarnation: y.joined[n].Incarnation, Statuses: list})
	require.NoError(t, err)
	if got.Reregister {
		y.running[n] = map[model.AttemptID]bool{}
		return
	}
	for _, o := range got.Actions {
		switch o.Verb {
		case model.Launch:
			y.running[n][o.Attempt] = false
		case model.Kill:
			delete(y.running[n], o.Attempt)
		case model.Suspend:
			y.running[n][o.Attempt] = true
		case model.Resume:
			require.True(t, y.running[n][o.Attempt], "resumes on the node that has it suspended")
			y.running[n][o.Attempt] = false
		}
	}
	for _, s := range y.c.View().IdleReasons(n) {
		require.NotEqual(t, model.NoCause, s.Reason.Cause, "an idle slot has a reason")
	}
}

func sortedAttempts(m map[model.AttemptID]bool) (ids []model.AttemptID) {
	for id := range m {
		ids = append(ids, id)
	}
	sortByString(ids)
	return ids
}

// step makes a random call of the Core; ends and fails are as for beat.
func (y *play) step(ends, fails int) {
	t := y.t
	y.now += time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond
	n := rapid.SampledFrom(y.nodes).Draw(t, "node")
	switch what := rapid.IntRange(0, 19).Draw(t, "what"); {
	case what < 3:
		y.submit()
	case what == 3:
		require.NoError(t, y.c.Update(y.now))
	case what == 4 && len(y.c.View().Active()) > 0:
		id := rapid.SampledFrom(y.c.View().Active()).Draw(t, "job")
		require.NoError(t, y.c.SetPriority(y.now, id, model.Priority(rapid.IntRange(-2, 2).Draw(t, "priority"))))
	case what == 5 && len(y.c.View().Active()) > 0 && y.c.Policy.Order == "pools":
		id := rapid.SampledFrom(y.c.View().Active()).Draw(t, "job")
		require.NoError(t, y.c.SetPool(y.now, id, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "pool")))
	case what == 6 && fails > 0 && len(y.c.View().Active()) > 0:
		require.NoError(t, y.c.Kill(y.now, rapid.SampledFrom(y.c.View().Active()).Draw(t, "job")))
	case what == 7 && fails > 0:
		require.NoError(t, y.c.Leave(y.now, n))
		if rapid.Bool().Draw(t, "back") {
			y.rejoin(n)
		}
	case what == 10 && fails > 0:
		y.rejoin(n)
	case what == 11 || what == 12:
		require.NoError(t, y.c.Cordon(y.now, n, rapid.Bool().Draw(t, "cordon")))
	case what == 8:
		_, err := y.c.Preempt(y.now)
		require.NoError(t, err)
	case what == 9 && fails > 0 && !y.fixed && rapid.IntRange(0, 4).Draw(t, "reconfigure") == 0:
		before := y.c.Order
		if err := y.c.Reconfigure(y.now, drawPolicy(t)); err != nil {
			require.ErrorIs(t, err, core.ErrUnknownQueue)
			require.Equal(t, before, y.c.Order, "all or nothing")
		} else {
			y.equalPools()
		}
	default:
		y.beat(n, ends, fails)
	}
	checkInvariants(t, y.c)
}

// equalPools fails unless the pools have the settings that a new Core with the policy has.
func (y *play) equalPools() {
	fresh, err := NewCore(core.Config{Parts: y.parts}, y.c.View().Policy())
	require.NoError(y.t, err)
	now := map[string]model.PoolConfig{}
	for _, p := range y.c.View().Pools() {
		now[p.Name] = p.Config
	}
	for _, p := range fresh.View().Pools() {
		require.Equal(y.t, p.Config, now[p.Name])
	}
}

// finish lets all jobs end: attempts no longer fail, and the node with slots for every task
// returns. Other nodes keep their state.
func (y *play) finish() {
	t := y.t
	y.rejoin(y.big)
	require.NoError(t, y.c.Cordon(y.now, y.big, false))
	for round := 0; len(y.c.View().Active()) > 0; round++ {
		require.LessOrEqual(t, round, 400, "every job ends once failures stop: %+v", y.c.Policy)
		y.now += time.Second
		for _, n := range y.nodes {
			y.beat(n, 10, 0)
		}
		checkInvariants(t, y.c)
	}
	for task, n := range y.won {
		require.Equal(t, 1, n, "%v is committed once", task)
	}
	require.NoError(t, y.calls.Err())
}

// rejoin lets node n join with a new incarnation, perhaps in another rack.
func (y *play) rejoin(n model.NodeID) {
	spec := y.joined[n]
	spec.Incarnation++
	spec.Rack = rapid.SampledFrom([]string{spec.Rack, "r0", "r1"}).Draw(y.t, "rack")
	y.running[n] = map[model.AttemptID]bool{}
	y.join(spec)
}

// Random runs under any policy, with parts from outside or without, end, keep all invariants, and
// replay.
func TestRandomRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t)
		switch rapid.IntRange(0, 5).Draw(t, "part") {
		case 0:
			p.Order, p.Queues = "fewest", nil
		case 1:
			p.Locality.Part = "skip"
		case 2:
			p.Reduce.Part = "first"
		}
		y := newPlayOf(t, p, knownParts())
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			y.step(4, 2)
		}
		y.finish()
		y.replay(p)
	})
}

// If nothing makes tasks wait, no slot idles while a task waits. Locality is greedy, reduces run
// anywhere, and there is no Spread or limit.
func TestWorkConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policyOf(t, rapid.SampledFrom([]string{"fair", "hfs", "hfsp", "srpt"}).Draw(t, "preset"), nil)
		p.Locality, p.Spread, p.SlowStart = model.LocalityPolicy{}, false, 0
		y := newPlay(t, p)
		y.fixed = true
		for range 40 {
			y.step(4, 1)
			n := rapid.SampledFrom(y.nodes).Draw(t, "node")
			y.beat(n, 3, 1)
			for k := range model.TaskKind(model.Kinds) {
				at := y.c.Nodes[n]
				if !at.Open() {
					continue
				}
				for _, j := range y.c.Active {
					fits := at.Free(k) >= int(j.Slots) && !y.c.Avoids(j, at)
					require.False(t, !j.State.Ended() && fits && j.Work[k].Waiting() > 0 && j.Launchable(k), "%v idles on %v beside %v", k, n, j.ID)
				}
			}
		}
	})
}
