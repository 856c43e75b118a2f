package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pooled is a Core under hfs without spreading, with one node.
func pooled(t *testing.T, n Node, change func(*Config, *Policy)) (*Core, NodeID) {
	p, err := Preset("hfs")
	require.NoError(t, err)
	p.Spread = false
	var cfg Config
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
	c, _ := pooled(t, Node{}, func(_ *Config, p *Policy) {
		p.Pools = Allocations{MinTimeout: time.Minute, PoolMaxJobs: 7, Pools: []PoolConfig{
			{Name: "a"}, {Name: "b", Weight: 2, Mode: FIFOMode, MaxJobs: 3, MinTimeout: time.Second, Max: [2]int{4, -1}, Min: [2]int{1, 2}},
		}}
	})
	o := c.order.(*pools)
	require.Equal(t, []time.Duration{15 * time.Second, 5 * time.Minute}, []time.Duration{o.preempt.Interval, o.alloc.BoostTime})
	none := [2]int{NoLimit, NoLimit}
	for i, want := range []PoolConfig{
		{Name: "a", Max: none, Weight: 1, Mode: FairMode, MaxJobs: 7, MinTimeout: time.Minute},
		{Name: "b", Min: [2]int{1, 2}, Max: [2]int{4, 0}, Weight: 2, Mode: FIFOMode, MaxJobs: 3, MinTimeout: time.Second},
		{Name: "default", Max: none, Weight: 1, Mode: FairMode, MaxJobs: 7, MinTimeout: time.Minute},
	} {
		require.Equal(t, want, c.View().Pools()[i].Config)
	}
}

// What a view tells of a pool: its jobs, their tasks, what it has and should have.
func TestViewOfPools(t *testing.T) {
	c, n := pooled(t, Node{MapSlots: 4, ReduceSlots: 2}, func(_ *Config, p *Policy) {
		p.Pools.Pools = []PoolConfig{{Name: "a", Weight: 3, Max: [2]int{3, 5}}}
	})
	submit(t, c, JobSpec{Pool: "a", Maps: 3, Reduces: 2, SlowStart: -1})
	submit(t, c, JobSpec{Pool: "a", Maps: 2})
	submit(t, c, JobSpec{Pool: "b", Maps: 5})
	gone := submit(t, c, JobSpec{Pool: "a", Maps: 1})
	require.NoError(t, c.Kill(0, gone))
	got := beat(t, c, 0, n)
	require.Len(t, got, 6)
	var mine AttemptID
	for _, a := range got {
		if a.Task.Kind == Map && a.Task.Job == 1 {
			mine = a
		}
	}
	_, err := c.Heartbeat(1, Heartbeat{Node: n, NoWork: true, Statuses: []Status{{Attempt: mine, State: StateSucceeded}}})
	require.NoError(t, err)
	v := c.View().Pools()
	require.Len(t, v, 3)
	require.Equal(t, []string{"a", "b", "default"}, []string{v[0].Name, v[1].Name, v[2].Name})
	require.Equal(t, []int{2, 1, 0}, []int{v[0].Jobs, v[1].Jobs, v[2].Jobs})
	require.Equal(t, [2]KindView{
		{Total: 5, Pending: 2, Running: 2, Done: 1, Demand: 3, Share: 3, Weight: 3},
		{Total: 2, Running: 2, Demand: 2, Share: 2, Weight: 3},
	}, v[0].Kinds)
	require.Equal(t, KindView{Total: 5, Pending: 4, Running: 1, Demand: 5, Share: 1, Weight: 1}, v[1].Kinds[Map])
	other, err := NewCore(Config{}, Policy{Order: "fair"})
	require.NoError(t, err)
	require.Nil(t, other.View().Pools())
	require.Nil(t, other.View().Queues())
}

