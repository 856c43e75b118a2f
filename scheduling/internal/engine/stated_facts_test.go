package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Facts tell of the jobs that have not ended, by ID, those awaited included, and of each the tasks
// that were launched, the place it has now, and nothing of where its inputs lie.
func TestFactsOfJobs(t *testing.T) {
	c, n := newTestCore(t, "hfs", nil)
	require.NoError(t, c.Kill(0, submit(t, c, core.JobSpec{Maps: 1})))
	id := submit(t, c, core.JobSpec{Name: "j", Key: "k", User: "u", Maps: 3, Reduces: 2, SlowStart: -1, Places: on(3, n[0])})
	require.NoError(t, c.SetPriority(0, id, core.High))
	require.NoError(t, c.SetPool(0, id, "p"))
	got := beat(t, c, time.Second, n[0])
	require.Len(t, got, 2)
	beat(t, c, time.Second, n[0], core.Status{Attempt: got[0], State: core.StateFailed})
	require.NoError(t, c.Cordon(time.Second, n[1], true))
	spec := core.JobSpec{Name: "j", Key: "k", User: "u", Pool: "p", Priority: core.High, Maps: 3, Reduces: 2, SlowStart: -1}
	want := core.Facts{
		Now: time.Second, Jobs: 2, Nodes: []core.NodeFacts{{Name: "n1"}, {Name: "n2", Cordoned: true}, {Name: "n3"}, {Name: "n4"}},
		Active: []core.JobFacts{{ID: id, Spec: spec, Maps: []core.TaskFacts{{Index: 0, Tries: 2, Fails: 1}}, Reduces: []core.TaskFacts{{Index: 0, Tries: 1}}}},
	}
	require.Equal(t, want, c.View().Facts())

	fresh, err := NewCore(core.Config{}, c.View().Policy())
	require.NoError(t, err)
	f := core.Facts{Now: time.Minute, Jobs: 9}
	for _, id := range []core.JobID{2, 5, 8} {
		f.Active = append(f.Active, core.JobFacts{ID: id, Spec: core.JobSpec{Maps: 1}})
	}
	require.NoError(t, fresh.Restore(f))
	require.Equal(t, f, fresh.View().Facts())
	submit(t, fresh, core.JobSpec{Maps: 1})
	_, err = fresh.Resume(time.Minute, 5, core.JobSpec{Maps: 1}, nil)
	require.NoError(t, err)
	var ids []core.JobID
	for _, j := range fresh.View().Facts().Active {
		ids = append(ids, j.ID)
	}
	require.Equal(t, []core.JobID{2, 5, 8, 10}, ids)
	_, err = fresh.Resume(time.Minute, 5, core.JobSpec{Maps: 1}, nil)
	require.ErrorIs(t, err, core.ErrUnknownJob, "it goes on already")
}

