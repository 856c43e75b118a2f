package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/capacity"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/pools"
)

// Each launch and each end of an attempt is told, with its node and, of a failure, the error.
func TestAttemptsAreTold(t *testing.T) {
	var events []core.Event
	c, n := newTestCore(t, "fifo", func(cfg *core.Config, _ *core.Policy) { cfg.Events = func(e core.Event) { events = append(events, e) } })
	id, err := c.Submit(0, core.JobSpec{Maps: 3, Reduces: 1, SlowStart: 1})
	require.NoError(t, err)
	got := append(append(beat(t, c, 0, n[1]), beat(t, c, 0, n[2])...), beat(t, c, 0, n[3])...)
	require.Len(t, got, 3)
	events = nil
	again := beat(t, c, time.Second, n[1], core.Status{Attempt: got[0], State: core.StateFailed, Err: "boom"})
	require.Len(t, again, 1)
	beat(t, c, time.Second, n[2], core.Status{Attempt: got[1], State: core.StateSucceeded})
	require.NoError(t, c.Kill(2*time.Second, id))
	ends := map[core.EventType][]core.Event{}
	for _, e := range events {
		if e.Attempt != (core.AttemptID{}) && e.Type != core.EventLaunched {
			require.Equal(t, id, e.JobID)
			ends[e.Type] = append(ends[e.Type], e)
		}
	}
	require.Len(t, ends, 3)
	require.Len(t, ends[core.EventFailed], 1)
	require.Equal(t, []any{got[0], n[1], "n2", "boom"}, []any{
		ends[core.EventFailed][0].Attempt, ends[core.EventFailed][0].Node, ends[core.EventFailed][0].NodeName, ends[core.EventFailed][0].Err,
	})
	require.Len(t, ends[core.EventSucceeded], 1)
	require.Equal(t, []any{got[1], n[2]}, []any{ends[core.EventSucceeded][0].Attempt, ends[core.EventSucceeded][0].Node})
	var killed []core.AttemptID
	for _, e := range ends[core.EventKilled] {
		killed = append(killed, e.Attempt)
	}
	require.ElementsMatch(t, []core.AttemptID{got[2], again[0]}, killed)
}

// An event is a line with what it tells and no more.
func TestEventsAsText(t *testing.T) {
	attempt := core.AttemptID{Task: core.TaskID{Job: 3, Kind: core.Reduce, Index: 1}, Try: 2}
	for want, e := range map[string]core.Event{
		"1s joined on n1":                                 {Type: core.EventJoined, NodeName: "n1"},
		"1s submitted job_0003":                           {Type: core.EventSubmitted, JobID: 3},
		"1s failed job_0003_r_000001_2 on n1: boom":       {Type: core.EventFailed, JobID: 3, Attempt: attempt, NodeName: "n1", Err: "boom"},
		"1s launched job_0003_r_000001_2 on n1 any-place": {Type: core.EventLaunched, JobID: 3, Attempt: attempt, NodeName: "n1", Near: "any-place"},
		"1s killed job_0003_r_000001_2 on n1: node lost":  {Type: core.EventKilled, Attempt: attempt, NodeName: "n1", Near: "any-place", Reason: core.Reason{Cause: core.CauseNodeLost}},
		"1s reconfigured: policy fair":                    {Type: core.EventReconfigured, Name: "fair"},
		"1s finished job_0003":                            {Type: core.EventFinished, JobID: 3, Name: "wordcount"},
	} {
		e.At = time.Second
		require.Equal(t, want, e.String())
	}
}

// Progress only grows, and is a part of the whole: other reports of it change nothing.
func TestFalseProgressIsIgnored(t *testing.T) {
	c, n := newTestCore(t, "fifo", nil)
	_, err := c.Submit(0, core.JobSpec{Maps: 1})
	require.NoError(t, err)
	id := beat(t, c, 0, n[0])[0]
	for _, x := range []struct{ said, want float64 }{
		{0, 0}, {0.5, 0.5}, {0.2, 0.5}, {-1, 0.5}, {1.5, 0.5}, {math.Inf(1), 0.5}, {math.NaN(), 0.5}, {0.7, 0.7}, {1, 1}, {2, 1},
	} {
		beat(t, c, 0, n[0], core.Status{Attempt: id, Progress: x.said, ReduceProgress: x.said})
		v, ok := c.View().Attempt(id)
		require.True(t, ok)
		require.Equal(t, x.want, v.Progress, "after %v", x.said)
		require.Equal(t, x.want, c.Attempts[c.LiveAttempt(id)].Reduced, "after %v", x.said)
	}
}