// A job is new for BoostTime, and weighs more so long: in the order of a heartbeat, in that of a
// question, and in the shares. Nothing is kept of jobs that are not boosted, or have ended.
func TestNewJobsAreBoosted(t *testing.T) {
	boosted := func(_ *Config, p *Policy) {
		p.Pools = Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
	}
	c, n := pooled(t, Node{MapSlots: 6}, boosted)
	first := submit(t, c, JobSpec{Pool: "p", Maps: 9})
	require.NoError(t, c.Update(5*time.Second))
	second := submit(t, c, JobSpec{Pool: "p", Maps: 9})
	for _, id := range []JobID{first, second} {
		require.Equal(t, 3.0, view(t, c, id).Kinds[Map].Share)
		require.Equal(t, 3.0, view(t, c, id).Kinds[Map].Weight)
	}
	require.NoError(t, c.Update(10*time.Second))
	require.Equal(t, []float64{1.5, 4.5}, []float64{view(t, c, first).Kinds[Map].Share, view(t, c, second).Kinds[Map].Share})
	launched := map[JobID]int{}
	for _, a := range beat(t, c, 12*time.Second, n) {
		launched[a.Task.Job]++
	}
	require.Equal(t, map[JobID]int{first: 2, second: 4}, launched, "1, 2 of one against 3, 6, 9, 12 thirds of the other")
	require.Equal(t, []JobID{second, first}, c.View().Order(Map), "4 / 3 against 2")
	done := func(at time.Duration) []JobID {
		submit(t, c, JobSpec{Pool: "q", Maps: 1})
		_, err := c.Heartbeat(at, Heartbeat{Node: n, NoWork: true})
		require.NoError(t, err)
		return c.View().Order(Map)
	}
	require.Contains(t, done(14*time.Second), second)
	require.NoError(t, c.SetPriority(15*time.Second, first, Normal)) // any call that settles
	require.Less(t, slices.Index(c.View().Order(Map), first), slices.Index(c.View().Order(Map), second), "2 against 4 now")

	c, n = pooled(t, Node{MapSlots: 1}, boosted)
	gone := submit(t, c, JobSpec{Pool: "p", Maps: 1})
	require.NoError(t, c.Kill(time.Second, gone))
	stays := submit(t, c, JobSpec{Pool: "p", Maps: 1})
	require.Equal(t, stays, beat(t, c, 10*time.Second, n)[0].Task.Job)
	require.Len(t, c.order.(*pools).boosted, 1)
	beat(t, c, 11*time.Second, n)
	require.Empty(t, c.order.(*pools).boosted)

	c, _ = pooled(t, Node{MapSlots: 1}, func(*Config, *Policy) {})
	submit(t, c, JobSpec{Pool: "p", Maps: 1})
	require.Empty(t, c.order.(*pools).boosted)
}

// The order of a heartbeat is that of its time: a boost that ends is heeded in it.
func TestBoostEndsInAHeartbeat(t *testing.T) {
	for at, want := range map[time.Duration]JobID{10*time.Second - 1: 1, 10 * time.Second: 2} {
		c, n := pooled(t, Node{MapSlots: 4}, func(_ *Config, p *Policy) {
			p.Pools = Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
			p.OneTask = true
		})
		submit(t, c, JobSpec{Pool: "p", Maps: 9})
		beat(t, c, 0, n)
		require.Equal(t, JobID(1), beat(t, c, 0, n)[0].Task.Job)
		c.now = time.Second
		submit(t, c, JobSpec{Pool: "p", Maps: 9, Priority: Low})
		require.Equal(t, JobID(2), beat(t, c, time.Second, n)[0].Task.Job, "none against two")
		// 2 tasks at weight 3, then 1, against 1 task at weight 1.5
		require.Equal(t, want, beat(t, c, at, n)[0].Task.Job, at)
	}
}

// view is what a view tells of a job.
func view(t *testing.T, c *Core, id JobID) JobView {
	v, err := c.View().Job(id)
	require.NoError(t, err)
	return v
}

