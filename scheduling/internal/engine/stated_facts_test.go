package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Facts tell of the jobs that have not ended, by ID, those awaited included, and of each the tasks
// that were launched, the place it has now, and nothing of where its inputs lie.
func TestFactsOfJobs(t *testing.T) {
	c, n := newTestCore(t, "hfs", nil)
	require.NoError(t, c.Kill(0, submit(t, c, JobSpec{Maps: 1})))
	id := submit(t, c, JobSpec{Name: "j", Key: "k", User: "u", Maps: 3, Reduces: 2, SlowStart: -1, Places: on(3, n[0])})
	require.NoError(t, c.SetPriority(0, id, High))
	require.NoError(t, c.SetPool(0, id, "p"))
	got := beat(t, c, time.Second, n[0])
	require.Len(t, got, 2)
	beat(t, c, time.Second, n[0], Status{Attempt: got[0], State: StateFailed})
	require.NoError(t, c.Cordon(time.Second, n[1], true))
	spec := JobSpec{Name: "j", Key: "k", User: "u", Pool: "p", Priority: High, Maps: 3, Reduces: 2, SlowStart: -1}
	want := Facts{
		Now: time.Second, Jobs: 2, Nodes: []NodeFacts{{Name: "n1"}, {Name: "n2", Cordoned: true}, {Name: "n3"}, {Name: "n4"}},
		Active: []JobFacts{{ID: id, Spec: spec, Maps: []TaskFacts{{Index: 0, Tries: 2, Fails: 1}}, Reduces: []TaskFacts{{Index: 0, Tries: 1}}}},
	}
	require.Equal(t, want, c.View().Facts())

	fresh, err := NewCore(Config{}, c.View().Policy())
	require.NoError(t, err)
	f := Facts{Now: time.Minute, Jobs: 9}
	for _, id := range []JobID{2, 5, 8} {
		f.Active = append(f.Active, JobFacts{ID: id, Spec: JobSpec{Maps: 1}})
	}
	require.NoError(t, fresh.Restore(f))
	require.Equal(t, f, fresh.View().Facts())
	submit(t, fresh, JobSpec{Maps: 1})
	_, err = fresh.Resume(time.Minute, 5, JobSpec{Maps: 1}, nil)
	require.NoError(t, err)
	var ids []JobID
	for _, j := range fresh.View().Facts().Active {
		ids = append(ids, j.ID)
	}
	require.Equal(t, []JobID{2, 5, 8, 10}, ids)
	_, err = fresh.Resume(time.Minute, 5, JobSpec{Maps: 1}, nil)
	require.ErrorIs(t, err, ErrUnknownJob, "it goes on already")
}

