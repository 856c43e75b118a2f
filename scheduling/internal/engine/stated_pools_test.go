package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/pools"
)

// pooled is a Core under hfs without spreading, with one node.
func pooled(t *testing.T, n core.Node, change func(*core.Config, *core.Policy)) (*core.Core, core.NodeID) {
	p, err := Preset("hfs")
	require.NoError(t, err)
	p.Spread = false
	var cfg core.Config
	change(&cfg, &p)
	c, err := NewCore(cfg, p)
	require.NoError(t, err)
	n.Name = "n"
	id, err := c.Join(0, n)
	require.NoError(t, err)
	return c, id
}

// Numbers that are not set have Hadoop's defaults.
func TestDefaultsOfPools(t *testing.T) {
	c, _ := pooled(t, core.Node{}, func(_ *core.Config, p *core.Policy) {
		p.Pools = core.Allocations{MinTimeout: time.Minute, PoolMaxJobs: 7, Pools: []core.PoolConfig{
			{Name: "a"}, {Name: "b", Weight: 2, Mode: core.FIFOMode, MaxJobs: 3, MinTimeout: time.Second, Max: [2]int{4, -1}, Min: [2]int{1, 2}},
		}}
	})
	o := c.Order.(*pools.Order)
	require.Equal(t, []time.Duration{15 * time.Second, 5 * time.Minute}, []time.Duration{o.Preempt.Interval, o.Alloc.BoostTime})
	none := [2]int{core.NoLimit, core.NoLimit}
	for i, want := range []core.PoolConfig{
		{Name: "a", Max: none, Weight: 1, Mode: core.FairMode, MaxJobs: 7, MinTimeout: time.Minute},
		{Name: "b", Min: [2]int{1, 2}, Max: [2]int{4, 0}, Weight: 2, Mode: core.FIFOMode, MaxJobs: 3, MinTimeout: time.Second},
		{Name: "default", Max: none, Weight: 1, Mode: core.FairMode, MaxJobs: 7, MinTimeout: time.Minute},
	} {
		require.Equal(t, want, c.View().Pools()[i].Config)
	}
}

// What a view tells of a pool: its jobs, their tasks, what it has and should have.
func TestViewOfPools(t *testing.T) {
	c, n := pooled(t, core.Node{MapSlots: 4, ReduceSlots: 2}, func(_ *core.Config, p *core.Policy) {
		p.Pools.Pools = []core.PoolConfig{{Name: "a", Weight: 3, Max: [2]int{3, 5}}}
	})
	submit(t, c, core.JobSpec{Pool: "a", Maps: 3, Reduces: 2, SlowStart: -1})
	submit(t, c, core.JobSpec{Pool: "a", Maps: 2})
	submit(t, c, core.JobSpec{Pool: "b", Maps: 5})
	gone := submit(t, c, core.JobSpec{Pool: "a", Maps: 1})
	require.NoError(t, c.Kill(0, gone))
	got := beat(t, c, 0, n)
	require.Len(t, got, 6)
	var mine core.AttemptID
	for _, a := range got {
		if a.Task.Kind == core.Map && a.Task.Job == 1 {
			mine = a
		}
	}
	_, err := c.Heartbeat(1, core.Heartbeat{Node: n, NoWork: true, Statuses: []core.Status{{Attempt: mine, State: core.StateSucceeded}}})
	require.NoError(t, err)
	v := c.View().Pools()
	require.Len(t, v, 3)
	require.Equal(t, []string{"a", "b", "default"}, []string{v[0].Name, v[1].Name, v[2].Name})
	require.Equal(t, []int{2, 1, 0}, []int{v[0].Jobs, v[1].Jobs, v[2].Jobs})
	require.Equal(t, [2]core.KindView{
		{Total: 5, Pending: 2, Running: 2, Done: 1, Demand: 3, Share: 3, Weight: 3},
		{Total: 2, Running: 2, Demand: 2, Share: 2, Weight: 3},
	}, v[0].Kinds)
	require.Equal(t, core.KindView{Total: 5, Pending: 4, Running: 1, Demand: 5, Share: 1, Weight: 1}, v[1].Kinds[core.Map])
	other, err := NewCore(core.Config{}, core.Policy{Order: "fair"})
	require.NoError(t, err)
	require.Nil(t, other.View().Pools())
	require.Nil(t, other.View().Queues())
}