// Limits on jobs hold for jobs of the least priority, too; who ends leaves its place, one that has
// no tasks takes none.
func TestLimitsOnJobs(t *testing.T) {
	c, _ := pooled(t, Node{MapSlots: 4}, func(cfg *Config, p *Policy) {
		p.Pools = Allocations{UserMaxJobs: 1, Pools: []PoolConfig{{Name: "p", MaxJobs: 2}}}
	})
	require.Equal(t, JobSucceeded, c.View().State(submit(t, c, JobSpec{Pool: "p", User: "a"})), "it has nothing to do")
	a := submit(t, c, JobSpec{Pool: "p", User: "a", Maps: 1, Priority: VeryLow})
	require.True(t, view(t, c, a).Runnable)
	other := submit(t, c, JobSpec{Pool: "q", User: "a", Maps: 1, Priority: VeryLow})
	require.False(t, view(t, c, other).Runnable)
	require.Equal(t, Reason{Cause: CauseJobLimit, Count: 1, Of: 1}, view(t, c, other).Hold)
	b := submit(t, c, JobSpec{Pool: "p", User: "b", Maps: 1, Priority: VeryLow})
	third := submit(t, c, JobSpec{Pool: "p", User: "c", Maps: 1, Priority: VeryLow})
	require.Equal(t, []bool{true, false, true, false}, runnable(c))
	require.Equal(t, Reason{Cause: CauseJobLimit, Count: 2, Of: 2}, view(t, c, third).Hold)
	require.Equal(t, []JobID{a, b}, c.View().Runnable())
	require.NoError(t, c.Kill(0, a))
	require.Equal(t, []JobID{other, b, third}, c.View().Runnable(), "there is room for both")
	require.NoError(t, c.Kill(0, b))
	for range 3 { // counts come back to what they were
		id := submit(t, c, JobSpec{Pool: "p", User: "d", Maps: 1})
		require.True(t, view(t, c, id).Runnable)
		require.False(t, view(t, c, submit(t, c, JobSpec{Pool: "p", User: "e", Maps: 1, Priority: VeryLow})).Runnable)
		require.NoError(t, c.Kill(0, id))
		require.NoError(t, c.Kill(0, id+1))
	}
	v := view(t, c, submit(t, c, JobSpec{Pool: "p", User: "d", Maps: 1, Priority: High}))
	require.True(t, v.Runnable)
	require.Equal(t, JobRunning, v.State)
}

// A job that may not launch yet waits, and one that may again has started when it first could.
func TestHeldJobsWait(t *testing.T) {
	c, since := told(t, "hfs", func(cfg *Config, p *Policy) { cfg.Explain, p.Pools.UserMaxJobs = true, 1 })
	require.NoError(t, c.Update(time.Second))
	first := submit(t, c, JobSpec{User: "u", Maps: 1, Reduces: 1, SlowStart: -1})
	held := submit(t, c, JobSpec{User: "u", Maps: 1, Reduces: 1, SlowStart: -1})
	limit := Reason{Cause: CauseJobLimit, Count: 1, Of: 1}
	var skips []Event
	for _, e := range since() {
		if e.Type == EventSkipped {
			skips = append(skips, e)
		}
	}
	require.Equal(t, []Event{{At: time.Second, Type: EventSkipped, Node: NoNode, JobID: held, Reason: limit}}, skips)
	v := view(t, c, held)
	require.Equal(t, []any{JobWaiting, limit, time.Duration(0), 0}, []any{v.State, v.Hold, v.Started, v.Kinds[Reduce].Demand})
	require.NoError(t, c.SetPriority(2*time.Second, held, High))
	v = view(t, c, first)
	require.Equal(t, []any{JobWaiting, limit, time.Second}, []any{v.State, v.Hold, v.Started})
	require.Equal(t, []any{JobRunning, Reason{}, 2 * time.Second}, []any{view(t, c, held).State, view(t, c, held).Hold, view(t, c, held).Started})
	require.Equal(t, []JobID{held}, c.View().Order(Reduce))
	require.NoError(t, c.SetPriority(3*time.Second, held, Low))
	require.Equal(t, []any{JobRunning, time.Second}, []any{view(t, c, first).State, view(t, c, first).Started})
	require.Equal(t, []JobID{first}, c.View().Order(Reduce))
	checkInvariants(t, c)
}