// The day after which a node is forgiven begins with its last fault.
func TestForgivenADayAfterTheLastFault(t *testing.T) {
	c := tenNodes(t, core.Config{Expiry: 1000 * time.Hour}, core.Avoidance{})
	for range 4 {
		require.NoError(t, c.Update(c.Now+10*time.Hour))
		faultyJob(t, c, 3)
	}
	for _, x := range []struct {
		at      time.Duration
		avoided bool
	}{{40 * time.Hour, true}, {64*time.Hour - 1, true}, {64 * time.Hour, false}} {
		require.NoError(t, c.Update(x.at))
		require.Equal(t, x.avoided, c.View().Nodes()[3].Avoided, x.at)
	}
	require.Equal(t, 3, c.Nodes[3].Faults)
	require.NoError(t, c.Update(88*time.Hour))
	require.Equal(t, 2, c.Nodes[3].Faults, "one a day")
}

// A job may be moved to a leaf queue that has room for it, and stays in its own although that is
// full.
func TestMovesBetweenQueues(t *testing.T) {
	c, _ := limited(t, core.QueueConfig{Name: "default", Capacity: 50, JobLimit: 1})
	id, err := c.Submit(0, core.JobSpec{User: "u", Maps: 1})
	require.NoError(t, err)
	other, err := c.Submit(0, core.JobSpec{Queue: "other", User: "u", Maps: 1})
	require.NoError(t, err)
	in := func(id core.JobID) string {
		v, err := c.View().Job(id)
		require.NoError(t, err)
		return v.Pool
	}
	require.NoError(t, c.SetPool(0, id, "default"), "it is there")
	require.ErrorIs(t, c.SetPool(0, other, "default"), core.ErrQueueFull)
	require.Equal(t, "other", in(other))
	require.ErrorIs(t, c.SetPool(0, id, "nowhere"), core.ErrUnknownQueue)
	require.NoError(t, c.SetPool(0, id, "other"))
	require.Equal(t, "other", in(id))
	require.NoError(t, c.SetPool(0, other, "default"), "there is room now")
	require.Equal(t, "default", in(other))
}

// Each fault of the pools' configuration is refused, alone as well.
func TestBadPoolsAreRefused(t *testing.T) {
	good := core.Allocations{
		Pools: []core.PoolConfig{{Name: "a", Weight: 0}, {Name: "b", Weight: 2.5, Min: [2]int{1, 1}}},
		Users: []core.UserConfig{{Name: "u"}, {Name: "v"}}, BoostFactor: 2, BoostTime: time.Minute, FairTimeout: time.Minute,
	}
	var bad []string
	refuse := func(format string, _ ...any) { bad = append(bad, format) }
	good.Validate(refuse)
	require.Empty(t, bad)
	for _, spoil := range []func(*core.Allocations){
		func(a *core.Allocations) { a.Pools[0].Name = "" },
		func(a *core.Allocations) { a.Pools[0].Name = "b" },
		func(a *core.Allocations) { a.Pools[0].Min[core.Map] = -1 },
		func(a *core.Allocations) { a.Pools[0].Min[core.Reduce] = -1 },
		func(a *core.Allocations) { a.Pools[0].Weight = -1 },
		func(a *core.Allocations) { a.Pools[0].Weight = math.NaN() },
		func(a *core.Allocations) { a.Pools[0].Weight = math.Inf(1) },
		func(a *core.Allocations) { a.Users[0].Name = "" },
		func(a *core.Allocations) { a.Users[0].Name = "v" },
		func(a *core.Allocations) { a.BoostFactor = -1 },
		func(a *core.Allocations) { a.BoostFactor = math.NaN() },
		func(a *core.Allocations) { a.BoostFactor = math.Inf(1) },
		func(a *core.Allocations) { a.BoostTime = -1 },
		func(a *core.Allocations) { a.FairTimeout = -1 },
	} {
		a := good
		a.Pools, a.Users = append([]core.PoolConfig(nil), good.Pools...), append([]core.UserConfig(nil), good.Users...)
		spoil(&a)
		bad = nil
		a.Validate(refuse)
		require.Len(t, bad, 1, "%+v", a)
	}
}

// A recorded job may have so many tasks of each kind, and no more.
func TestRecordedJobsHaveALimit(t *testing.T) {
	for _, x := range []struct {
		maps, reduces int
		fits          bool
	}{
		{core.MostReplayed, core.MostReplayed, true},
		{core.MostReplayed + 1, 0, false},
		{0, core.MostReplayed + 1, false},
	} {
		for _, op := range []core.Op{core.OpSubmit, core.OpResume} {
			err := (&core.Call{Op: op, Submit: &core.JobSpec{Maps: x.maps, Reduces: x.reduces}}).Complete()
			if x.fits {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, core.ErrReplay)
			}
		}
	}
}

