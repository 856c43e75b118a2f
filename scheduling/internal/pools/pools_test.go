package pools

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/flat"
)

// built has this package's order and "fair", which the tests' policies name.
var built = &core.Policies{Orders: map[string]func(*core.Core, *core.Policy) (core.Order, error){"pools": New, "fair": flat.NewFair}}

// poolsCore returns a Core with a pool per user, and a function that returns its new events.
func poolsCore(t require.TestingT, change func(*core.Config, *core.Policy), nodes ...core.Node) (c *core.Core, since func() []core.Event) {
	p := core.Policy{Order: "pools", Pools: core.Allocations{PoolPerUser: true}, SlowStart: -1}
	var cfg core.Config
	if change != nil {
		change(&cfg, &p)
	}
	since = coretest.Events(&cfg)
	return coretest.New(t, built, cfg, p, nodes...), since
}

// pooled is like poolsCore, with one node n. It returns the node's number instead of the function.
func pooled(t require.TestingT, n core.Node, change func(*core.Config, *core.Policy)) (*core.Core, core.NodeID) {
	n.Name = "n"
	c, _ := poolsCore(t, change, n)
	return c, 0
}

// Settings of pools that are 0 have Hadoop's defaults.
func TestDefaultsOfPools(t *testing.T) {
	c, _ := pooled(t, core.Node{}, func(_ *core.Config, p *core.Policy) {
		p.Pools = core.Allocations{MinTimeout: time.Minute, PoolMaxJobs: 7, Pools: []core.PoolConfig{
			{Name: "a"}, {Name: "b", Weight: 2, Mode: core.FIFOMode, MaxJobs: 3, MinTimeout: time.Second, Max: [2]int{4, -1}, Min: [2]int{1, 2}},
		}}
	})
	o := c.Order.(*Order)
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

// The view of a pool has its jobs, their tasks, its slots and its fair share.
func TestViewOfPools(t *testing.T) {
	c, n := pooled(t, core.Node{MapSlots: 4, ReduceSlots: 2}, func(_ *core.Config, p *core.Policy) {
		p.Pools.Pools = []core.PoolConfig{{Name: "a", Weight: 3, Max: [2]int{3, 5}}}
	})
	coretest.Submit(t, c, core.JobSpec{Pool: "a", Maps: 3, Reduces: 2, SlowStart: -1})
	coretest.Submit(t, c, core.JobSpec{Pool: "a", Maps: 2})
	coretest.Submit(t, c, core.JobSpec{Pool: "b", Maps: 5})
	gone := coretest.Submit(t, c, core.JobSpec{Pool: "a", Maps: 1})
	require.NoError(t, c.Kill(0, gone))
	got := coretest.Beat(t, c, 0, n)
	require.Len(t, got, 6)
	var mine core.AttemptID
	for _, a := range got {
		if a.Task.Kind == core.Map && a.Task.Job == 1 {
			mine = a
		}
	}
	coretest.Report(t, c, 1, n, core.Status{Attempt: mine, State: core.StateSucceeded})
	v := c.View().Pools()
	require.Len(t, v, 3)
	require.Equal(t, []string{"a", "b", "default"}, []string{v[0].Name, v[1].Name, v[2].Name})
	require.Equal(t, []int{2, 1, 0}, []int{v[0].Jobs, v[1].Jobs, v[2].Jobs})
	require.Equal(t, [2]core.KindView{
		{Total: 5, Pending: 2, Running: 2, Done: 1, Demand: 3, Share: 3, Weight: 3},
		{Total: 2, Running: 2, Demand: 2, Share: 2, Weight: 3},
	}, v[0].Kinds)
	require.Equal(t, core.KindView{Total: 5, Pending: 4, Running: 1, Demand: 5, Share: 1, Weight: 1}, v[1].Kinds[core.Map])
	other := coretest.New(t, built, core.Config{}, core.Policy{Order: "fair"})
	require.Nil(t, other.View().Pools())
	require.Nil(t, other.View().Queues())
}

// For BoostTime, a young job weighs more in launches, in View.Order and in shares. The order keeps
// no record of a boost that has ended.
func TestNewJobsAreBoosted(t *testing.T) {
	boosted := func(_ *core.Config, p *core.Policy) {
		p.Pools = core.Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
	}
	c, n := pooled(t, core.Node{MapSlots: 6}, boosted)
	first := coretest.Submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	require.NoError(t, c.Update(5*time.Second))
	second := coretest.Submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	for _, id := range []core.JobID{first, second} {
		require.Equal(t, 3.0, coretest.Job(t, c, id).Kinds[core.Map].Share)
		require.Equal(t, 3.0, coretest.Job(t, c, id).Kinds[core.Map].Weight)
	}
	require.NoError(t, c.Update(10*time.Second))
	require.Equal(t, []float64{1.5, 4.5}, []float64{coretest.Job(t, c, first).Kinds[core.Map].Share, coretest.Job(t, c, second).Kinds[core.Map].Share})
	launched := map[core.JobID]int{}
	for _, a := range coretest.Beat(t, c, 12*time.Second, n) {
		launched[a.Task.Job]++
	}
	require.Equal(t, map[core.JobID]int{first: 2, second: 4}, launched, "1, 2 of one against 3, 6, 9, 12 thirds of the other")
	require.Equal(t, []core.JobID{second, first}, c.View().Order(core.Map), "4 / 3 against 2")
	done := func(at time.Duration) []core.JobID {
		coretest.Submit(t, c, core.JobSpec{Pool: "q", Maps: 1})
		_, err := c.Heartbeat(at, core.Heartbeat{Node: n, NoWork: true})
		require.NoError(t, err)
		return c.View().Order(core.Map)
	}
	require.Contains(t, done(14*time.Second), second)
	require.NoError(t, c.SetPriority(15*time.Second, first, core.Normal)) // any call that runs Settle
	require.Less(t, slices.Index(c.View().Order(core.Map), first), slices.Index(c.View().Order(core.Map), second), "2 against 4 now")

	c, n = pooled(t, core.Node{MapSlots: 1}, boosted)
	gone := coretest.Submit(t, c, core.JobSpec{Pool: "p", Maps: 1})
	require.NoError(t, c.Kill(time.Second, gone))
	stays := coretest.Submit(t, c, core.JobSpec{Pool: "p", Maps: 1})
	require.Equal(t, stays, coretest.Beat(t, c, 10*time.Second, n)[0].Task.Job)
	require.Len(t, c.Order.(*Order).boosted, 1)
	coretest.Beat(t, c, 11*time.Second, n)
	require.Empty(t, c.Order.(*Order).boosted)

	c, _ = pooled(t, core.Node{MapSlots: 1}, nil)
	coretest.Submit(t, c, core.JobSpec{Pool: "p", Maps: 1})
	require.Empty(t, c.Order.(*Order).boosted)
}

// A boost also ends in a heartbeat that asks for no work. A heartbeat of an unknown incarnation is
// ignored and does not end it.
func TestBoostEndsWithoutWork(t *testing.T) {
	c, n := pooled(t, core.Node{MapSlots: 4}, func(_ *core.Config, p *core.Policy) {
		p.Pools = core.Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
	})
	first := coretest.Submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	require.NoError(t, c.Update(5*time.Second))
	second := coretest.Submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	require.Len(t, coretest.Beat(t, c, 6*time.Second, n), 4)
	require.Equal(t, []core.JobID{first, second}, c.View().Order(core.Map))
	_, err := c.Heartbeat(20*time.Second, core.Heartbeat{Node: n, Incarnation: 7})
	require.NoError(t, err)
	require.Equal(t, 6*time.Second, c.View().Now())
	_, err = c.Heartbeat(10*time.Second, core.Heartbeat{Node: n, NoWork: true})
	require.NoError(t, err)
	require.Equal(t, []core.JobID{second, first}, c.View().Order(core.Map), "2 against 2 / 3")
}

// Limits on running jobs also hold for the lowest priority. A job that ends lets another one run. A
// job without tasks does not count.
func TestLimitsOnJobs(t *testing.T) {
	c, _ := pooled(t, core.Node{MapSlots: 4}, func(cfg *core.Config, p *core.Policy) {
		p.Pools = core.Allocations{UserMaxJobs: 1, Pools: []core.PoolConfig{{Name: "p", MaxJobs: 2}}}
	})
	require.Equal(t, core.JobSucceeded, c.View().State(coretest.Submit(t, c, core.JobSpec{Pool: "p", User: "a"})), "it has nothing to do")
	a := coretest.Submit(t, c, core.JobSpec{Pool: "p", User: "a", Maps: 1, Priority: core.VeryLow})
	require.True(t, coretest.Job(t, c, a).Runnable)
	other := coretest.Submit(t, c, core.JobSpec{Pool: "q", User: "a", Maps: 1, Priority: core.VeryLow})
	require.False(t, coretest.Job(t, c, other).Runnable)
	require.Equal(t, core.Reason{Cause: core.CauseJobLimit, Count: 1, Of: 1}, coretest.Job(t, c, other).Hold)
	b := coretest.Submit(t, c, core.JobSpec{Pool: "p", User: "b", Maps: 1, Priority: core.VeryLow})
	third := coretest.Submit(t, c, core.JobSpec{Pool: "p", User: "c", Maps: 1, Priority: core.VeryLow})
	require.Equal(t, []bool{true, false, true, false}, coretest.Runnable(c))
	require.Equal(t, core.Reason{Cause: core.CauseJobLimit, Count: 2, Of: 2}, coretest.Job(t, c, third).Hold)
	require.Equal(t, []core.JobID{a, b}, c.View().Runnable())
	require.NoError(t, c.Kill(0, a))
	require.Equal(t, []core.JobID{other, b, third}, c.View().Runnable(), "there is room for both")
	require.NoError(t, c.Kill(0, b))
	for range 3 { // the counts return to 0 each time
		id := coretest.Submit(t, c, core.JobSpec{Pool: "p", User: "d", Maps: 1})
		require.True(t, coretest.Job(t, c, id).Runnable)
		require.False(t, coretest.Job(t, c, coretest.Submit(t, c, core.JobSpec{Pool: "p", User: "e", Maps: 1, Priority: core.VeryLow})).Runnable)
		require.NoError(t, c.Kill(0, id))
		require.NoError(t, c.Kill(0, id+1))
	}
	v := coretest.Job(t, c, coretest.Submit(t, c, core.JobSpec{Pool: "p", User: "d", Maps: 1, Priority: core.High}))
	require.True(t, v.Runnable)
	require.Equal(t, core.JobRunning, v.State)
}

// A job beyond the limit on running jobs waits, with a reason. If it is held back later, its start
// is still the time at which it first could launch.
func TestHeldJobsWait(t *testing.T) {
	c, since := poolsCore(t, func(cfg *core.Config, p *core.Policy) { cfg.Explain, p.Pools.UserMaxJobs = true, 1 })
	require.NoError(t, c.Update(time.Second))
	first := coretest.Submit(t, c, core.JobSpec{User: "u", Maps: 1, Reduces: 1, SlowStart: -1})
	held := coretest.Submit(t, c, core.JobSpec{User: "u", Maps: 1, Reduces: 1, SlowStart: -1})
	limit := core.Reason{Cause: core.CauseJobLimit, Count: 1, Of: 1}
	var skips []core.Event
	for _, e := range since() {
		if e.Type == core.EventSkipped {
			skips = append(skips, e)
		}
	}
	require.Equal(t, []core.Event{{At: time.Second, Type: core.EventSkipped, Node: core.NoNode, JobID: held, Reason: limit}}, skips)
	v := coretest.Job(t, c, held)
	require.Equal(t, []any{core.JobWaiting, limit, time.Duration(0), 0}, []any{v.State, v.Hold, v.Started, v.Kinds[core.Reduce].Demand})
	require.NoError(t, c.SetPriority(2*time.Second, held, core.High))
	v = coretest.Job(t, c, first)
	require.Equal(t, []any{core.JobWaiting, limit, time.Second}, []any{v.State, v.Hold, v.Started})
	require.Equal(t, []any{core.JobRunning, core.Reason{}, 2 * time.Second}, []any{coretest.Job(t, c, held).State, coretest.Job(t, c, held).Hold, coretest.Job(t, c, held).Started})
	require.Equal(t, []core.JobID{held}, c.View().Order(core.Reduce))
	require.NoError(t, c.SetPriority(3*time.Second, held, core.Low))
	require.Equal(t, []any{core.JobRunning, time.Second}, []any{coretest.Job(t, c, first).State, coretest.Job(t, c, first).Started})
	require.Equal(t, []core.JobID{first}, c.View().Order(core.Reduce))
}

// Changed shares, excessive minimum shares and claims of pools are each reported only once.
func TestEventsOfPools(t *testing.T) {
	c, since := poolsCore(t, func(_ *core.Config, p *core.Policy) {
		p.Pools.Pools = []core.PoolConfig{{Name: "a", Min: [2]int{3, 0}, MinTimeout: 10 * time.Second}, {Name: "b", Min: [2]int{2, 0}}}
		p.Preemption.Mode = core.PreemptLog
	})
	n := coretest.Join(t, c, core.Node{Name: "n", MapSlots: 4, ReduceSlots: 1})
	coretest.Submit(t, c, core.JobSpec{Pool: "b", Maps: 9})
	require.Len(t, coretest.Beat(t, c, 0, n), 4)
	since()
	require.NoError(t, c.Update(time.Second))
	require.Equal(t, []core.Event{
		{At: time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "a", Min: [2]int{3, 0}},
		{At: time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "b", Shares: [2]float64{4, 0}, Demand: [2]int{9, 0}, Running: [2]int{4, 0}, Min: [2]int{2, 0}},
	}, since())
	coretest.SubmitAt(t, c, 2*time.Second, core.JobSpec{Pool: "a", Maps: 9})
	since()
	require.NoError(t, c.Update(2*time.Second))
	require.Equal(t, []core.Event{
		{At: 2 * time.Second, Type: core.EventWarning, Node: core.NoNode, Kind: core.Map, Err: "minimum shares exceed the cluster's 4 map slots and are scaled down"},
		{At: 2 * time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "a", Shares: [2]float64{2.4, 0}, Demand: [2]int{9, 0}, Min: [2]int{3, 0}},
		{At: 2 * time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "b", Shares: [2]float64{1.6, 0}, Demand: [2]int{9, 0}, Running: [2]int{4, 0}, Min: [2]int{2, 0}},
	}, since())
	require.NoError(t, c.Update(3*time.Second))
	require.Empty(t, since())
	require.NoError(t, c.Update(11*time.Second))
	require.Empty(t, since())
	require.NoError(t, c.Update(11*time.Second+1))
	require.Equal(t, []core.Event{{At: 11*time.Second + 1, Type: core.EventNeed, Node: core.NoNode, Pool: "a", Kind: core.Map, Need: 3}}, since())
	require.NoError(t, c.Update(13*time.Second))
	require.Empty(t, since(), "it is known")
	require.NoError(t, c.Kill(14*time.Second, 2))
	since()
	require.NoError(t, c.Update(14*time.Second))
	require.Equal(t, []core.Event{
		{At: 14 * time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "a", Min: [2]int{3, 0}},
		{At: 14 * time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "b", Shares: [2]float64{4, 0}, Demand: [2]int{9, 0}, Running: [2]int{4, 0}, Min: [2]int{2, 0}},
	}, since())
	coretest.SubmitAt(t, c, 15*time.Second, core.JobSpec{Pool: "a", Maps: 9})
	since()
	require.NoError(t, c.Update(15*time.Second))
	require.Equal(t, core.EventWarning, since()[0].Type, "it is too much again")
}

// If a node adds slots, the fair shares of pools with demand grow by these slots.
func TestSharesFollowTheSlots(t *testing.T) {
	c, _ := poolsCore(t, nil, coretest.Racks([2]int{2, 1}, 2, 2)...)
	coretest.Submit(t, c, core.JobSpec{User: "u", Maps: 100})
	had := c.View().Pools()
	coretest.Join(t, c, core.Node{Name: "another", MapSlots: 7})
	for i, p := range c.View().Pools() {
		if p.Name == "u" {
			require.InDelta(t, had[i].Kinds[core.Map].Share+7, p.Kinds[core.Map].Share, 1e-9)
		}
	}
}

// Before each launch the load manager is asked, with the node, the cluster's load and its slots. If
// it refuses, the slot stays free, and the idle reason says so.
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
	coretest.Submit(t, c, core.JobSpec{Maps: 9, Reduces: 1})
	require.Len(t, coretest.Beat(t, c, 0, n), 2)
	require.Equal(t, []question{{core.Map, 0, 9, 3}, {core.Map, 1, 9, 3}, {core.Map, 2, 9, 3}}, asked)
	require.Equal(t, []core.Skip{{Job: 1, Kind: core.Map, Node: n, Reason: core.Reason{Cause: core.CauseLoadCap}}}, c.View().IdleReasons(n))
}