// A round of preemption that is asked for needs no update before it: shares and needs are those of
// its time.
func TestPreemptNow(t *testing.T) {
	for mode, want := range map[PreemptionMode]int{PreemptOff: 0, PreemptLog: 0, PreemptOn: 2} {
		c, n := pooled(t, Node{MapSlots: 4}, func(_ *Config, p *Policy) {
			p.Pools.Pools = []PoolConfig{{Name: "b", Min: [2]int{2, 0}, MinTimeout: 10 * time.Second}}
			p.Preemption = PreemptionPolicy{Mode: mode, Interval: -1}
		})
		submit(t, c, JobSpec{Pool: "a", Maps: 9})
		require.Len(t, beat(t, c, 0, n), 4)
		submit(t, c, JobSpec{Pool: "b", Maps: 9, Places: on(9, c.NodeID("elsewhere"))})
		killed, err := c.Preempt(10 * time.Second)
		require.NoError(t, err)
		require.Empty(t, killed, "it has waited for its share, not longer")
		killed, err = c.Preempt(10*time.Second + 1)
		require.NoError(t, err)
		require.Len(t, killed, want)
		require.Equal(t, mode == PreemptOn, c.order.urgent(c.job(2), Map))
		require.False(t, c.order.urgent(c.job(1), Map))
		if mode == PreemptOn {
			got := beat(t, c, 10*time.Second+1, n)
			require.Len(t, got, 2)
			require.Equal(t, JobID(2), got[1].Task.Job, "it takes what it gets, however far from its data")
			killed, err = c.Preempt(11 * time.Second)
			require.NoError(t, err)
			require.Empty(t, killed, "it has its share")
			require.False(t, c.order.urgent(c.job(2), Map))
		}
	}
}

// Who has no timeout claims nothing, however long it starves; nor does a pool that has just got half
// of its share.
func TestNothingIsClaimedWithoutNeed(t *testing.T) {
	c, n := pooled(t, Node{MapSlots: 4}, func(_ *Config, p *Policy) {
		p.Pools.Pools = []PoolConfig{{Name: "b", Min: [2]int{2, 0}}}
		p.Preemption.Mode = PreemptOn
	})
	need := func() int { return c.View().Pools()[1].Need[Map] }
	submit(t, c, JobSpec{Pool: "a", Maps: 9})
	require.Len(t, beat(t, c, 0, n), 4)
	submit(t, c, JobSpec{Pool: "b", Maps: 9})
	require.NoError(t, c.Update(time.Hour))
	require.Zero(t, need())

	c, n = pooled(t, Node{MapSlots: 4}, func(_ *Config, p *Policy) {
		p.Pools.FairTimeout = 10 * time.Second
		p.Preemption = PreemptionPolicy{Mode: PreemptOn, Interval: -1}
	})
	submit(t, c, JobSpec{Pool: "a", Maps: 9})
	first := beat(t, c, 0, n)
	submit(t, c, JobSpec{Pool: "b", Maps: 9})
	require.NoError(t, c.Update(11*time.Second))
	require.Equal(t, 2, need())
	got := beat(t, c, 12*time.Second, n, Status{Attempt: first[0], State: StateSucceeded})
	require.Equal(t, JobID(2), got[0].Task.Job)
	require.Zero(t, need(), "one of two: it has half")
	require.NoError(t, c.Update(13*time.Second))
	require.NoError(t, c.Update(30*time.Second))
	require.Zero(t, need())
}

// Rounds come by themselves once the interval has passed, and with a negative one never.
func TestRoundsOfPreemption(t *testing.T) {
	for interval, want := range map[time.Duration][]int{5 * time.Second: {0, 0, 2}, time.Second: {0, 2, 2}, -1: {0, 0, 0}} {
		c, n := pooled(t, Node{MapSlots: 4}, func(_ *Config, p *Policy) {
			p.Pools.Pools = []PoolConfig{{Name: "b", Min: [2]int{2, 0}, MinTimeout: 2 * time.Second}}
			p.Preemption = PreemptionPolicy{Mode: PreemptOn, Interval: interval}
		})
		submit(t, c, JobSpec{Pool: "a", Maps: 9})
		require.Len(t, beat(t, c, 0, n), 4)
		submit(t, c, JobSpec{Pool: "b", Maps: 9})
		require.NoError(t, c.Update(0))
		var killed []int
		for _, at := range []time.Duration{2 * time.Second, 5*time.Second - 1, 5 * time.Second} {
			require.NoError(t, c.Update(at))
			killed = append(killed, 4-c.job(1).w[Map].running)
		}
		require.Equal(t, want, killed, interval)
	}
}