// A job that goes on has its former time, place and counts: tasks that were launched once are known
// as such, failures count, those that are there are done; of tasks that there are no more nothing is
// kept.
func TestResumedJobGoesOn(t *testing.T) {
	p, err := Preset("hfs")
	require.NoError(t, err)
	c, err := NewCore(core.Config{MaxAttempts: 2}, p)
	require.NoError(t, err)
	known := core.JobFacts{
		ID: 3, Submitted: 7, Spec: core.JobSpec{Pool: "p", Priority: core.Low},
		Maps:    []core.TaskFacts{{Index: -1, Tries: 4}, {Index: 0, Tries: 0, Fails: 1}, {Index: 1, Tries: 3, Fails: 1}, {Index: 2, Tries: 1}},
		Reduces: []core.TaskFacts{{Index: 0, Tries: 2}, {Index: 1, Tries: 1}, {Index: 9, Tries: 5}},
	}
	require.NoError(t, c.Restore(core.Facts{Now: time.Minute, Jobs: 3, Active: []core.JobFacts{known}}))
	id, err := c.Resume(time.Minute, 3, core.JobSpec{Pool: "q", User: "u", Maps: 2, Reduces: 2, SlowStart: 1}, []int32{0})
	require.NoError(t, err)
	v := view(t, c, id)
	require.Equal(t, []any{"p", core.Low, time.Duration(7)}, []any{v.Pool, v.Priority, v.Submitted})
	j := c.Job(id)
	require.Equal(t, []int32{1, 1}, []int32{j.Work[core.Map].Again, j.Work[core.Reduce].Again}, "one map was launched; one reduce, of those not done")
	require.Equal(t, []int{2, 1, 1}, []int{j.Work[core.Map].Waiting(), j.Work[core.Reduce].Waiting(), v.Kinds[core.Reduce].Done})
	require.Equal(t, [core.Kinds]int{2, 1}, c.Waiting)
	require.True(t, j.Work[core.Reduce].Open, "slow start was over")
	require.Equal(t, []int32{0, 3}, []int32{j.Work[core.Map].Tasks[0].Tries, j.Work[core.Map].Tasks[1].Tries})
	require.Equal(t, []uint8{1, 1}, []uint8{j.Work[core.Map].Tasks[0].Fails, j.Work[core.Map].Tasks[1].Fails})
	n, err := c.Join(time.Minute, core.Node{Name: "n", MapSlots: 2, ReduceSlots: 1})
	require.NoError(t, err)
	got := beat(t, c, time.Minute, n)
	require.Contains(t, got, core.AttemptID{Task: core.TaskID{Job: id, Kind: core.Map, Index: 1}, Try: 3})
	require.Contains(t, got, core.AttemptID{Task: core.TaskID{Job: id, Kind: core.Reduce, Index: 1}, Try: 1})
	checkInvariants(t, c)
	beat(t, c, time.Minute, n, core.Status{Attempt: core.AttemptID{Task: core.TaskID{Job: id, Kind: core.Map, Index: 1}, Try: 3}, State: core.StateFailed})
	require.Equal(t, core.JobFailed, c.View().State(id), "the second failure")

	id, err = c.Resume(time.Minute, 0, core.JobSpec{Maps: 2, Reduces: 2, SlowStart: 1}, nil)
	require.NoError(t, err)
	require.Equal(t, core.JobID(4), id)
	require.False(t, c.Job(id).Work[core.Reduce].Open)
	id, err = c.Resume(time.Minute, 0, core.JobSpec{Maps: 2}, []int32{1})
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, []int{view(t, c, id).Kinds[core.Map].Done, c.Job(id).Work[core.Map].Waiting()})
	require.Equal(t, time.Minute, view(t, c, id).Submitted)
	checkInvariants(t, c)
}

// A queue that refuses is an error of the resumed job, too; what is refused can be tried again.
func TestResumeIntoAFullQueue(t *testing.T) {
	p, err := Preset("capacity")
	require.NoError(t, err)
	p.Queues = []core.QueueConfig{{Name: "default", JobLimit: 1}}
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	require.NoError(t, c.Restore(core.Facts{Jobs: 2, Active: []core.JobFacts{{ID: 1, Spec: core.JobSpec{Queue: "gone"}}, {ID: 2}}}))
	_, err = c.Resume(0, 1, core.JobSpec{Maps: 1}, nil)
	require.NoError(t, err, "its queue is gone, the submission names one")
	_, err = c.Resume(0, 2, core.JobSpec{Maps: 1}, nil)
	require.ErrorIs(t, err, core.ErrQueueFull)
	require.Len(t, c.ByIndex, 2)
	require.NoError(t, c.Kill(0, 1))
	_, err = c.Resume(0, 2, core.JobSpec{Maps: 1}, nil)
	require.NoError(t, err)
	require.Len(t, c.ByIndex, 2, "refused jobs leave no index behind")
}

// What jobs hold against a node, and its faults, are gone when it begins anew.
func TestNodeThatBeginsAnew(t *testing.T) {
	c := tenNodes(t, core.Config{MaxAttempts: 200}, core.Avoidance{Jobs: 1})
	faultyJob(t, c, 3)
	require.Equal(t, []any{1, 1, true}, []any{c.Faulty, c.Nodes[3].Faults, c.Nodes[3].Barred.Has(core.BarFaults)})
	called, _ := c.Due()
	require.NotContains(t, called, core.NodeID(3), "nothing waits for it")
	submit(t, c, core.JobSpec{Maps: 50})
	failOn(t, c, 5, 4)
	failOn(t, c, 6, 1)
	j := c.Job(2)
	require.Equal(t, 1, j.Trouble.Avoided())
	for _, name := range []string{"n3", "n5", "n6", "n7"} {
		_, err := c.Join(0, core.Node{Name: name, MapSlots: 2, Incarnation: 1})
		require.NoError(t, err)
	}
	require.Equal(t, []int{0, 0, 0}, []int{c.Faulty, c.Nodes[3].Faults, j.Trouble.Avoided()})
	require.Empty(t, j.Trouble.Failures)
	checkInvariants(t, c)
	for _, at := range []core.NodeID{3, 5, 6} {
		got, err := c.Heartbeat(0, core.Heartbeat{Node: at, Incarnation: 1})
		require.NoError(t, err)
		require.Len(t, got.Actions, 2)
	}
}