// The reason why a pool's job leaves a slot free is recorded even without Explain.
func TestIdleReasonsOfPools(t *testing.T) {
	idle := func(change func(*core.Config, *core.Policy)) core.Reason {
		c, n := pooled(t, core.Node{MapSlots: 2}, change)
		coretest.Submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
		require.Len(t, coretest.Beat(t, c, 0, n), 1)
		skips := c.View().IdleReasons(n)
		require.Len(t, skips, 1)
		return skips[0].Reason
	}
	require.Equal(t, core.Reason{Cause: core.CausePoolMax, Count: 1, Of: 1}, idle(func(_ *core.Config, p *core.Policy) {
		p.Pools.Pools = []core.PoolConfig{{Name: "p", Max: [2]int{1, 0}}}
	}))
	require.Equal(t, core.Reason{Cause: core.CauseOneTask}, idle(func(_ *core.Config, p *core.Policy) { p.OneTask = true }))
	c, n := pooled(t, core.Node{MapSlots: 2}, nil)
	coretest.Submit(t, c, core.JobSpec{Pool: "p", Maps: 9})
	require.Equal(t, core.Reason{Cause: core.CauseNotOffered}, c.View().IdleReasons(n)[0].Reason)
}

// Pools of equal rank are ordered by their names, not by their creation.
func TestPoolsByName(t *testing.T) {
	c, _ := pooled(t, core.Node{MapSlots: 9}, nil)
	for _, pool := range []string{"c", "a", "d", "b"} {
		coretest.Submit(t, c, core.JobSpec{Pool: pool, Maps: 1})
	}
	require.Equal(t, []core.JobID{2, 4, 1, 3}, c.View().Order(core.Map))
}

