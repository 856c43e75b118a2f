package engine

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// restart replaces the Core of w by a new one with the same policy. It restores the durable state,
// written as JSON and read, resumes the jobs with some of their outputs, and lets the nodes join.
func (w *world) restart() core.DurableState {
	t, old := w.t, w.c
	text, err := json.Marshal(old.View().DurableState())
	require.NoError(t, err)
	var f core.DurableState
	require.NoError(t, json.Unmarshal(text, &f))
	w.log.Reset()
	w.c, err = NewCore(w.cfg, old.Policy)
	require.NoError(t, err)
	require.NoError(t, w.c.Restore(f))
	require.Equal(t, f, w.c.View().DurableState(), "nothing is lost before the jobs go on")
	for _, n := range w.nodes {
		if rapid.IntRange(0, 5).Draw(t, "late") > 0 {
			w.join(n)
		}
	}
	for _, known := range f.Active {
		before := old.Job(known.ID)
		s := known.Spec
		s.Places = before.Spec.Places
		id, err := w.c.Resume(w.now, known.ID, s, w.kept(before))
		require.NoError(t, err)
		require.Equal(t, known.ID, id)
		checkInvariants(t, w.c)
	}
	for _, n := range w.nodes {
		w.join(n)
	}
	return f
}

// kept draws which done tasks of a job have an output that still exists.
func (w *world) kept(j *core.Job) (kept []int32) {
	k := model.Map
	if len(j.Work[model.Reduce].Tasks) > 0 {
		k = model.Reduce
	}
	for kind := range model.TaskKind(model.Kinds) {
		for i := range j.Work[kind].Tasks {
			f := w.facts(model.TaskID{Job: j.ID, Kind: kind, Index: int32(i)})
			if kind == k && f.done > 0 && rapid.IntRange(0, 3).Draw(w.t, "kept") > 0 {
				kept = append(kept, int32(i))
			} else {
				f.done, f.granted = 0, 0
			}
		}
	}
	return kept
}

// At any time, a Core may be replaced by one restored from its durable state. Every job then ends,
// no task whose output exists reruns, attempt numbers are unique, and the new calls replay.
func TestRestart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, drawPolicy(t))
		w.fixed = true
		for range rapid.IntRange(5, 40).Draw(t, "before") {
			w.step(4, 2)
		}
		before := w.c
		f := w.restart()
		for _, known := range f.Active {
			j := w.c.Job(known.ID)
			require.Equal(t, before.Job(known.ID).Group, j.Group)
			require.Equal(t, before.Job(known.ID).Spec.Priority, j.Spec.Priority)
			for k, list := range [model.Kinds][]core.DurableTask{known.Maps, known.Reduces} {
				for _, task := range list {
					if !j.State.Ended() {
						require.Equal(t, task.Tries, j.Work[k].Tasks[task.Index].Tries)
						require.Equal(t, task.Fails, j.Work[k].Tasks[task.Index].Fails)
					}
				}
			}
		}
		for range rapid.IntRange(0, 20).Draw(t, "after") {
			w.step(4, 0)
		}
		w.finish()
		fresh, err := NewCore(silently(w.cfg), w.c.Policy)
		require.NoError(t, err)
		require.NoError(t, fresh.Restore(f))
		require.NoError(t, ReplayFrom(fresh, &w.log))
	})
}

// Resume adds a job that the durable state does not have, with the output that exists. A job whose
// output is complete succeeds at once.
func TestResumeUnknown(t *testing.T) {
	c := coreOf(t, "hfs", nil)
	require.NoError(t, c.Restore(core.DurableState{Now: time.Minute, Jobs: 6, Nodes: []core.DurableNode{{Name: "a", Cordoned: true}}}))
	n, err := c.Join(time.Minute, model.Node{Name: "a", MapSlots: 8, ReduceSlots: 8})
	require.NoError(t, err)
	id, err := c.Resume(time.Minute, 0, model.JobSpec{Maps: 2, Reduces: 3}, []int32{0, 2})
	require.NoError(t, err)
	require.Equal(t, model.JobID(7), id)
	whole, err := c.Resume(time.Minute, 0, model.JobSpec{Maps: 2}, []int32{0, 1})
	require.NoError(t, err)
	require.Equal(t, model.JobSucceeded, c.View().State(whole))
	_, err = c.Resume(time.Minute, 3, model.JobSpec{Maps: 2}, nil)
	require.ErrorIs(t, err, core.ErrUnknownJob)
	got, err := c.Heartbeat(time.Minute, model.Heartbeat{Node: n})
	require.NoError(t, err)
	require.Empty(t, got.Actions, "the node is cordoned still")
	require.NoError(t, c.Cordon(time.Minute, n, false))
	got, err = c.Heartbeat(time.Minute, model.Heartbeat{Node: n})
	require.NoError(t, err)
	var launched []string
	for _, a := range got.Actions {
		launched = append(launched, a.Attempt.String())
	}
	slices.Sort(launched)
	require.Equal(t, []string{"job_0007_m_000000_0", "job_0007_m_000001_0", "job_0007_r_000001_0"}, launched)
}

