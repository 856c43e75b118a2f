package pools

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/flat"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// built has this package's order and "fair", which the tests' policies name.
var built = &core.Policies{Orders: map[string]func(*core.Core, *model.Policy) (core.Order, error){"pools": New, "fair": flat.NewFair}}

// poolsCore returns a Core with a pool per user, and a function that returns its new events.
func poolsCore(t require.TestingT, change func(*core.Config, *model.Policy), nodes ...model.Node) (c *core.Core, since func() []event.Event) {
	p := model.Policy{Order: "pools", Pools: model.Allocations{PoolPerUser: true}, SlowStart: -1}
	var cfg core.Config
	if change != nil {
		change(&cfg, &p)
	}
	since = coretest.Events(&cfg)
	return coretest.New(t, built, cfg, p, nodes...), since
}

// pooled is like poolsCore, with one node n. It returns the node's number instead of the function.
func pooled(t require.TestingT, n model.Node, change func(*core.Config, *model.Policy)) (*core.Core, model.NodeID) {
	n.Name = "n"
	c, _ := poolsCore(t, change, n)
	return c, 0
}

// Settings of pools that are 0 have Hadoop's defaults.
func TestDefaultsOfPools(t *testing.T) {
	c, _ := pooled(t, model.Node{}, func(_ *core.Config, p *model.Policy) {
		p.Pools = model.Allocations{MinTimeout: time.Minute, PoolMaxJobs: 7, Pools: []model.PoolConfig{
			{Name: "a"}, {Name: "b", Weight: 2, Mode: model.FIFOMode, MaxJobs: 3, MinTimeout: time.Second, Max: [2]int{4, -1}, Min: [2]int{1, 2}},
		}}
	})
	o := c.Order.(*Order)
	require.Equal(t, []time.Duration{15 * time.Second, 5 * time.Minute}, []time.Duration{o.Preempt.Interval, o.Alloc.BoostTime})
	none := [2]int{model.NoLimit, model.NoLimit}
	for i, want := range []model.PoolConfig{
		{Name: "a", Max: none, Weight: 1, Mode: model.FairMode, MaxJobs: 7, MinTimeout: time.Minute},
		{Name: "b", Min: [2]int{1, 2}, Max: [2]int{4, 0}, Weight: 2, Mode: model.FIFOMode, MaxJobs: 3, MinTimeout: time.Second},
		{Name: "default", Max: none, Weight: 1, Mode: model.FairMode, MaxJobs: 7, MinTimeout: time.Minute},
	} {
		require.Equal(t, want, c.View().Pools()[i].Config)
	}
}

// The view of a pool has its jobs, their tasks, its slots and its fair share.
func TestViewOfPools(t *testing.T) {
	c, n := pooled(t, model.Node{MapSlots: 4, ReduceSlots: 2}, func(_ *core.Config, p *model.Policy) {
		p.Pools.Pools = []model.PoolConfig{{Name: "a", Weight: 3, Max: [2]int{3, 5}}}
	})
	coretest.Submit(t, c, model.JobSpec{Pool: "a", Maps: 3, Reduces: 2, SlowStart: -1})
	coretest.Submit(t, c, model.JobSpec{Pool: "a", Maps: 2})
	coretest.Submit(t, c, model.JobSpec{Pool: "b", Maps: 5})
	gone := coretest.Submit(t, c, model.JobSpec{Pool: "a", Maps: 1})
	require.NoError(t, c.Kill(0, gone))
	got := coretest.Beat(t, c, 0, n)
	require.Len(t, got, 6)
	var mine model.AttemptID
	for _, a := range got {
		if a.Task.Kind == model.Map && a.Task.Job == 1 {
			mine = a
		}
	}
	coretest.Report(t, c, 1, n, model.Status{Attempt: mine, State: model.StateSucceeded})
	v := c.View().Pools()
	require.Len(t, v, 3)
	require.Equal(t, []string{"a", "b", "default"}, []string{v[0].Name, v[1].Name, v[2].Name})
	require.Equal(t, []int{2, 1, 0}, []int{v[0].Jobs, v[1].Jobs, v[2].Jobs})
	require.Equal(t, [2]view.Kind{
		{Total: 5, Pending: 2, Running: 2, Done: 1, Demand: 3, Share: 3, Weight: 3},
		{Total: 2, Running: 2, Demand: 2, Share: 2, Weight: 3},
	}, v[0].Kinds)
	require.Equal(t, view.Kind{Total: 5, Pending: 4, Running: 1, Demand: 5, Share: 1, Weight: 1}, v[1].Kinds[model.Map])
	other := coretest.New(t, built, core.Config{}, model.Policy{Order: "fair"})
	require.Nil(t, other.View().Pools())
	require.Nil(t, other.View().Queues())
}

