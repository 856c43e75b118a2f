package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/capacity"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// queued is a Core of the capacity scheduler with one node.
func queued(t *testing.T, n core.Node, queues ...core.QueueConfig) (*core.Core, core.NodeID) {
	p, err := Preset("capacity")
	require.NoError(t, err)
	p.Queues = queues
	c, err := NewCore(core.Config{Explain: true}, p)
	require.NoError(t, err)
	n.Name = "n"
	id, err := c.Join(0, n)
	require.NoError(t, err)
	return c, id
}

// submit takes a job in that must be fine.
func submit(t *testing.T, c *core.Core, s core.JobSpec) core.JobID {
	id, err := c.Submit(c.Now, s)
	require.NoError(t, err)
	return id
}

// runnable tells of each job whether it may launch.
func runnable(c *core.Core) (list []bool) {
	for _, j := range c.Active {
		if !j.State.Ended() {
			list = append(list, j.Runnable)
		}
	}
	return list
}

// A job goes to a leaf queue that there is, else it is refused.
func TestJobsGoToLeafQueues(t *testing.T) {
	c, _ := queued(t, core.Node{MapSlots: 2}, core.QueueConfig{Name: "a"}, core.QueueConfig{Name: "a1", Parent: "a"}, core.QueueConfig{Name: "default"})
	for _, bad := range []string{"nowhere", "a"} {
		_, err := c.Submit(0, core.JobSpec{Queue: bad, Maps: 1})
		require.ErrorIs(t, err, core.ErrUnknownQueue)
		require.ErrorContains(t, err, `"`+bad+`" is no leaf queue`)
	}
	require.Empty(t, c.View().Active())
	for _, name := range []string{"a1", " a1 ", ""} {
		submit(t, c, core.JobSpec{Queue: name, Maps: 1})
	}
	require.ErrorIs(t, c.SetPool(0, 1, "a"), core.ErrUnknownQueue)
	require.Equal(t, []string{"a1", "a1", "default"}, []string{c.Job(1).Group, c.Job(2).Group, c.Job(3).Group})
	require.NoError(t, c.SetPool(0, 3, " a1 "))
	require.Equal(t, "a1", c.Job(3).Group)
}

// What a view tells of a queue: its part, what it holds, its jobs and users.
func TestViewOfQueues(t *testing.T) {
	c, n := queued(t, core.Node{MapSlots: 10, ReduceSlots: 4}, core.QueueConfig{Name: "a", Capacity: 60}, core.QueueConfig{Name: "a1", Parent: "a"}, core.QueueConfig{Name: "b", Max: 50})
	submit(t, c, core.JobSpec{Queue: "a1", User: "u", Maps: 2, SlotsPerTask: 2})
	submit(t, c, core.JobSpec{Queue: "a1", User: "u", Maps: 1})
	submit(t, c, core.JobSpec{Queue: "a1", User: "v", Maps: 1})
	submit(t, c, core.JobSpec{Queue: "b", User: "w", Maps: 3, Reduces: 2, SlowStart: -1})
	gone := submit(t, c, core.JobSpec{Queue: "b", User: "x", Maps: 1})
	require.NoError(t, c.Kill(0, gone))
	for range 3 {
		require.NotEmpty(t, beat(t, c, 0, n))
	}
	views := c.View().Queues()
	for i := range views {
		views[i].Config = core.QueueConfig{}
	}
	a1, b := c.Order.(*capacity.Order).ByName["a1"], c.Order.(*capacity.Order).ByName["b"]
	require.Equal(t, 3, a1.Occupied[core.Map]+b.Occupied[core.Map]-1, "one task of two slots")
	require.Equal(t, []core.QueueView{
		{Name: "a", Capacity: [2]int{6, 2}, Max: [2]int{core.NoLimit, core.NoLimit}, Occupied: a1.Occupied},
		{
			Name: "a1", Parent: "a", Leaf: true, Capacity: [2]int{6, 2}, Max: [2]int{core.NoLimit, core.NoLimit}, Occupied: a1.Occupied,
			Kinds: [2]core.KindView{{Running: a1.Occupied[core.Map] - 1, Demand: 4}, {}}, Jobs: 3, Users: 2,
		},
		{
			Name: "b", Leaf: true, Capacity: [2]int{4, 1}, Max: [2]int{5, 2}, Occupied: [2]int{b.Occupied[core.Map], 2},
			Kinds: [2]core.KindView{{Running: b.Occupied[core.Map], Demand: 3}, {Running: 2, Demand: 2}}, Jobs: 1, Users: 1,
		},
	}, views)
	require.Equal(t, [2]int{4, 2}, c.Order.(*capacity.Order).Top.Occupied)
}

// A core without nodes has queues of no slots; their maxima are none all the same.
func TestQueuesBeforeTheFirstNode(t *testing.T) {
	p, err := Preset("capacity")
	require.NoError(t, err)
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	views := c.View().Queues()
	require.Len(t, views, 1)
	require.Equal(t, []any{"default", [2]int{}, [2]int{core.NoLimit, core.NoLimit}}, []any{views[0].Name, views[0].Capacity, views[0].Max})
}

