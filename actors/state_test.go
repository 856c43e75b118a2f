package actors

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// A State records a job only if the job has a key. A cluster without a State ignores keys.
func TestOnlyJobsWithAKeyAreRecorded(t *testing.T) {
	ctx := t.Context()
	var h *JobHandle
	run := func(c *Cluster, key string) {
		var err error
		h, err = c.Submit(ctx, wordCount(t, "a b\n", 1), SubmitOptions{Key: key})
		require.NoError(t, err)
		r, err := h.Wait(ctx)
		require.NoError(t, err)
		require.Equal(t, "succeeded", r.State.String())
	}
	run(start(t, Config{}), "a key")

	saved, err := state.Open(t.TempDir(), scheduling.Parts{})
	require.NoError(t, err)
	c := start(t, Config{State: saved})
	run(c, "")
	run(c, "")
	require.False(t, saved.Cut("", h.run.splits, c.env.cfg.Logger), "its splits are recorded")
	_, yes := saved.Succeeded("")
	require.False(t, yes)
	run(c, "a key")
	_, yes = saved.Succeeded("a key")
	require.True(t, yes)
}

// The next cluster on a State awaits an unfinished job only if the job had a key.
func TestJobsWithoutAKeyAreNotAwaited(t *testing.T) {
	for key, awaited := range map[string]int{"": 0, "a key": 1} {
		dir := t.TempDir()
		saved, err := state.Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		c, err := Start(Config{State: saved})
		require.NoError(t, err)
		begun := make(chan struct{})
		begin := sync.OnceFunc(func() { close(begun) })
		p, err := mapreduce.MapOnly[int, int]{MapTask: func(task *mapreduce.Task) (mapreduce.Filter[int, int], error) {
			return mapreduce.Filter[int, int]{Map: func(_ int, _ func(int)) error {
				begin()
				<-task.Context().Done()
				return task.Context().Err()
			}}, nil
		}}.Bind(mapreduce.Slice([]int{1}), new(mapreduce.Collected[int]).Output())
		require.NoError(t, err)
		_, err = c.Submit(t.Context(), p, SubmitOptions{Key: key})
		require.NoError(t, err)
		<-begun
		require.NoError(t, c.Close())
		require.NoError(t, saved.Close())
		saved, err = state.Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		durable, err := saved.Former()
		require.NoError(t, err)
		require.Len(t, durable.Active, awaited)
		require.Equal(t, awaited > 0, saved.Awaited(key) > 0)
		require.NoError(t, saved.Close())
	}
}

// without removes a resubmitted job from the list of awaited jobs, in any order of calls.
func TestWithout(t *testing.T) {
	var list []scheduling.DurableJob
	for id := range scheduling.JobID(5) {
		list = append(list, scheduling.DurableJob{ID: id + 1})
	}
	for _, c := range []struct{ gone, left []scheduling.JobID }{
		{gone: []scheduling.JobID{2}, left: []scheduling.JobID{1, 3, 4, 5}},
		{gone: []scheduling.JobID{1, 5, 9}, left: []scheduling.JobID{3, 4}},
		{gone: []scheduling.JobID{4, 3}},
	} {
		for _, id := range c.gone {
			list = without(list, id)
		}
		var left []scheduling.JobID
		for _, f := range list {
			left = append(left, f.ID)
		}
		require.Equal(t, c.left, left)
	}
}

// callOf names a message to the scheduler: a repeated message alike, different ones differently.
func TestCallsAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range []any{
		&heartbeat{beat: scheduling.Heartbeat{Node: 1}}, &heartbeat{beat: scheduling.Heartbeat{Node: 2}},
		&join{spec: scheduling.Node{Name: "a"}}, &join{spec: scheduling.Node{Name: "b"}}, &leave{node: 1}, &leave{node: 2},
		&commitRequest{attempt: scheduling.AttemptID{Try: 1}}, &commitRequest{attempt: scheduling.AttemptID{Try: 2}},
		&updateTick{}, &submit{},
	} {
		require.False(t, seen[callOf(m)], callOf(m))
		seen[callOf(m)] = true
	}
	require.Equal(t, callOf(&heartbeat{beat: scheduling.Heartbeat{Node: 1}}),
		callOf(&heartbeat{beat: scheduling.Heartbeat{Node: 1, Seq: 7}}))
}
