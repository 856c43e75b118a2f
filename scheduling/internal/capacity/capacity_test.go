package capacity

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/speculate"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// built has this package's order, the only part that the tests' policies name.
var built = &core.Policies{
	Orders:    map[string]func(*core.Core, *model.Policy) (core.Order, error){"capacity": New},
	Speculate: speculate.New,
}

func capacityCore(t require.TestingT, queues []model.QueueConfig, nodes ...model.Node) *core.Core {
	return coretest.New(t, built, core.Config{}, model.Policy{Order: "capacity", Queues: queues, SlowStart: -1}, nodes...)
}

// queued returns a Core under the capacity scheduler with one node, which has number 0.
func queued(t require.TestingT, n model.Node, queues ...model.QueueConfig) *core.Core {
	n.Name = "n"
	return capacityCore(t, queues, n)
}

// limited returns a Core with queue q, a second queue "other", and one node of ten slots.
func limited(t require.TestingT, q model.QueueConfig) *core.Core {
	return queued(t, model.Node{MapSlots: 10}, q, model.QueueConfig{Name: "other", Capacity: 50})
}

// refused returns the error with which core.New rejects the queues, or nil.
func refused(queues ...model.QueueConfig) error {
	_, err := core.New(built, core.Config{}, model.Policy{Order: "capacity", Queues: queues})
	return err
}

// Of a queue's jobs, those beyond InitLimit wait. Those beyond JobLimit are rejected, also when
// they are moved to it. A new policy rejects no existing job.
func TestJobLimits(t *testing.T) {
	c := limited(t, model.QueueConfig{Name: "default", Capacity: 50, InitJobs: 9, InitLimit: 2, JobLimit: 3})
	submit := func(queue string) (model.JobID, error) {
		return c.Submit(c.Now, model.JobSpec{Queue: queue, User: "u", Maps: 1})
	}
	for range 3 {
		_, err := submit("default")
		require.NoError(t, err)
	}
	_, err := submit("default")
	require.ErrorIs(t, err, core.ErrQueueFull)
	require.ErrorContains(t, err, "queue default has 3 jobs")
	id, err := submit("other")
	require.NoError(t, err)
	require.ErrorIs(t, c.SetPool(c.Now, id, "default"), core.ErrQueueFull)
	require.NoError(t, c.Kill(c.Now, id))
	require.Equal(t, 2, coretest.Launches(t, c, 0), "the third job waits")
	p := c.View().Policy()
	p.Queues[0].JobLimit = 1
	require.NoError(t, c.Reconfigure(c.Now, p))
	require.NoError(t, c.Kill(c.Now, 1))
	require.Equal(t, 1, coretest.Launches(t, c, 0), "its turn")
}

// A job whose queue does not exist, or has children, is rejected; without a queue it is in default.
func TestJobsGoToLeafQueues(t *testing.T) {
	c := queued(t, model.Node{MapSlots: 2}, model.QueueConfig{Name: "a"}, model.QueueConfig{Name: "a1", Parent: "a"}, model.QueueConfig{Name: "default"})
	for _, bad := range []string{"nowhere", "a"} {
		_, err := c.Submit(0, model.JobSpec{Queue: bad, Maps: 1})
		require.ErrorIs(t, err, core.ErrUnknownQueue)
		require.ErrorContains(t, err, `"`+bad+`" is not a leaf queue`)
	}
	require.Empty(t, c.View().Active())
	for _, name := range []string{"a1", " a1 ", ""} {
		coretest.Submit(t, c, model.JobSpec{Queue: name, Maps: 1})
	}
	require.ErrorIs(t, c.SetPool(0, 1, "a"), core.ErrUnknownQueue)
	require.Equal(t, []string{"a1", "a1", "default"}, []string{c.Job(1).Group, c.Job(2).Group, c.Job(3).Group})
	require.NoError(t, c.SetPool(0, 3, " a1 "))
	require.Equal(t, "a1", c.Job(3).Group)
}