// Jobs weigh by the logarithm of their tasks where the configuration says so, by their priority,
// and more while they are new.
func TestWeightOfAJob(t *testing.T) {
	weight := func(a core.Allocations, maps int, priority core.Priority, at time.Duration) float64 {
		c, _ := newTestCore(t, "hfs", func(_ *core.Config, p *core.Policy) { p.Pools = a })
		_, err := c.Submit(time.Second, core.JobSpec{Maps: maps, Priority: priority})
		require.NoError(t, err)
		require.NoError(t, c.Update(at))
		return c.Order.(*pools.Order).Weight(c.Active[0], core.Map)
	}
	require.Equal(t, 1.0, weight(core.Allocations{}, 7, 0, time.Minute))
	bySize := core.Allocations{SizeBasedWeight: true}
	for maps, want := range map[int]float64{1: 1, 3: 2, 7: 3, 1023: 10} {
		require.Equal(t, want, weight(bySize, maps, 0, time.Minute), maps)
	}
	factor := core.High.Factor()
	require.Greater(t, factor, 1.0)
	require.Equal(t, 3*factor, weight(bySize, 7, core.High, time.Minute))
	boost := core.Allocations{BoostFactor: 3, BoostTime: 10 * time.Second}
	require.Equal(t, 3.0, weight(boost, 7, 0, 11*time.Second-1))
	require.Equal(t, 1.0, weight(boost, 7, 0, 11*time.Second), "it is new no more")
}

// A node is reserved for a large task once: for one task waiting no second node is, and others
// launch there.
func TestOneReservationForATask(t *testing.T) {
	c, n := newTestCore(t, "capacity", nil)
	for _, away := range n[2:] {
		require.NoError(t, c.Leave(0, away))
	}
	_, err := c.Submit(0, core.JobSpec{User: "u", Maps: 2})
	require.NoError(t, err)
	require.Len(t, beat(t, c, 0, n[0]), 1)
	require.Len(t, beat(t, c, 0, n[1]), 1)
	_, err = c.Submit(0, core.JobSpec{User: "v", Maps: 1, SlotsPerTask: 2})
	require.NoError(t, err)
	require.Empty(t, beat(t, c, 0, n[0]))
	require.Empty(t, beat(t, c, 0, n[1]))
	held := c.Order.(*capacity.Order).Reserved[core.Map]
	require.NotNil(t, held[n[0]])
	require.Nil(t, held[n[1]])
}

// That a queue is at its maximum is told of its jobs, with both figures.
func TestFullQueueHasItsReason(t *testing.T) {
	p, err := Preset("capacity")
	require.NoError(t, err)
	p.Queues = []core.QueueConfig{{Name: "default", Capacity: 20, Max: 30}, {Name: "other", Capacity: 80}}
	c, err := NewCore(core.Config{Explain: true}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "n", MapSlots: 10})
	require.NoError(t, err)
	id, err := c.Submit(0, core.JobSpec{User: "u", Maps: 9})
	require.NoError(t, err)
	require.Equal(t, 3, launches(t, c, n))
	skips := c.View().IdleReasons(n)
	require.Len(t, skips, 1)
	require.Equal(t, id, skips[0].Job)
	require.Equal(t, core.Reason{Cause: core.CauseQueueMax, Count: 3, Of: 3}, skips[0].Reason)
}

// Where a pool may have one job, the one of the highest priority has its turn, also when that
// changes.
func TestPriorityDecidesWhichJobRuns(t *testing.T) {
	c, _ := newTestCore(t, "hfs", func(_ *core.Config, p *core.Policy) { p.Pools.PoolMaxJobs = 1 })
	for range 2 {
		_, err := c.Submit(0, core.JobSpec{Pool: "p", Maps: 9})
		require.NoError(t, err)
	}
	runs := func() (list []bool) {
		for id := range core.JobID(2) {
			v, err := c.View().Job(id + 1)
			require.NoError(t, err)
			list = append(list, v.Runnable)
		}
		return list
	}
	require.Equal(t, []bool{true, false}, runs())
	require.NoError(t, c.SetPriority(0, 2, core.High))
	require.Equal(t, []bool{false, true}, runs())
	require.NoError(t, c.SetPriority(0, 2, core.Normal))
	require.Equal(t, []bool{true, false}, runs())
}