// The order keeps no record of a boost that has ended, or of a job that has.
func TestRecordsOfBoosts(t *testing.T) {
	c, n := pooled(t, model.Node{MapSlots: 1}, func(_ *core.Config, p *model.Policy) {
		p.Pools = model.Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
	})
	gone := coretest.Submit(t, c, model.JobSpec{Pool: "p", Maps: 1})
	require.NoError(t, c.Kill(time.Second, gone))
	stays := coretest.Submit(t, c, model.JobSpec{Pool: "p", Maps: 1})
	require.Equal(t, stays, coretest.Beat(t, c, 10*time.Second, n)[0].Task.Job)
	require.Len(t, c.Order.(*Order).boosted, 1)
	coretest.Beat(t, c, 11*time.Second, n)
	require.Empty(t, c.Order.(*Order).boosted)

	c, _ = pooled(t, model.Node{MapSlots: 1}, nil)
	coretest.Submit(t, c, model.JobSpec{Pool: "p", Maps: 1})
	require.Empty(t, c.Order.(*Order).boosted)
}

// A boost also ends in a heartbeat that asks for no work. A heartbeat of an unknown incarnation is
// ignored and does not end it.
func TestBoostEndsWithoutWork(t *testing.T) {
	c, n := pooled(t, model.Node{MapSlots: 4}, func(_ *core.Config, p *model.Policy) {
		p.Pools = model.Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
	})
	first := coretest.Submit(t, c, model.JobSpec{Pool: "p", Maps: 9})
	require.NoError(t, c.Update(5*time.Second))
	second := coretest.Submit(t, c, model.JobSpec{Pool: "p", Maps: 9})
	require.Len(t, coretest.Beat(t, c, 6*time.Second, n), 4)
	require.Equal(t, []model.JobID{first, second}, c.View().Order(model.Map))
	_, err := c.Heartbeat(20*time.Second, model.Heartbeat{Node: n, Incarnation: 7})
	require.NoError(t, err)
	require.Equal(t, 6*time.Second, c.View().Now())
	coretest.Report(t, c, 10*time.Second, n)
	require.Equal(t, []model.JobID{second, first}, c.View().Order(model.Map), "2 against 2 / 3")
	require.NoError(t, c.SetPriority(15*time.Second, first, model.Normal)) // any call that runs Settle
	require.Equal(t, []model.JobID{first, second}, c.View().Order(model.Map), "2 against 2")
}

// A job beyond the limit on running jobs waits, with a reason. If it is held back later, its start
// is still the time at which it first could launch.
func TestHeldJobsWait(t *testing.T) {
	c, since := poolsCore(t, func(cfg *core.Config, p *model.Policy) { cfg.Explain, p.Pools.UserMaxJobs = true, 1 })
	require.NoError(t, c.Update(time.Second))
	first := coretest.Submit(t, c, model.JobSpec{User: "u", Maps: 1, Reduces: 1, SlowStart: -1})
	held := coretest.Submit(t, c, model.JobSpec{User: "u", Maps: 1, Reduces: 1, SlowStart: -1})
	limit := model.Reason{Cause: model.CauseJobLimit, Count: 1, Of: 1}
	var skips []event.Event
	for _, e := range since() {
		if e.Type == event.Skipped {
			skips = append(skips, e)
		}
	}
	require.Equal(t, []event.Event{{At: time.Second, Type: event.Skipped, Node: model.NoNode, JobID: held, Reason: limit}}, skips)
	v := coretest.Job(t, c, held)
	require.Equal(t, []any{model.JobWaiting, limit, time.Duration(0), 0}, []any{v.State, v.Hold, v.Started, v.Kinds[model.Reduce].Demand})
	require.NoError(t, c.SetPriority(2*time.Second, held, model.High))
	v = coretest.Job(t, c, first)
	require.Equal(t, []any{model.JobWaiting, limit, time.Second}, []any{v.State, v.Hold, v.Started})
	require.Equal(t, []any{model.JobRunning, model.Reason{}, 2 * time.Second}, []any{coretest.Job(t, c, held).State, coretest.Job(t, c, held).Hold, coretest.Job(t, c, held).Started})
	require.Equal(t, []model.JobID{held}, c.View().Order(model.Reduce))
	require.NoError(t, c.SetPriority(3*time.Second, held, model.Low))
	require.Equal(t, []any{model.JobRunning, time.Second}, []any{coretest.Job(t, c, first).State, coretest.Job(t, c, first).Started})
	require.Equal(t, []model.JobID{first}, c.View().Order(model.Reduce))
}