// A user's jobs are initialized up to InitJobs, those of 100 / user limit + 2 users; a place is free
// once a job has launched.
func TestWhoIsInitialized(t *testing.T) {
	c, n := queued(t, core.Node{MapSlots: 9}, core.QueueConfig{Name: "default", InitJobs: 2, UserLimit: 100})
	for _, user := range []string{"a", "a", "a", "b", "c", "d", "c"} {
		submit(t, c, core.JobSpec{User: user, Maps: 1})
	}
	require.Equal(t, []bool{true, true, false, true, true, false, true}, runnable(c))
	require.Equal(t, core.Reason{Cause: core.CauseNotInitialized}, c.Job(3).Hold)
	require.Equal(t, core.Reason{}, c.Job(1).Hold)
	require.Equal(t, core.JobID(1), beat(t, c, 0, n)[0].Task.Job)
	require.Equal(t, []bool{true, true, true, true, true, false, true}, runnable(c), "one of a has begun")
	require.Equal(t, core.JobID(2), beat(t, c, 0, n)[0].Task.Job)
	require.Equal(t, core.JobID(3), beat(t, c, 0, n)[0].Task.Job)
	require.Equal(t, []bool{true, true, true, true, true, true, true}, runnable(c), "a has none that waits")
}

// No more jobs are looked at once more than users times jobs have been met, of which those of higher
// priority come first.
func TestHowManyJobsAreMet(t *testing.T) {
	for _, x := range []struct {
		before []string
		last   bool // is initialized
	}{
		{[]string{"a", "a", "b", "b", "c"}, true},
		{[]string{"a", "a", "b", "b", "c", "c"}, false},
	} {
		c, _ := queued(t, core.Node{MapSlots: 9}, core.QueueConfig{Name: "default", InitJobs: 2, UserLimit: 100, Priorities: true})
		for _, user := range x.before {
			submit(t, c, core.JobSpec{User: user, Maps: 1})
		}
		submit(t, c, core.JobSpec{User: "d", Maps: 1, Priority: core.High})
		submit(t, c, core.JobSpec{User: "d", Maps: 1})
		got := runnable(c)
		for _, may := range got[:len(got)-1] {
			require.True(t, may)
		}
		require.Equal(t, x.last, got[len(got)-1], "after %d", len(got)-1)
	}
}

// A change of priority moves a job that waits to be initialized, where the queue heeds priorities.
func TestPriorityAmongWaitingJobs(t *testing.T) {
	for _, heeded := range []bool{true, false} {
		c, n := queued(t, core.Node{MapSlots: 9}, core.QueueConfig{Name: "default", InitJobs: 1, Priorities: heeded})
		for range 3 {
			submit(t, c, core.JobSpec{User: "u", Maps: 1})
		}
		require.NoError(t, c.SetPriority(0, 3, core.High))
		require.Equal(t, []bool{true, false, heeded}, runnable(c), "those initialized stay so")
		var order []core.JobID
		for range 3 {
			order = append(order, beat(t, c, 0, n)[0].Task.Job)
		}
		require.Equal(t, map[bool][]core.JobID{true: {3, 1, 2}, false: {1, 2, 3}}[heeded], order)
	}
}

// A queue at its maximum gets no more, whatever a task needs; an empty one may launch any.
func TestMaximumOfAQueue(t *testing.T) {
	for _, x := range []struct {
		slots  int // per task
		begins int
		says   core.Reason
	}{
		{1, 5, core.Reason{Cause: core.CauseQueueMax, Count: 5, Of: 5}},
		{2, 2, core.Reason{Cause: core.CauseQueueMax, Count: 4, Of: 5}},
		{5, 1, core.Reason{Cause: core.CauseQueueMax, Count: 5, Of: 5}},
		{6, 1, core.Reason{Cause: core.CauseQueueMax, Count: 6, Of: 5}},
	} {
		c, n := queued(t, core.Node{MapSlots: 10}, core.QueueConfig{Name: "default", Capacity: 20, Max: 50}, core.QueueConfig{Name: "other"})
		submit(t, c, core.JobSpec{User: "u", Maps: 9, SlotsPerTask: x.slots})
		require.Equal(t, x.begins, launches(t, c, n), x.slots)
		require.Equal(t, []core.Skip{{Job: 1, Kind: core.Map, Node: n, Reason: x.says}}, c.View().Skips())
	}
}