// If the pool of a resumed job no longer exists, the job uses the pool of its new submission.
func TestResumeWithoutPool(t *testing.T) {
	c := coreOf(t, "hfs", func(_ *core.Config, p *model.Policy) {
		p.Pools.Known = true
		p.Pools.Pools = []model.PoolConfig{{Name: "new"}}
	})
	require.NoError(t, c.Restore(core.DurableState{Jobs: 1, Active: []core.DurableJob{{ID: 1, Spec: model.JobSpec{Maps: 1, Pool: "gone"}}}}))
	_, err := c.Resume(0, 1, model.JobSpec{Maps: 1, Pool: "gone"}, nil)
	require.ErrorIs(t, err, core.ErrUnknownPool)
	id, err := c.Resume(0, 1, model.JobSpec{Maps: 1, Pool: "new"}, nil)
	require.NoError(t, err)
	v := jobView(t, c, id)
	require.Equal(t, "new", v.Pool)
}

// Restore rejects an invalid durable state, and Resume rejects kept tasks that cannot exist.
func TestBadFacts(t *testing.T) {
	p := policyOf(t, "hfs", nil)
	fresh := func() *core.Core {
		c, err := NewCore(core.Config{}, p)
		require.NoError(t, err)
		return c
	}
	for _, f := range []core.DurableState{
		{Now: -1},
		{Jobs: -1},
		{Jobs: 1<<28 + 1},
		{Jobs: 1, Active: []core.DurableJob{{ID: 2}}},
		{Jobs: 1, Active: []core.DurableJob{{}}},
		{Jobs: 1, Active: []core.DurableJob{{ID: 1}, {ID: 1}}},
		{Nodes: []core.DurableNode{{Name: "a"}, {Name: "a"}}},
	} {
		require.ErrorIs(t, fresh().Restore(f), model.ErrBadConfig, "%+v", f)
	}
	used := fresh()
	used.NodeID("a")
	require.ErrorIs(t, used.Restore(core.DurableState{}), model.ErrBadConfig)
	for _, kept := range [][]int32{{-1}, {2}, {0, 0}, {1, 0}} {
		_, err := fresh().Resume(0, 0, model.JobSpec{Maps: 9, Reduces: 2}, kept)
		require.ErrorIs(t, err, core.ErrBadJob, kept)
	}
}

// DurableState has the jobs that have not ended, by ID, also those not resumed yet. It has their
// launched tasks and their present pool and priority, but not the places of their inputs.
func TestFactsOfJobs(t *testing.T) {
	c, n := newTestCore(t, "hfs", nil)
	require.NoError(t, c.Kill(0, submit(t, c, model.JobSpec{Maps: 1})))
	id := submit(t, c, model.JobSpec{Name: "j", Key: "k", User: "u", Maps: 3, Reduces: 2, SlowStart: -1, Places: on(3, n[0])})
	require.NoError(t, c.SetPriority(0, id, model.High))
	require.NoError(t, c.SetPool(0, id, "p"))
	got := beat(t, c, time.Second, n[0])
	require.Len(t, got, 2)
	beat(t, c, time.Second, n[0], model.Status{Attempt: got[0], State: model.StateFailed})
	require.NoError(t, c.Cordon(time.Second, n[1], true))
	spec := model.JobSpec{Name: "j", Key: "k", User: "u", Pool: "p", Priority: model.High, Maps: 3, Reduces: 2, SlowStart: -1}
	want := core.DurableState{
		Now: time.Second, Jobs: 2, Nodes: []core.DurableNode{{Name: "n1"}, {Name: "n2", Cordoned: true}, {Name: "n3"}, {Name: "n4"}},
		Active: []core.DurableJob{{ID: id, Spec: spec, Maps: []core.DurableTask{{Index: 0, Tries: 2, Fails: 1}}, Reduces: []core.DurableTask{{Index: 0, Tries: 1}}}},
	}
	require.Equal(t, want, c.View().DurableState())

	fresh, err := NewCore(core.Config{}, c.View().Policy())
	require.NoError(t, err)
	f := core.DurableState{Now: time.Minute, Jobs: 9}
	for _, id := range []model.JobID{2, 5, 8} {
		f.Active = append(f.Active, core.DurableJob{ID: id, Spec: model.JobSpec{Maps: 1}})
	}
	require.NoError(t, fresh.Restore(f))
	require.Equal(t, f, fresh.View().DurableState())
	submit(t, fresh, model.JobSpec{Maps: 1})
	_, err = fresh.Resume(time.Minute, 5, model.JobSpec{Maps: 1}, nil)
	require.NoError(t, err)
	var ids []model.JobID
	for _, j := range fresh.View().DurableState().Active {
		ids = append(ids, j.ID)
	}
	require.Equal(t, []model.JobID{2, 5, 8, 10}, ids)
	_, err = fresh.Resume(time.Minute, 5, model.JobSpec{Maps: 1}, nil)
	require.ErrorIs(t, err, core.ErrUnknownJob, "it goes on already")
}