// A job is new for BoostTime, and weighs more so long: in the order of a heartbeat, in that of a
// question, and in the shares. Nothing is kept of jobs that are not boosted, or have ended.
func TestNewJobsAreBoosted(t *testing.T) {
	boosted := func(_ *core.Config, p *core.Policy) {
		p.Pools = core.Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
	}
	c, n := pooled(t, core.Node{MapSlots: 6}, boosted)
	first := submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	require.NoError(t, c.Update(5*time.Second))
	second := submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	for _, id := range []core.JobID{first, second} {
		require.Equal(t, 3.0, view(t, c, id).Kinds[core.Map].Share)
		require.Equal(t, 3.0, view(t, c, id).Kinds[core.Map].Weight)
	}
	require.NoError(t, c.Update(10*time.Second))
	require.Equal(t, []float64{1.5, 4.5}, []float64{view(t, c, first).Kinds[core.Map].Share, view(t, c, second).Kinds[core.Map].Share})
	launched := map[core.JobID]int{}
	for _, a := range beat(t, c, 12*time.Second, n) {
		launched[a.Task.Job]++
	}
	require.Equal(t, map[core.JobID]int{first: 2, second: 4}, launched, "1, 2 of one against 3, 6, 9, 12 thirds of the other")
	require.Equal(t, []core.JobID{second, first}, c.View().Order(core.Map), "4 / 3 against 2")
	done := func(at time.Duration) []core.JobID {
		submit(t, c, core.JobSpec{Pool: "q", Maps: 1})
		_, err := c.Heartbeat(at, core.Heartbeat{Node: n, NoWork: true})
		require.NoError(t, err)
		return c.View().Order(core.Map)
	}
	require.Contains(t, done(14*time.Second), second)
	require.NoError(t, c.SetPriority(15*time.Second, first, core.Normal)) // any call that settles
	require.Less(t, slices.Index(c.View().Order(core.Map), first), slices.Index(c.View().Order(core.Map), second), "2 against 4 now")

	c, n = pooled(t, core.Node{MapSlots: 1}, boosted)
	gone := submit(t, c, core.JobSpec{Pool: "p", Maps: 1})
	require.NoError(t, c.Kill(time.Second, gone))
	stays := submit(t, c, core.JobSpec{Pool: "p", Maps: 1})
	require.Equal(t, stays, beat(t, c, 10*time.Second, n)[0].Task.Job)
	require.Len(t, c.Order.(*pools.Order).Boosted, 1)
	beat(t, c, 11*time.Second, n)
	require.Empty(t, c.Order.(*pools.Order).Boosted)

	c, _ = pooled(t, core.Node{MapSlots: 1}, func(*core.Config, *core.Policy) {})
	submit(t, c, core.JobSpec{Pool: "p", Maps: 1})
	require.Empty(t, c.Order.(*pools.Order).Boosted)
}

// The order of a heartbeat is that of its time: a boost that ends is heeded in it.
func TestBoostEndsInAHeartbeat(t *testing.T) {
	for at, want := range map[time.Duration]core.JobID{10*time.Second - 1: 1, 10 * time.Second: 2} {
		c, n := pooled(t, core.Node{MapSlots: 4}, func(_ *core.Config, p *core.Policy) {
			p.Pools = core.Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
			p.OneTask = true
		})
		submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
		beat(t, c, 0, n)
		require.Equal(t, core.JobID(1), beat(t, c, 0, n)[0].Task.Job)
		c.Now = time.Second
		submit(t, c, core.JobSpec{Pool: "p", Maps: 9, Priority: core.Low})
		require.Equal(t, core.JobID(2), beat(t, c, time.Second, n)[0].Task.Job, "none against two")
		// 2 tasks at weight 3, then 1, against 1 task at weight 1.5
		require.Equal(t, want, beat(t, c, at, n)[0].Task.Job, at)
	}
}

// view is what a view tells of a job.
func view(t *testing.T, c *core.Core, id core.JobID) core.JobView {
	v, err := c.View().Job(id)
	require.NoError(t, err)
	return v
}