// Beyond the user limit a user's jobs come after those of others; who has a factor waits in any
// case. Both are told.
func TestLimitsOfUsersAreTold(t *testing.T) {
	c, n := queued(t, core.Node{MapSlots: 10}, core.QueueConfig{Name: "default", Capacity: 40, UserLimit: 50}, core.QueueConfig{Name: "other"})
	submit(t, c, core.JobSpec{User: "u", Maps: 9})
	for range 2 {
		require.Len(t, beat(t, c, 0, n), 1)
	}
	submit(t, c, core.JobSpec{User: "v", Maps: 1, Places: on(1, n)})
	require.Equal(t, core.JobID(2), beat(t, c, 0, n)[0].Task.Job, "u has half of the queue")
	require.Equal(t, []core.Skip{{Job: 1, Kind: core.Map, Node: n, Reason: core.Reason{Cause: core.CauseUserLimit}}}, c.View().Skips())
	require.Equal(t, core.JobID(1), beat(t, c, 0, n)[0].Task.Job, "nobody else wants the slot")

	c, n = queued(t, core.Node{MapSlots: 10}, core.QueueConfig{Name: "default", Capacity: 40, UserFactor: 0.5}, core.QueueConfig{Name: "other"})
	submit(t, c, core.JobSpec{User: "u", Maps: 9})
	require.Equal(t, 2, launches(t, c, n))
	require.Equal(t, []core.Skip{{Job: 1, Kind: core.Map, Node: n, Reason: core.Reason{Cause: core.CauseUserLimit, Count: 2, Of: 2}}}, c.View().Skips())
}

// A full node is reserved for nobody. One with some slots free is reserved for a task that needs
// more, once for each task, and gives that up when the task cannot come.
func TestReservations(t *testing.T) {
	c, n := queued(t, core.Node{MapSlots: 3})
	held := func() *core.Job {
		if list := c.Order.(*capacity.Order).Reserved[core.Map]; len(list) > 0 {
			return list[n]
		}
		return nil
	}
	submit(t, c, core.JobSpec{User: "u", Maps: 4})
	first := []core.AttemptID{beat(t, c, 0, n)[0], beat(t, c, 0, n)[0], beat(t, c, 0, n)[0]}
	require.Empty(t, beat(t, c, 0, n))
	require.Nil(t, held(), "no slot is free")
	require.NoError(t, c.Kill(0, 1))
	submit(t, c, core.JobSpec{User: "u", Maps: 2})
	second := []core.AttemptID{beat(t, c, 0, n)[0], beat(t, c, 0, n)[0]}
	require.NotEqual(t, first[0].Task.Job, second[0].Task.Job)
	large := submit(t, c, core.JobSpec{User: "v", Maps: 1, SlotsPerTask: 2})
	submit(t, c, core.JobSpec{User: "w", Maps: 1})
	require.Empty(t, beat(t, c, 0, n))
	require.Equal(t, c.Job(large), held())
	require.Equal(t, core.Reason{Cause: core.CauseReserved, Count: 1, Of: 2}, c.View().Skips()[0].Reason)
	got := beat(t, c, time.Second, n, core.Status{Attempt: second[0], State: core.StateSucceeded}, core.Status{Attempt: second[1], State: core.StateSucceeded})
	require.Len(t, got, 1, "one map for each heartbeat")
	require.Equal(t, large, got[0].Task.Job)
	require.Nil(t, held())
	require.Len(t, beat(t, c, time.Second, n), 1)

	c, n = queued(t, core.Node{MapSlots: 3})
	submit(t, c, core.JobSpec{User: "u", Maps: 2})
	require.Len(t, append(beat(t, c, 0, n), beat(t, c, 0, n)...), 2)
	large = submit(t, c, core.JobSpec{User: "v", Maps: 1, SlotsPerTask: 2})
	require.Empty(t, beat(t, c, 0, n))
	require.Equal(t, c.Job(large), held())
	require.NoError(t, c.Kill(0, large))
	small := submit(t, c, core.JobSpec{User: "w", Maps: 1})
	require.Equal(t, small, beat(t, c, 0, n)[0].Task.Job, "nobody waits for the node any more")

	c, n = queued(t, core.Node{MapSlots: 1})
	submit(t, c, core.JobSpec{User: "v", Maps: 1, SlotsPerTask: 2})
	small = submit(t, c, core.JobSpec{User: "w", Maps: 1})
	require.Equal(t, small, beat(t, c, 0, n)[0].Task.Job, "the node is too small to wait for it")
}

// Without Explain nobody is told of skips, held jobs included.
func TestNothingIsExplainedUnasked(t *testing.T) {
	for _, preset := range Presets() {
		c, since := told(t, preset, func(_ *core.Config, p *core.Policy) {
			p.Queues = []core.QueueConfig{{Name: "default", Capacity: 20, Max: 30, InitJobs: 1}}
			p.Pools = core.Allocations{UserMaxJobs: 1}
		})
		n, err := c.Join(0, core.Node{Name: "n", MapSlots: 2})
		require.NoError(t, err)
		for range 4 {
			_, err := c.Submit(0, core.JobSpec{User: "u", Maps: 3, SlotsPerTask: 2})
			require.NoError(t, err)
		}
		for range 3 {
			beat(t, c, 0, n)
			require.Empty(t, c.View().Skips())
		}
		for _, e := range since() {
			require.NotEqual(t, core.EventSkipped, e.Type, preset)
		}
	}
}