// A job that goes on has its former time, place and counts: tasks that were launched once are known
// as such, failures count, those that are there are done; of tasks that there are no more nothing is
// kept.
func TestResumedJobGoesOn(t *testing.T) {
	p, err := Preset("hfs")
	require.NoError(t, err)
	c, err := NewCore(Config{MaxAttempts: 2}, p)
	require.NoError(t, err)
	known := JobFacts{
		ID: 3, Submitted: 7, Spec: JobSpec{Pool: "p", Priority: Low},
		Maps:    []TaskFacts{{Index: -1, Tries: 4}, {Index: 0, Tries: 0, Fails: 1}, {Index: 1, Tries: 3, Fails: 1}, {Index: 2, Tries: 1}},
		Reduces: []TaskFacts{{Index: 0, Tries: 2}, {Index: 1, Tries: 1}, {Index: 9, Tries: 5}},
	}
	require.NoError(t, c.Restore(Facts{Now: time.Minute, Jobs: 3, Active: []JobFacts{known}}))
	id, err := c.Resume(time.Minute, 3, JobSpec{Pool: "q", User: "u", Maps: 2, Reduces: 2, SlowStart: 1}, []int32{0})
	require.NoError(t, err)
	v := view(t, c, id)
	require.Equal(t, []any{"p", Low, time.Duration(7)}, []any{v.Pool, v.Priority, v.Submitted})
	j := c.job(id)
	require.Equal(t, []int32{1, 1}, []int32{j.w[Map].again, j.w[Reduce].again}, "one map was launched; one reduce, of those not done")
	require.Equal(t, []int{2, 1, 1}, []int{j.w[Map].waiting(), j.w[Reduce].waiting(), v.Kinds[Reduce].Done})
	require.Equal(t, [kinds]int{2, 1}, c.waiting)
	require.True(t, j.w[Reduce].open, "slow start was over")
	require.Equal(t, []int32{0, 3}, []int32{j.w[Map].tasks[0].tries, j.w[Map].tasks[1].tries})
	require.Equal(t, []uint8{1, 1}, []uint8{j.w[Map].tasks[0].fails, j.w[Map].tasks[1].fails})
	n, err := c.Join(time.Minute, Node{Name: "n", MapSlots: 2, ReduceSlots: 1})
	require.NoError(t, err)
	got := beat(t, c, time.Minute, n)
	require.Contains(t, got, AttemptID{TaskID{id, Map, 1}, 3})
	require.Contains(t, got, AttemptID{TaskID{id, Reduce, 1}, 1})
	checkInvariants(t, c)
	beat(t, c, time.Minute, n, Status{Attempt: AttemptID{TaskID{id, Map, 1}, 3}, State: StateFailed})
	require.Equal(t, JobFailed, c.View().State(id), "the second failure")

	id, err = c.Resume(time.Minute, 0, JobSpec{Maps: 2, Reduces: 2, SlowStart: 1}, nil)
	require.NoError(t, err)
	require.Equal(t, JobID(4), id)
	require.False(t, c.job(id).w[Reduce].open)
	id, err = c.Resume(time.Minute, 0, JobSpec{Maps: 2}, []int32{1})
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, []int{view(t, c, id).Kinds[Map].Done, c.job(id).w[Map].waiting()})
	require.Equal(t, time.Minute, view(t, c, id).Submitted)
	checkInvariants(t, c)
}

// A queue that refuses is an error of the resumed job, too; what is refused can be tried again.
func TestResumeIntoAFullQueue(t *testing.T) {
	p, err := Preset("capacity")
	require.NoError(t, err)
	p.Queues = []QueueConfig{{Name: "default", JobLimit: 1}}
	c, err := NewCore(Config{}, p)
	require.NoError(t, err)
	require.NoError(t, c.Restore(Facts{Jobs: 2, Active: []JobFacts{{ID: 1, Spec: JobSpec{Queue: "gone"}}, {ID: 2}}}))
	_, err = c.Resume(0, 1, JobSpec{Maps: 1}, nil)
	require.NoError(t, err, "its queue is gone, the submission names one")
	_, err = c.Resume(0, 2, JobSpec{Maps: 1}, nil)
	require.ErrorIs(t, err, ErrQueueFull)
	require.Len(t, c.byIndex, 2)
	require.NoError(t, c.Kill(0, 1))
	_, err = c.Resume(0, 2, JobSpec{Maps: 1}, nil)
	require.NoError(t, err)
	require.Len(t, c.byIndex, 2, "refused jobs leave no index behind")
}

// What jobs hold against a node, and its faults, are gone when it begins anew.
func TestNodeThatBeginsAnew(t *testing.T) {
	c := tenNodes(t, Config{MaxAttempts: 200}, Avoidance{Jobs: 1})
	faultyJob(t, c, 3)
	require.Equal(t, []any{1, 1, true}, []any{c.faulty, c.nodes[3].faults, c.nodes[3].barred.has(barFaults)})
	called, _ := c.Due()
	require.NotContains(t, called, NodeID(3), "nothing waits for it")
	submit(t, c, JobSpec{Maps: 50})
	failOn(t, c, 5, 4)
	failOn(t, c, 6, 1)
	j := c.job(2)
	require.Equal(t, 1, j.trouble.avoided())
	for _, name := range []string{"n3", "n5", "n6", "n7"} {
		_, err := c.Join(0, Node{Name: name, MapSlots: 2, Incarnation: 1})
		require.NoError(t, err)
	}
	require.Equal(t, []int{0, 0, 0}, []int{c.faulty, c.nodes[3].faults, j.trouble.avoided()})
	require.Empty(t, j.trouble.failures)
	checkInvariants(t, c)
	for _, at := range []NodeID{3, 5, 6} {
		got, err := c.Heartbeat(0, Heartbeat{Node: at, Incarnation: 1})
		require.NoError(t, err)
		require.Len(t, got.Actions, 2)
	}
}