// Limits on jobs hold for jobs of the least priority, too; who ends leaves its place, one that has
// no tasks takes none.
func TestLimitsOnJobs(t *testing.T) {
	c, _ := pooled(t, core.Node{MapSlots: 4}, func(cfg *core.Config, p *core.Policy) {
		p.Pools = core.Allocations{UserMaxJobs: 1, Pools: []core.PoolConfig{{Name: "p", MaxJobs: 2}}}
	})
	require.Equal(t, core.JobSucceeded, c.View().State(submit(t, c, core.JobSpec{Pool: "p", User: "a"})), "it has nothing to do")
	a := submit(t, c, core.JobSpec{Pool: "p", User: "a", Maps: 1, Priority: core.VeryLow})
	require.True(t, view(t, c, a).Runnable)
	other := submit(t, c, core.JobSpec{Pool: "q", User: "a", Maps: 1, Priority: core.VeryLow})
	require.False(t, view(t, c, other).Runnable)
	require.Equal(t, core.Reason{Cause: core.CauseJobLimit, Count: 1, Of: 1}, view(t, c, other).Hold)
	b := submit(t, c, core.JobSpec{Pool: "p", User: "b", Maps: 1, Priority: core.VeryLow})
	third := submit(t, c, core.JobSpec{Pool: "p", User: "c", Maps: 1, Priority: core.VeryLow})
	require.Equal(t, []bool{true, false, true, false}, runnable(c))
	require.Equal(t, core.Reason{Cause: core.CauseJobLimit, Count: 2, Of: 2}, view(t, c, third).Hold)
	require.Equal(t, []core.JobID{a, b}, c.View().Runnable())
	require.NoError(t, c.Kill(0, a))
	require.Equal(t, []core.JobID{other, b, third}, c.View().Runnable(), "there is room for both")
	require.NoError(t, c.Kill(0, b))
	for range 3 { // counts come back to what they were
		id := submit(t, c, core.JobSpec{Pool: "p", User: "d", Maps: 1})
		require.True(t, view(t, c, id).Runnable)
		require.False(t, view(t, c, submit(t, c, core.JobSpec{Pool: "p", User: "e", Maps: 1, Priority: core.VeryLow})).Runnable)
		require.NoError(t, c.Kill(0, id))
		require.NoError(t, c.Kill(0, id+1))
	}
	v := view(t, c, submit(t, c, core.JobSpec{Pool: "p", User: "d", Maps: 1, Priority: core.High}))
	require.True(t, v.Runnable)
	require.Equal(t, core.JobRunning, v.State)
}

// A job that may not launch yet waits, and one that may again has started when it first could.
func TestHeldJobsWait(t *testing.T) {
	c, since := told(t, "hfs", func(cfg *core.Config, p *core.Policy) { cfg.Explain, p.Pools.UserMaxJobs = true, 1 })
	require.NoError(t, c.Update(time.Second))
	first := submit(t, c, core.JobSpec{User: "u", Maps: 1, Reduces: 1, SlowStart: -1})
	held := submit(t, c, core.JobSpec{User: "u", Maps: 1, Reduces: 1, SlowStart: -1})
	limit := core.Reason{Cause: core.CauseJobLimit, Count: 1, Of: 1}
	var skips []core.Event
	for _, e := range since() {
		if e.Type == core.EventSkipped {
			skips = append(skips, e)
		}
	}
	require.Equal(t, []core.Event{{At: time.Second, Type: core.EventSkipped, Node: core.NoNode, JobID: held, Reason: limit}}, skips)
	v := view(t, c, held)
	require.Equal(t, []any{core.JobWaiting, limit, time.Duration(0), 0}, []any{v.State, v.Hold, v.Started, v.Kinds[core.Reduce].Demand})
	require.NoError(t, c.SetPriority(2*time.Second, held, core.High))
	v = view(t, c, first)
	require.Equal(t, []any{core.JobWaiting, limit, time.Second}, []any{v.State, v.Hold, v.Started})
	require.Equal(t, []any{core.JobRunning, core.Reason{}, 2 * time.Second}, []any{view(t, c, held).State, view(t, c, held).Hold, view(t, c, held).Started})
	require.Equal(t, []core.JobID{held}, c.View().Order(core.Reduce))
	require.NoError(t, c.SetPriority(3*time.Second, held, core.Low))
	require.Equal(t, []any{core.JobRunning, time.Second}, []any{view(t, c, first).State, view(t, c, first).Started})
	require.Equal(t, []core.JobID{first}, c.View().Order(core.Reduce))
	checkInvariants(t, c)
}