// A node has too many faults if they are half as many again as the mean, and more.
func TestFaultsAboveTheMean(t *testing.T) {
	for others, want := range map[int]bool{16: true, 17: false} {
		c := tenNodes(t, core.Config{}, core.Avoidance{Jobs: 3})
		c.Nodes[0].Faults, c.Nodes[1].Faults = 3, others
		require.Equal(t, want, c.TooFaulty(c.Nodes[0]), "3 and a mean of %v", float64(3+others)/10)
		c.Nodes[0].Faults = 2
		require.False(t, c.TooFaulty(c.Nodes[0]))
	}
	c := tenNodes(t, core.Config{}, core.Avoidance{Jobs: 1})
	c.Nodes[0].Faults = 9
	for i := 1; i <= 5; i++ {
		require.True(t, c.TooFaulty(c.Nodes[0]), "%d avoided", i-1)
		c.Nodes[i].Bar(core.BarFaults, true)
	}
	require.False(t, c.TooFaulty(c.Nodes[0]), "half of them are")
	c.Nodes[5].Live = false
	require.True(t, c.TooFaulty(c.Nodes[0]))
}

// The reports of reduces that are suspended are waited for, too; a report of no map is none.
func TestReportsOfSuspendedReduces(t *testing.T) {
	c, n, r := shuffling(t, 1)
	c.Job(1).Work[core.Reduce].Suspended = 1
	require.Empty(t, beat(t, c, 3, n, unreachable(r[0], 0)), "one of two is not most")
	c.Job(1).Work[core.Reduce].Suspended = 0
	for _, no := range []int32{-1, 2} {
		require.Empty(t, beat(t, c, 3, n, core.Status{Attempt: r[0], Lost: []core.LostOutput{{Map: no}}}))
	}
	require.Len(t, beat(t, c, 3, n, unreachable(r[0], 0)), 1)
}

// Suspended attempts that a node has become too small for are killed, and so are those that no new
// policy would resume.
func TestSuspendedAttemptsThatCannotGoOn(t *testing.T) {
	suspended := func() (*core.Core, core.NodeID, core.AttemptID) {
		c, since := told(t, "hfsp", func(_ *core.Config, p *core.Policy) { p.HFSP = core.HFSPPolicy{NoTraining: true} })
		_ = since
		n, err := c.Join(0, core.Node{Name: "n", ReduceSlots: 2})
		require.NoError(t, err)
		submit(t, c, core.JobSpec{Reduces: 2, ReduceTime: time.Hour})
		large := beat(t, c, 0, n)
		submit(t, c, core.JobSpec{Reduces: 1, ReduceTime: time.Minute})
		require.Len(t, beat(t, c, 0, n), 1)
		v, ok := c.View().Attempt(large[0])
		require.True(t, ok)
		require.True(t, v.Suspended)
		return c, n, large[0]
	}
	for slots, lives := range map[int]bool{2: true, 1: true, 0: false} {
		c, _, id := suspended()
		_, err := c.Join(0, core.Node{Name: "n", ReduceSlots: slots})
		require.NoError(t, err)
		_, ok := c.View().Attempt(id)
		require.Equal(t, lives, ok, "%d slots", slots)
		require.Len(t, c.View().Attempts(core.TaskID{Job: 2, Kind: core.Reduce, Index: 0}), 1, "what runs goes on")
	}
	for preset, lives := range map[string]bool{"hfsp": true, "srpt": true, "fair": false, "hfs": false} {
		c, n, id := suspended()
		p, err := Preset(preset)
		require.NoError(t, err)
		require.NoError(t, c.Reconfigure(0, p))
		_, ok := c.View().Attempt(id)
		require.Equal(t, lives, ok, preset)
		require.Equal(t, map[bool]int{true: 1, false: 0}[lives], c.Suspend)
		got, err := c.Heartbeat(0, core.Heartbeat{Node: n, NoWork: true})
		require.NoError(t, err)
		require.Equal(t, !lives, len(got.Actions) == 1, "the node is told")
		checkInvariants(t, c)
	}
	c, _, _ := suspended()
	require.NoError(t, c.Kill(0, 1))
	require.Zero(t, c.Suspend)
	require.Zero(t, view(t, c, 1).Kinds[core.Reduce].Suspended)
}