// A node has too many faults if they are half as many again as the mean, and more.
func TestFaultsAboveTheMean(t *testing.T) {
	for others, want := range map[int]bool{16: true, 17: false} {
		c := tenNodes(t, Config{}, Avoidance{Jobs: 3})
		c.nodes[0].faults, c.nodes[1].faults = 3, others
		require.Equal(t, want, c.tooFaulty(c.nodes[0]), "3 and a mean of %v", float64(3+others)/10)
		c.nodes[0].faults = 2
		require.False(t, c.tooFaulty(c.nodes[0]))
	}
	c := tenNodes(t, Config{}, Avoidance{Jobs: 1})
	c.nodes[0].faults = 9
	for i := 1; i <= 5; i++ {
		require.True(t, c.tooFaulty(c.nodes[0]), "%d avoided", i-1)
		c.nodes[i].bar(barFaults, true)
	}
	require.False(t, c.tooFaulty(c.nodes[0]), "half of them are")
	c.nodes[5].live = false
	require.True(t, c.tooFaulty(c.nodes[0]))
}

// The reports of reduces that are suspended are waited for, too; a report of no map is none.
func TestReportsOfSuspendedReduces(t *testing.T) {
	c, n, r := shuffling(t, 1)
	c.job(1).w[Reduce].suspended = 1
	require.Empty(t, beat(t, c, 3, n, unreachable(r[0], 0)), "one of two is not most")
	c.job(1).w[Reduce].suspended = 0
	for _, no := range []int32{-1, 2} {
		require.Empty(t, beat(t, c, 3, n, Status{Attempt: r[0], Lost: []LostOutput{{Map: no}}}))
	}
	require.Len(t, beat(t, c, 3, n, unreachable(r[0], 0)), 1)
}

// Suspended attempts that a node has become too small for are killed, and so are those that no new
// policy would resume.
func TestSuspendedAttemptsThatCannotGoOn(t *testing.T) {
	suspended := func() (*Core, NodeID, AttemptID) {
		c, since := told(t, "hfsp", func(_ *Config, p *Policy) { p.HFSP = HFSPPolicy{NoTraining: true} })
		_ = since
		n, err := c.Join(0, Node{Name: "n", ReduceSlots: 2})
		require.NoError(t, err)
		submit(t, c, JobSpec{Reduces: 2, ReduceTime: time.Hour})
		large := beat(t, c, 0, n)
		submit(t, c, JobSpec{Reduces: 1, ReduceTime: time.Minute})
		require.Len(t, beat(t, c, 0, n), 1)
		v, ok := c.View().Attempt(large[0])
		require.True(t, ok)
		require.True(t, v.Suspended)
		return c, n, large[0]
	}
	for slots, lives := range map[int]bool{2: true, 1: true, 0: false} {
		c, _, id := suspended()
		_, err := c.Join(0, Node{Name: "n", ReduceSlots: slots})
		require.NoError(t, err)
		_, ok := c.View().Attempt(id)
		require.Equal(t, lives, ok, "%d slots", slots)
		require.Len(t, c.View().Attempts(TaskID{2, Reduce, 0}), 1, "what runs goes on")
	}
	for preset, lives := range map[string]bool{"hfsp": true, "srpt": true, "fair": false, "hfs": false} {
		c, n, id := suspended()
		p, err := Preset(preset)
		require.NoError(t, err)
		require.NoError(t, c.Reconfigure(0, p))
		_, ok := c.View().Attempt(id)
		require.Equal(t, lives, ok, preset)
		require.Equal(t, map[bool]int{true: 1, false: 0}[lives], c.suspend)
		got, err := c.Heartbeat(0, Heartbeat{Node: n, NoWork: true})
		require.NoError(t, err)
		require.Equal(t, !lives, len(got.Actions) == 1, "the node is told")
		checkInvariants(t, c)
	}
	c, _, _ := suspended()
	require.NoError(t, c.Kill(0, 1))
	require.Zero(t, c.suspend)
	require.Zero(t, view(t, c, 1).Kinds[Reduce].Suspended)
}