// A round of preemption that is asked for needs no update before it: shares and needs are those of
// its time.
func TestPreemptNow(t *testing.T) {
	for mode, want := range map[core.PreemptionMode]int{core.PreemptOff: 0, core.PreemptLog: 0, core.PreemptOn: 2} {
		c, n := pooled(t, core.Node{MapSlots: 4}, func(_ *core.Config, p *core.Policy) {
			p.Pools.Pools = []core.PoolConfig{{Name: "b", Min: [2]int{2, 0}, MinTimeout: 10 * time.Second}}
			p.Preemption = core.PreemptionPolicy{Mode: mode, Interval: -1}
		})
		submit(t, c, core.JobSpec{Pool: "a", Maps: 9})
		require.Len(t, beat(t, c, 0, n), 4)
		submit(t, c, core.JobSpec{Pool: "b", Maps: 9, Places: on(9, c.NodeID("elsewhere"))})
		killed, err := c.Preempt(10 * time.Second)
		require.NoError(t, err)
		require.Empty(t, killed, "it has waited for its share, not longer")
		killed, err = c.Preempt(10*time.Second + 1)
		require.NoError(t, err)
		require.Len(t, killed, want)
		require.Equal(t, mode == core.PreemptOn, c.Order.Urgent(c.Job(2), core.Map))
		require.False(t, c.Order.Urgent(c.Job(1), core.Map))
		if mode == core.PreemptOn {
			got := beat(t, c, 10*time.Second+1, n)
			require.Len(t, got, 2)
			require.Equal(t, core.JobID(2), got[1].Task.Job, "it takes what it gets, however far from its data")
			killed, err = c.Preempt(11 * time.Second)
			require.NoError(t, err)
			require.Empty(t, killed, "it has its share")
			require.False(t, c.Order.Urgent(c.Job(2), core.Map))
		}
	}
}

// Who has no timeout claims nothing, however long it starves; nor does a pool that has just got half
// of its share.
func TestNothingIsClaimedWithoutNeed(t *testing.T) {
	c, n := pooled(t, core.Node{MapSlots: 4}, func(_ *core.Config, p *core.Policy) {
		p.Pools.Pools = []core.PoolConfig{{Name: "b", Min: [2]int{2, 0}}}
		p.Preemption.Mode = core.PreemptOn
	})
	need := func() int { return c.View().Pools()[1].Need[core.Map] }
	submit(t, c, core.JobSpec{Pool: "a", Maps: 9})
	require.Len(t, beat(t, c, 0, n), 4)
	submit(t, c, core.JobSpec{Pool: "b", Maps: 9})
	require.NoError(t, c.Update(time.Hour))
	require.Zero(t, need())

	c, n = pooled(t, core.Node{MapSlots: 4}, func(_ *core.Config, p *core.Policy) {
		p.Pools.FairTimeout = 10 * time.Second
		p.Preemption = core.PreemptionPolicy{Mode: core.PreemptOn, Interval: -1}
	})
	submit(t, c, core.JobSpec{Pool: "a", Maps: 9})
	first := beat(t, c, 0, n)
	submit(t, c, core.JobSpec{Pool: "b", Maps: 9})
	require.NoError(t, c.Update(11*time.Second))
	require.Equal(t, 2, need())
	got := beat(t, c, 12*time.Second, n, core.Status{Attempt: first[0], State: core.StateSucceeded})
	require.Equal(t, core.JobID(2), got[0].Task.Job)
	require.Zero(t, need(), "one of two: it has half")
	require.NoError(t, c.Update(13*time.Second))
	require.NoError(t, c.Update(30*time.Second))
	require.Zero(t, need())
}

// Rounds come by themselves once the interval has passed, and with a negative one never.
func TestRoundsOfPreemption(t *testing.T) {
	for interval, want := range map[time.Duration][]int{5 * time.Second: {0, 0, 2}, time.Second: {0, 2, 2}, -1: {0, 0, 0}} {
		c, n := pooled(t, core.Node{MapSlots: 4}, func(_ *core.Config, p *core.Policy) {
			p.Pools.Pools = []core.PoolConfig{{Name: "b", Min: [2]int{2, 0}, MinTimeout: 2 * time.Second}}
			p.Preemption = core.PreemptionPolicy{Mode: core.PreemptOn, Interval: interval}
		})
		submit(t, c, core.JobSpec{Pool: "a", Maps: 9})
		require.Len(t, beat(t, c, 0, n), 4)
		submit(t, c, core.JobSpec{Pool: "b", Maps: 9})
		require.NoError(t, c.Update(0))
		var killed []int
		for _, at := range []time.Duration{2 * time.Second, 5*time.Second - 1, 5 * time.Second} {
			require.NoError(t, c.Update(at))
			killed = append(killed, 4-c.Job(1).Work[core.Map].Running)
		}
		require.Equal(t, want, killed, interval)
	}
}