// A node with more than ReserveLong slots keeps that many free of long tasks. Long tasks are those
// known to take longer than LongTask.
func TestSlotsKeptFromLongTasks(t *testing.T) {
	for _, x := range []struct {
		slots, reserve int
		time           time.Duration
		want           int
	}{
		{4, 1, time.Minute + 1, 3}, {4, 1, time.Minute, 4}, {4, 0, time.Hour, 4}, {4, 3, time.Hour, 1}, {4, 4, time.Hour, 4}, {1, 1, time.Hour, 1}, {4, 1, 0, 4},
	} {
		c, n := pooled(t, core.Node{MapSlots: x.slots}, func(_ *core.Config, p *core.Policy) { p.ReserveLong, p.LongTask = x.reserve, time.Minute })
		coretest.Submit(t, c, core.JobSpec{Maps: 9, MapTime: x.time})
		require.Len(t, coretest.Beat(t, c, 0, n), x.want, "%+v", x)
	}
	c, n := pooled(t, core.Node{ReduceSlots: 2}, func(cfg *core.Config, p *core.Policy) { cfg.Explain, p.ReserveLong, p.LongTask = true, 1, time.Minute })
	coretest.Submit(t, c, core.JobSpec{Reduces: 9, ReduceTime: time.Hour})
	require.Len(t, coretest.Beat(t, c, 0, n), 1)
	require.Equal(t, []core.Skip{{Job: 1, Kind: core.Reduce, Node: n, Reason: core.Reason{Cause: core.CauseBusyLong}}}, c.View().Skips())
}

// A heartbeat's reports apply before its launches: when a job ends, a job that its user's limit
// held back gets the slot.
func TestReportsCountAtOnce(t *testing.T) {
	c, n := pooled(t, core.Node{MapSlots: 1}, func(_ *core.Config, p *core.Policy) { p.Pools.UserMaxJobs = 1 })
	coretest.Submit(t, c, core.JobSpec{User: "u", Maps: 1})
	coretest.Submit(t, c, core.JobSpec{User: "u", Maps: 1})
	got := coretest.Beat(t, c, 0, n)
	require.Len(t, got, 1)
	got = coretest.Beat(t, c, 0, n, core.Status{Attempt: got[0], State: core.StateSucceeded})
	require.Len(t, got, 1)
	require.Equal(t, core.JobID(2), got[0].Task.Job)
}