// Changed shares, excessive minimum shares and claims of pools are each reported only once.
func TestEventsOfPools(t *testing.T) {
	c, since := poolsCore(t, func(_ *core.Config, p *model.Policy) {
		p.Pools.Pools = []model.PoolConfig{{Name: "a", Min: [2]int{3, 0}, MinTimeout: 10 * time.Second}, {Name: "b", Min: [2]int{2, 0}}}
		p.Preemption.Mode = model.PreemptLog
	})
	n := coretest.Join(t, c, model.Node{Name: "n", MapSlots: 4, ReduceSlots: 1})
	coretest.Submit(t, c, model.JobSpec{Pool: "b", Maps: 9})
	require.Len(t, coretest.Beat(t, c, 0, n), 4)
	since()
	require.NoError(t, c.Update(time.Second))
	require.Equal(t, []event.Event{
		{At: time.Second, Type: event.Shares, Node: model.NoNode, Pool: "a", Min: [2]int{3, 0}},
		{At: time.Second, Type: event.Shares, Node: model.NoNode, Pool: "b", Shares: [2]float64{4, 0}, Demand: [2]int{9, 0}, Running: [2]int{4, 0}, Min: [2]int{2, 0}},
	}, since())
	coretest.SubmitAt(t, c, 2*time.Second, model.JobSpec{Pool: "a", Maps: 9})
	since()
	require.NoError(t, c.Update(2*time.Second))
	require.Equal(t, []event.Event{
		{At: 2 * time.Second, Type: event.Warning, Node: model.NoNode, Kind: model.Map, Err: "minimum shares exceed the cluster's 4 map slots and are scaled down"},
		{At: 2 * time.Second, Type: event.Shares, Node: model.NoNode, Pool: "a", Shares: [2]float64{2.4, 0}, Demand: [2]int{9, 0}, Min: [2]int{3, 0}},
		{At: 2 * time.Second, Type: event.Shares, Node: model.NoNode, Pool: "b", Shares: [2]float64{1.6, 0}, Demand: [2]int{9, 0}, Running: [2]int{4, 0}, Min: [2]int{2, 0}},
	}, since())
	require.NoError(t, c.Update(3*time.Second))
	require.Empty(t, since())
	require.NoError(t, c.Update(11*time.Second))
	require.Empty(t, since())
	require.NoError(t, c.Update(11*time.Second+1))
	require.Equal(t, []event.Event{{At: 11*time.Second + 1, Type: event.Need, Node: model.NoNode, Pool: "a", Kind: model.Map, Need: 3}}, since())
	require.NoError(t, c.Update(13*time.Second))
	require.Empty(t, since(), "it is known")
	require.NoError(t, c.Kill(14*time.Second, 2))
	since()
	require.NoError(t, c.Update(14*time.Second))
	require.Equal(t, []event.Event{
		{At: 14 * time.Second, Type: event.Shares, Node: model.NoNode, Pool: "a", Min: [2]int{3, 0}},
		{At: 14 * time.Second, Type: event.Shares, Node: model.NoNode, Pool: "b", Shares: [2]float64{4, 0}, Demand: [2]int{9, 0}, Running: [2]int{4, 0}, Min: [2]int{2, 0}},
	}, since())
	coretest.SubmitAt(t, c, 15*time.Second, model.JobSpec{Pool: "a", Maps: 9})
	since()
	require.NoError(t, c.Update(15*time.Second))
	require.Equal(t, event.Warning, since()[0].Type, "it is too much again")
}

// The reason why a pool's job leaves a slot free is recorded even without Explain.
func TestIdleReasonsOfPools(t *testing.T) {
	idle := func(change func(*core.Config, *model.Policy)) model.Reason {
		c, n := pooled(t, model.Node{MapSlots: 2}, change)
		coretest.Submit(t, c, model.JobSpec{Pool: "p", Maps: 9})
		require.Len(t, coretest.Beat(t, c, 0, n), 1)
		skips := c.View().IdleReasons(n)
		require.Len(t, skips, 1)
		return skips[0].Reason
	}
	require.Equal(t, model.Reason{Cause: model.CausePoolMax, Count: 1, Of: 1}, idle(func(_ *core.Config, p *model.Policy) {
		p.Pools.Pools = []model.PoolConfig{{Name: "p", Max: [2]int{1, 0}}}
	}))
	require.Equal(t, model.Reason{Cause: model.CauseOneTask}, idle(func(_ *core.Config, p *model.Policy) { p.OneTask = true }))
	c, n := pooled(t, model.Node{MapSlots: 2}, nil)
	coretest.Submit(t, c, model.JobSpec{Pool: "p", Maps: 9})
	require.Equal(t, model.Reason{Cause: model.CauseNotOffered}, c.View().IdleReasons(n)[0].Reason)
	c, n = pooled(t, model.Node{ReduceSlots: 2}, func(cfg *core.Config, p *model.Policy) { cfg.Explain, p.ReserveLong, p.LongTask = true, 1, time.Minute })
	coretest.Submit(t, c, model.JobSpec{Reduces: 9, ReduceTime: time.Hour})
	require.Len(t, coretest.Beat(t, c, 0, n), 1)
	require.Equal(t, []model.Skip{{Job: 1, Kind: model.Reduce, Node: n, Reason: model.Reason{Cause: model.CauseBusyLong}}}, c.View().Skips())
}