// Each fault of a policy is refused, alone as well; the limits themselves are not.
func TestBadPoliciesAreRefused(t *testing.T) {
	good := core.Policy{
		Order: "hfsp", SlowStart: 1, LoadMaxDiff: 1, Locality: core.LocalityPolicy{Skips: []int{0, 1}, Waits: []time.Duration{0, 1}},
		HFSP: core.HFSPPolicy{Xi: 1, SuspendLow: 2, SuspendHigh: 2},
	}
	require.NoError(t, good.Validate())
	many := core.MaxLevels
	for name, spoil := range map[string]func(*core.Policy){
		"slow start":     func(p *core.Policy) { p.SlowStart = 1.01 },
		"no slow start":  func(p *core.Policy) { p.SlowStart = math.NaN() },
		"load below":     func(p *core.Policy) { p.LoadMaxDiff = -0.01 },
		"load above":     func(p *core.Policy) { p.LoadMaxDiff = 1.01 },
		"skips":          func(p *core.Policy) { p.Locality.Skips = make([]int, many) },
		"waits":          func(p *core.Policy) { p.Locality.Waits = make([]time.Duration, many) },
		"negative skip":  func(p *core.Policy) { p.Locality.Skips = []int{0, -1} },
		"negative wait":  func(p *core.Policy) { p.Locality.Waits = []time.Duration{0, -1} },
		"theta":          func(p *core.Policy) { p.Reduce.Theta = math.NaN() },
		"skew cap":       func(p *core.Policy) { p.Reduce.SkewCap = math.NaN() },
		"forgive":        func(p *core.Policy) { p.Avoid.Forgive = -1 },
		"sample":         func(p *core.Policy) { p.HFSP.Sample = -1 },
		"delta":          func(p *core.Policy) { p.HFSP.Delta = -1 },
		"xi":             func(p *core.Policy) { p.HFSP.Xi = 0.99 },
		"initial":        func(p *core.Policy) { p.HFSP.Initial = -1 },
		"suspend low":    func(p *core.Policy) { p.HFSP.SuspendLow = -1 },
		"low above high": func(p *core.Policy) { p.HFSP.SuspendLow = 3 },
		"pools":          func(p *core.Policy) { p.Pools.Pools = []core.PoolConfig{{}} },
		"copies' rule":   func(p *core.Policy) { p.Speculation.Rule = core.LATE + 1 },
		"copies' lag":    func(p *core.Policy) { p.Speculation.Lag = -1 },
		"slow task":      func(p *core.Policy) { p.Speculation.SlowTask = math.NaN() },
		"slow node":      func(p *core.Policy) { p.Speculation.SlowNode = -1 },
		"copies below":   func(p *core.Policy) { p.Speculation.Cap = -0.1 },
		"copies above":   func(p *core.Policy) { p.Speculation.Cap = 1.1 },
		"few copies":     func(p *core.Policy) { p.Speculation.MinCopies = -1 },
	} {
		p := good
		spoil(&p)
		require.ErrorIs(t, p.Validate(), core.ErrBadConfig, name)
	}
	most := good
	most.Locality.Skips, most.Locality.Waits = make([]int, many-1), make([]time.Duration, many-1)
	require.NoError(t, most.Validate())
}

// Of three jobs at once none has an index above 2, however many there were before.
func TestIndicesAreUsedAgain(t *testing.T) {
	c, _ := newTestCore(t, "fair", nil)
	for range 10 {
		for range 3 {
			id, err := c.Submit(c.Now, core.JobSpec{Maps: 1})
			require.NoError(t, err)
			require.Less(t, c.Job(id).Index, int32(3))
		}
		for _, id := range c.View().Active() {
			require.NoError(t, c.Kill(c.Now, id))
		}
	}
	require.Len(t, c.ByIndex, 3)
}

// A pool that has been below half of its fair share for longer than the timeout may claim what it
// lacks of the share: the slots that it has do not count twice.
func TestHalfShareTimeout(t *testing.T) {
	p, err := Preset("hfs")
	require.NoError(t, err)
	p.Preemption.Mode, p.Pools.FairTimeout = core.PreemptLog, 10*time.Second
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "n", MapSlots: 10})
	require.NoError(t, err)
	submit := func(pool string) {
		_, err := c.Submit(c.Now, core.JobSpec{Pool: pool, User: pool, Maps: 30})
		require.NoError(t, err)
	}
	submit("a")
	require.Equal(t, 10, launches(t, c, n))
	first, ok := c.View().Live(core.TaskID{Job: 1, Kind: core.Map})
	require.True(t, ok)
	submit("b")
	since := c.Now
	got := beat(t, c, since, n, core.Status{Attempt: first.ID, State: core.StateSucceeded})
	require.Len(t, got, 1)
	require.Equal(t, core.JobID(2), got[0].Task.Job)
	need := func(at time.Duration) []int {
		require.NoError(t, c.Update(at))
		var list []int
		for _, v := range c.View().Pools() {
			if v.Name == "a" || v.Name == "b" {
				list = append(list, v.Need[core.Map])
			}
		}
		return list
	}
	require.Equal(t, []int{0, 0}, need(since+10*time.Second))
	require.Equal(t, []int{0, 4}, need(since+10*time.Second+1))
}