// A load manager is asked about the kinds of which a node has a free slot, with the node, the load
// and the slots; what it refuses stays free, and that is the reason.
func TestLoadManagerIsAskedOfFreeSlots(t *testing.T) {
	type question struct {
		k           core.TaskKind
		running     int
		load, slots int
	}
	var asked []question
	c, n := pooled(t, core.Node{MapSlots: 3}, func(cfg *core.Config, _ *core.Policy) {
		cfg.LoadManager = func(n core.NodeView, k core.TaskKind, load, slots int) bool {
			asked = append(asked, question{k, n.Running[k], load, slots})
			return n.Running[k] < 2
		}
	})
	submit(t, c, core.JobSpec{Maps: 9, Reduces: 1})
	require.Len(t, beat(t, c, 0, n), 2)
	require.Equal(t, []question{{core.Map, 0, 9, 3}, {core.Map, 1, 9, 3}, {core.Map, 2, 9, 3}}, asked)
	require.Equal(t, []core.Skip{{Job: 1, Kind: core.Map, Node: n, Reason: core.Reason{Cause: core.CauseLoadCap}}}, c.View().IdleReasons(n))
}

// Why a pool's job leaves a slot free is told without Explain, too.
func TestIdleReasonsOfPools(t *testing.T) {
	idle := func(change func(*core.Config, *core.Policy)) core.Reason {
		c, n := pooled(t, core.Node{MapSlots: 2}, change)
		submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
		require.Len(t, beat(t, c, 0, n), 1)
		skips := c.View().IdleReasons(n)
		require.Len(t, skips, 1)
		return skips[0].Reason
	}
	require.Equal(t, core.Reason{Cause: core.CausePoolMax, Count: 1, Of: 1}, idle(func(_ *core.Config, p *core.Policy) {
		p.Pools.Pools = []core.PoolConfig{{Name: "p", Max: [2]int{1, 0}}}
	}))
	require.Equal(t, core.Reason{Cause: core.CauseOneTask}, idle(func(_ *core.Config, p *core.Policy) { p.OneTask = true }))
	c, n := pooled(t, core.Node{MapSlots: 2}, func(*core.Config, *core.Policy) {})
	submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	require.Equal(t, core.Reason{Cause: core.CauseNotOffered}, c.View().IdleReasons(n)[0].Reason)
}

// Pools of equal rank come in the order of their names, whenever they were made.
func TestPoolsByName(t *testing.T) {
	c, _ := pooled(t, core.Node{MapSlots: 9}, func(*core.Config, *core.Policy) {})
	for _, pool := range []string{"c", "a", "d", "b"} {
		submit(t, c, core.JobSpec{Pool: pool, Maps: 1})
	}
	require.Equal(t, []core.JobID{2, 4, 1, 3}, c.View().Order(core.Map))
}

// A boost ends also in a heartbeat that asks for no work; one that is ignored moves no clock.
func TestBoostEndsWithoutWork(t *testing.T) {
	c, n := pooled(t, core.Node{MapSlots: 4}, func(_ *core.Config, p *core.Policy) {
		p.Pools = core.Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
	})
	first := submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	require.NoError(t, c.Update(5*time.Second))
	second := submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	require.Len(t, beat(t, c, 6*time.Second, n), 4)
	require.Equal(t, []core.JobID{first, second}, c.View().Order(core.Map))
	_, err := c.Heartbeat(20*time.Second, core.Heartbeat{Node: n, Incarnation: 7})
	require.NoError(t, err)
	require.Equal(t, 6*time.Second, c.View().Now())
	_, err = c.Heartbeat(10*time.Second, core.Heartbeat{Node: n, NoWork: true})
	require.NoError(t, err)
	require.Equal(t, []core.JobID{second, first}, c.View().Order(core.Map), "2 against 2 / 3")
}