// A resumed job keeps its time of submission, its pool and its counts. Tasks with output are done,
// and failures count. Tasks that the new submission does not have are dropped.
func TestResumedJobContinues(t *testing.T) {
	c := coreOf(t, "hfs", func(cfg *core.Config, _ *model.Policy) { cfg.MaxAttempts = 2 })
	known := core.DurableJob{
		ID: 3, Submitted: 7, Spec: model.JobSpec{Pool: "p", Priority: model.Low},
		Maps:    []core.DurableTask{{Index: -1, Tries: 4}, {Index: 0, Tries: 0, Fails: 1}, {Index: 1, Tries: 3, Fails: 1}, {Index: 2, Tries: 1}},
		Reduces: []core.DurableTask{{Index: 0, Tries: 2}, {Index: 1, Tries: 1}, {Index: 9, Tries: 5}},
	}
	require.NoError(t, c.Restore(core.DurableState{Now: time.Minute, Jobs: 3, Active: []core.DurableJob{known}}))
	id, err := c.Resume(time.Minute, 3, model.JobSpec{Pool: "q", User: "u", Maps: 2, Reduces: 2, SlowStart: 1}, []int32{0})
	require.NoError(t, err)
	v := jobView(t, c, id)
	require.Equal(t, []any{"p", model.Low, time.Duration(7)}, []any{v.Pool, v.Priority, v.Submitted})
	j := c.Job(id)
	require.Equal(t, []int32{1, 1}, []int32{j.Work[model.Map].Again, j.Work[model.Reduce].Again}, "one map was launched; one reduce, of those not done")
	require.Equal(t, []int{2, 1, 1}, []int{j.Work[model.Map].Waiting(), j.Work[model.Reduce].Waiting(), v.Kinds[model.Reduce].Done})
	require.Equal(t, [model.Kinds]int{2, 1}, c.Waiting)
	require.True(t, j.Work[model.Reduce].Open, "slow start was over")
	require.Equal(t, []int32{0, 3}, []int32{j.Work[model.Map].Tasks[0].Tries, j.Work[model.Map].Tasks[1].Tries})
	require.Equal(t, []uint8{1, 1}, []uint8{j.Work[model.Map].Tasks[0].Fails, j.Work[model.Map].Tasks[1].Fails})
	n, err := c.Join(time.Minute, model.Node{Name: "n", MapSlots: 2, ReduceSlots: 1})
	require.NoError(t, err)
	got := beat(t, c, time.Minute, n)
	require.Contains(t, got, model.AttemptID{Task: model.TaskID{Job: id, Kind: model.Map, Index: 1}, Try: 3})
	require.Contains(t, got, model.AttemptID{Task: model.TaskID{Job: id, Kind: model.Reduce, Index: 1}, Try: 1})
	checkInvariants(t, c)
	beat(t, c, time.Minute, n, model.Status{Attempt: model.AttemptID{Task: model.TaskID{Job: id, Kind: model.Map, Index: 1}, Try: 3}, State: model.StateFailed})
	require.Equal(t, model.JobFailed, c.View().State(id), "the second failure")

	id, err = c.Resume(time.Minute, 0, model.JobSpec{Maps: 2, Reduces: 2, SlowStart: 1}, nil)
	require.NoError(t, err)
	require.Equal(t, model.JobID(4), id)
	require.False(t, c.Job(id).Work[model.Reduce].Open)
	id, err = c.Resume(time.Minute, 0, model.JobSpec{Maps: 2}, []int32{1})
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, []int{jobView(t, c, id).Kinds[model.Map].Done, c.Job(id).Work[model.Map].Waiting()})
	require.Equal(t, time.Minute, jobView(t, c, id).Submitted)
	checkInvariants(t, c)
}