// A load manager is asked about the kinds of which a node has a free slot, with the node, the load
// and the slots; what it refuses stays free, and that is the reason.
func TestLoadManagerIsAskedOfFreeSlots(t *testing.T) {
	type question struct {
		k           TaskKind
		running     int
		load, slots int
	}
	var asked []question
	c, n := pooled(t, Node{MapSlots: 3}, func(cfg *Config, _ *Policy) {
		cfg.LoadManager = func(n NodeView, k TaskKind, load, slots int) bool {
			asked = append(asked, question{k, n.Running[k], load, slots})
			return n.Running[k] < 2
		}
	})
	submit(t, c, JobSpec{Maps: 9, Reduces: 1})
	require.Len(t, beat(t, c, 0, n), 2)
	require.Equal(t, []question{{Map, 0, 9, 3}, {Map, 1, 9, 3}, {Map, 2, 9, 3}}, asked)
	require.Equal(t, []Skip{{Job: 1, Kind: Map, Node: n, Reason: Reason{Cause: CauseLoadCap}}}, c.View().IdleReasons(n))
}

// Why a pool's job leaves a slot free is told without Explain, too.
func TestIdleReasonsOfPools(t *testing.T) {
	idle := func(change func(*Config, *Policy)) Reason {
		c, n := pooled(t, Node{MapSlots: 2}, change)
		submit(t, c, JobSpec{Pool: "p", Maps: 9})
		require.Len(t, beat(t, c, 0, n), 1)
		skips := c.View().IdleReasons(n)
		require.Len(t, skips, 1)
		return skips[0].Reason
	}
	require.Equal(t, Reason{Cause: CausePoolMax, Count: 1, Of: 1}, idle(func(_ *Config, p *Policy) { p.Pools.Pools = []PoolConfig{{Name: "p", Max: [2]int{1, 0}}} }))
	require.Equal(t, Reason{Cause: CauseOneTask}, idle(func(_ *Config, p *Policy) { p.OneTask = true }))
	c, n := pooled(t, Node{MapSlots: 2}, func(*Config, *Policy) {})
	submit(t, c, JobSpec{Pool: "p", Maps: 9})
	require.Equal(t, Reason{Cause: CauseNotOffered}, c.View().IdleReasons(n)[0].Reason)
}

// Pools of equal rank come in the order of their names, whenever they were made.
func TestPoolsByName(t *testing.T) {
	c, _ := pooled(t, Node{MapSlots: 9}, func(*Config, *Policy) {})
	for _, pool := range []string{"c", "a", "d", "b"} {
		submit(t, c, JobSpec{Pool: pool, Maps: 1})
	}
	require.Equal(t, []JobID{2, 4, 1, 3}, c.View().Order(Map))
}

// A boost ends also in a heartbeat that asks for no work; one that is ignored moves no clock.
func TestBoostEndsWithoutWork(t *testing.T) {
	c, n := pooled(t, Node{MapSlots: 4}, func(_ *Config, p *Policy) {
		p.Pools = Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
	})
	first := submit(t, c, JobSpec{Pool: "p", Maps: 9})
	require.NoError(t, c.Update(5*time.Second))
	second := submit(t, c, JobSpec{Pool: "p", Maps: 9})
	require.Len(t, beat(t, c, 6*time.Second, n), 4)
	require.Equal(t, []JobID{first, second}, c.View().Order(Map))
	_, err := c.Heartbeat(20*time.Second, Heartbeat{Node: n, Incarnation: 7})
	require.NoError(t, err)
	require.Equal(t, 6*time.Second, c.View().Now())
	_, err = c.Heartbeat(10*time.Second, Heartbeat{Node: n, NoWork: true})
	require.NoError(t, err)
	require.Equal(t, []JobID{second, first}, c.View().Order(Map), "2 against 2 / 3")
}