// A job may move to a leaf queue that has room for it. A move to its own queue succeeds even if
// that is full.
func TestMovesBetweenQueues(t *testing.T) {
	c := limited(t, model.QueueConfig{Name: "default", Capacity: 50, JobLimit: 1})
	id := coretest.Submit(t, c, model.JobSpec{User: "u", Maps: 1})
	other := coretest.Submit(t, c, model.JobSpec{Queue: "other", User: "u", Maps: 1})
	in := func(id model.JobID) string {
		v := coretest.Job(t, c, id)
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

// The view of a queue has its capacity, the slots that it holds, its jobs and its users.
func TestViewOfQueues(t *testing.T) {
	c := queued(t, model.Node{MapSlots: 10, ReduceSlots: 4}, model.QueueConfig{Name: "a", Capacity: 60}, model.QueueConfig{Name: "a1", Parent: "a"}, model.QueueConfig{Name: "b", Max: 50})
	coretest.Submit(t, c, model.JobSpec{Queue: "a1", User: "u", Maps: 2, SlotsPerTask: 2})
	coretest.Submit(t, c, model.JobSpec{Queue: "a1", User: "u", Maps: 1})
	coretest.Submit(t, c, model.JobSpec{Queue: "a1", User: "v", Maps: 1})
	coretest.Submit(t, c, model.JobSpec{Queue: "b", User: "w", Maps: 3, Reduces: 2, SlowStart: -1})
	gone := coretest.Submit(t, c, model.JobSpec{Queue: "b", User: "x", Maps: 1})
	require.NoError(t, c.Kill(0, gone))
	for range 3 {
		require.NotEmpty(t, coretest.Beat(t, c, 0, 0))
	}
	views := c.View().Queues()
	for i := range views {
		views[i].Config = model.QueueConfig{}
	}
	a1, b := c.Order.(*Order).byName["a1"], c.Order.(*Order).byName["b"]
	require.Equal(t, 3, a1.Occupied[model.Map]+b.Occupied[model.Map]-1, "one task of two slots")
	require.Equal(t, []view.Queue{
		{Name: "a", Capacity: [2]int{6, 2}, Max: [2]int{model.NoLimit, model.NoLimit}, Occupied: a1.Occupied},
		{
			Name: "a1", Parent: "a", Leaf: true, Capacity: [2]int{6, 2}, Max: [2]int{model.NoLimit, model.NoLimit}, Occupied: a1.Occupied,
			Kinds: [2]view.Kind{{Running: a1.Occupied[model.Map] - 1, Demand: 4}, {}}, Jobs: 3, Users: 2,
		},
		{
			Name: "b", Leaf: true, Capacity: [2]int{4, 1}, Max: [2]int{5, 2}, Occupied: [2]int{b.Occupied[model.Map], 2},
			Kinds: [2]view.Kind{{Running: b.Occupied[model.Map], Demand: 3}, {Running: 2, Demand: 2}}, Jobs: 1, Users: 1,
		},
	}, views)
	require.Equal(t, [2]int{4, 2}, c.Order.(*Order).Top.Occupied)
}

// In a Core without nodes queues have no slots; their maxima are NoLimit nevertheless.
func TestQueuesBeforeTheFirstNode(t *testing.T) {
	c := capacityCore(t, nil)
	views := c.View().Queues()
	require.Len(t, views, 1)
	require.Equal(t, []any{"default", [2]int{}, [2]int{model.NoLimit, model.NoLimit}}, []any{views[0].Name, views[0].Capacity, views[0].Max})
}

// Each mistake in the configuration of a queue is rejected, and values at the limits are valid.
func TestBoundsOfQueues(t *testing.T) {
	a := model.QueueConfig{Name: "a", Capacity: 50, Max: 50, UserLimit: 1, UserFactor: 0, InitLimit: 0, JobLimit: 0}
	require.NoError(t, refused(a, model.QueueConfig{Name: "b", UserLimit: 100}))
	require.NoError(t, refused(model.QueueConfig{Name: "a", Capacity: 100}))
	require.NoError(t, refused(model.QueueConfig{Name: "a", Capacity: 60}, model.QueueConfig{Name: "b", Capacity: 40}))
	for name, spoil := range map[string]func(*model.QueueConfig){
		"no name":            func(q *model.QueueConfig) { q.Name = "" },
		"twice":              func(q *model.QueueConfig) { q.Name = "b" },
		"no parent":          func(q *model.QueueConfig) { q.Parent = "x" },
		"its own parent":     func(q *model.QueueConfig) { q.Parent = "a" },
		"negative":           func(q *model.QueueConfig) { q.Capacity = -1 },
		"above 100":          func(q *model.QueueConfig) { q.Capacity, q.Max = 101, 0 },
		"no number":          func(q *model.QueueConfig) { q.Capacity = math.NaN() },
		"above its maximum":  func(q *model.QueueConfig) { q.Capacity = 50.1 },
		"user limit":         func(q *model.QueueConfig) { q.UserLimit = -1 },
		"user limit above":   func(q *model.QueueConfig) { q.UserLimit = 101 },
		"user factor":        func(q *model.QueueConfig) { q.UserFactor = -1 },
		"infinite factor":    func(q *model.QueueConfig) { q.UserFactor = math.Inf(1) },
		"factor no number":   func(q *model.QueueConfig) { q.UserFactor = math.NaN() },
		"limit on init":      func(q *model.QueueConfig) { q.InitLimit = -1 },
		"limit on jobs":      func(q *model.QueueConfig) { q.JobLimit = -1 },
		"too much in common": func(q *model.QueueConfig) { q.Capacity, q.Max = 70.1, 0 },
	} {
		bad := a
		spoil(&bad)
		require.ErrorIs(t, refused(model.QueueConfig{Name: "b", Capacity: 30}, bad), model.ErrBadConfig, name)
	}
}

func TestQueueAtItsMaximumByRounding(t *testing.T) {
	a, b, c := model.QueueConfig{Name: "a", Capacity: 33.3}, model.QueueConfig{Name: "b", Capacity: 33.3}, model.QueueConfig{Name: "c", Max: 33.4}
	require.NoError(t, refused(a, b, c), "100 - 33.3 - 33.3 is a little more than 33.4 in floating point")
	a.Capacity, b.Capacity, c = 33.4, 33.4, model.QueueConfig{Name: "c", Capacity: 33.4}
	require.ErrorIs(t, refused(a, b, c), model.ErrBadConfig)
}

// Resume fails if the job's queue is full, and may be called once more when it is not.
func TestResumeIntoAFullQueue(t *testing.T) {
	c := capacityCore(t, []model.QueueConfig{{Name: "default", JobLimit: 1}})
	require.NoError(t, c.Restore(core.DurableState{Jobs: 2, Active: []core.DurableJob{{ID: 1, Spec: model.JobSpec{Queue: "gone"}}, {ID: 2}}}))
	_, err := c.Resume(0, 1, model.JobSpec{Maps: 1}, nil)
	require.NoError(t, err, "its queue is gone, the submission names one")
	_, err = c.Resume(0, 2, model.JobSpec{Maps: 1}, nil)
	require.ErrorIs(t, err, core.ErrQueueFull)
	require.EqualValues(t, 2, c.Indexes)
	require.NoError(t, c.Kill(0, 1))
	_, err = c.Resume(0, 2, model.JobSpec{Maps: 1}, nil)
	require.NoError(t, err)
	require.EqualValues(t, 2, c.Indexes, "refused jobs leave no index behind")
}
