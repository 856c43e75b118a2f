package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// The Core panics if a policy launches a task that is not pending, or on a node without free slots.
func TestBadLaunchesPanic(t *testing.T) {
	c, n := newTestCore(t, "fifo", func(_ *core.Config, p *model.Policy) { p.Spread = false })
	j := c.Job(submit(t, c, model.JobSpec{Maps: 3}))
	got := beat(t, c, 0, n[0])
	require.Len(t, got, 1) // without places, a heartbeat launches one map
	i := got[0].Task.Index
	start := func(i int32, at model.NodeID, why model.Cause) func() {
		return func() { c.Launch(j, model.Map, i, c.Nodes[at], model.AnyPlace, model.Reason{Cause: why}, nil) }
	}
	pending := "scheduling: fifo launches a task that is not pending"
	require.PanicsWithValue(t, pending, start(i, n[1], model.CauseLocal), "it runs")
	start(i, n[0], model.CauseSlowTask)()
	require.PanicsWithValue(t, "scheduling: fifo launches on a full node", start(2, n[0], model.CauseLocal))
	report(t, c, 0, n[0], model.Status{Attempt: got[0], State: model.StateSucceeded})
	require.PanicsWithValue(t, pending, start(i, n[1], model.CauseSlowTask), "it is done")
}

// A speculative attempt at index 0 of Core.Attempts may commit like any other, and continues when
// the first attempt of its task fails.
func TestCopyInTheFirstPlace(t *testing.T) {
	s := newSlowJob(t, "fair", nil, model.JobSpec{})
	first := s.c.Attempts[0].ID.Task.Index
	slow := int(first+2) % 7
	s.end(minuteAndMore, int(first), model.StateSucceeded)
	s.progress(minuteAndMore, map[int]float64{slow: 0.03})
	got := append(beat(t, s.c, minuteAndMore, s.nodes[3]), beat(t, s.c, minuteAndMore, s.at[first])...)
	require.Equal(t, []model.AttemptID{s.copyOf(slow)}, got)
	require.Equal(t, s.copyOf(slow), s.c.Attempts[0].ID)
	require.True(t, s.c.MayCommit(s.copyOf(slow)))
	require.False(t, s.c.MayCommit(s.attempts[slow]), "the copy may")
	require.Equal(t, []model.AttemptID{s.attempts[slow], s.copyOf(slow)}, ids(s.c.View().Attempts(got[0].Task)))
	s.end(minuteAndMore, slow, model.StateFailed)
	require.Equal(t, []model.AttemptID{s.copyOf(slow)}, ids(s.c.View().Attempts(got[0].Task)))
	require.Equal(t, 1, jobView(t, s.c, s.id).Kinds[model.Map].Failed)
	v, ok := s.c.View().Attempt(s.copyOf(slow))
	require.True(t, ok)
	report(t, s.c, minuteAndMore, v.Node, model.Status{Attempt: v.ID, State: model.StateSucceeded})
	node, try, ok := s.c.View().Output(v.ID.Task)
	require.Equal(t, []any{v.Node, int32(1), true}, []any{node, try, ok})
	_, _, ok = s.c.View().Output(model.TaskID{Job: s.id, Kind: model.Map, Index: int32(slow+1) % 7})
	require.False(t, ok, "it is not done")
	for _, unknown := range []model.TaskID{{}, {Job: 9}, {Job: s.id, Kind: 2}, {Job: s.id, Index: -1}, {Job: s.id, Index: 7}} {
		node, _, ok = s.c.View().Output(unknown)
		require.Equal(t, []any{model.NoNode, false}, []any{node, ok})
		_, ok = s.c.View().Live(unknown)
		require.False(t, ok)
		require.Empty(t, s.c.View().Attempts(unknown))
	}
	_, ok = s.c.View().Live(v.ID.Task)
	require.False(t, ok, "it is done")
}

func ids(list []view.Attempt) (ids []model.AttemptID) {
	for _, v := range list {
		ids = append(ids, v.ID)
	}
	return ids
}

// A job may name a node as place before that joins; its maps are rack-local once it has joined.
func TestPlaceThatJoinsLater(t *testing.T) {
	c, n := newTestCore(t, "fair", nil)
	late := c.NodeID("late")
	submit(t, c, model.JobSpec{Maps: 9, Places: on(9, late)})
	localities := func(at model.NodeID) (list []model.Locality) {
		got, err := c.Heartbeat(0, model.Heartbeat{Node: at})
		require.NoError(t, err)
		for _, a := range got.Actions {
			list = append(list, a.Locality)
		}
		return list
	}
	require.Equal(t, []model.Locality{model.OffRack, model.OffRack}, localities(n[0]))
	topo := c.Topo
	join(t, c, model.Node{Name: "late", Rack: "r2", MapSlots: 1})
	require.Greater(t, c.Topo, topo)
	require.Equal(t, []model.Locality{model.RackLocal, model.RackLocal}, localities(n[2]))
	require.Equal(t, []model.Locality{model.NodeLocal}, localities(late))
	require.Equal(t, []model.Locality{model.OffRack, model.OffRack}, localities(n[1]))
	topo = c.Topo
	join(t, c, model.Node{Name: "late", Rack: "r2", MapSlots: 2})
	join(t, c, model.Node{Name: "new", Rack: "r9", MapSlots: 2})
	require.Equal(t, topo, c.Topo, "no job can have meant another place")
}

// MapsDone is the time at which the job's last map ended. It changes if a map reruns, and not when
// reduces end.
func TestWhenTheMapsWereDone(t *testing.T) {
	c, n, r := shuffling(t, 2)
	j := c.Job(1)
	require.Equal(t, time.Duration(2), j.MapsDone)
	beat(t, c, 7, n, model.Status{Attempt: r[1], State: model.StateSucceeded})
	require.Equal(t, time.Duration(2), j.MapsDone)
	again := beat(t, c, 8, n, model.Status{Attempt: r[0], Lost: []model.LostOutput{{Map: 1}, {Map: -1}, {Map: 2}, {Map: 0, Try: 1}}})
	require.Len(t, again, 1)
	beat(t, c, 9, n, model.Status{Attempt: again[0], State: model.StateSucceeded})
	require.Equal(t, time.Duration(9), j.MapsDone)

	c, nodes := newTestCore(t, "fair", nil)
	submit(t, c, model.JobSpec{Maps: 2})
	got := beat(t, c, 0, nodes[0])
	beat(t, c, 3, nodes[0], model.Status{Attempt: got[0], State: model.StateSucceeded})
	require.Zero(t, c.Job(1).MapsDone, "one is left")
}

// A permanent failure fails the job at once, unless the attempt is not to blame.
func TestFinalFailures(t *testing.T) {
	for blameless, want := range map[bool]string{false: "task job_0001_m_000000 failed for good: no such file", true: ""} {
		c, n := newTestCore(t, "fifo", nil)
		submit(t, c, model.JobSpec{Maps: 1})
		got := beat(t, c, 0, n[0])
		beat(t, c, 0, n[0], model.Status{Attempt: got[0], State: model.StateFailed, Final: true, Blameless: blameless, Err: "no such file"})
		v := jobView(t, c, 1)
		require.Equal(t, want, v.Err)
		require.Equal(t, !blameless, v.State == model.JobFailed)
		require.Equal(t, map[bool]int{false: 1, true: 0}[blameless], v.Kinds[model.Map].Failed)
	}
}

// The sizes of a map's output may come after the map is done. If the job has ended, they are
// ignored without an error.
func TestSizesThatComeLater(t *testing.T) {
	c, n, r := shuffling(t, 2)
	m := model.TaskID{Job: 1, Kind: model.Map, Index: 1}
	require.NoError(t, c.MapOutput(5, m, []int64{1, 20}))
	total, err := c.View().WTND(r[1].Task, n)
	require.NoError(t, err)
	require.Zero(t, total, "it lies here")
	require.Equal(t, 1, c.Job(1).Outputs.Known())
	require.NoError(t, c.MapOutput(5, m, []int64{1, 2}))
	require.Equal(t, 1, c.Job(1).Outputs.Known(), "corrected")
	running := submit(t, c, model.JobSpec{Maps: 1})
	gone := submit(t, c, model.JobSpec{Maps: 1})
	require.NoError(t, c.Kill(5, gone))
	restored, err := c.Resume(5, 0, model.JobSpec{Maps: 2}, []int32{0})
	require.NoError(t, err)
	for _, bad := range []model.TaskID{
		{}, {Job: -1}, {Job: restored + 1}, {Job: 1, Kind: model.Reduce}, {Job: 1, Index: 2}, {Job: 1, Index: -1}, {Job: running}, {Job: restored, Index: 0}, {Job: restored, Index: 1},
	} {
		require.ErrorIs(t, c.MapOutput(5, bad, []int64{1}), core.ErrUnknownTask, bad)
	}
	require.NoError(t, c.MapOutput(5, model.TaskID{Job: gone}, []int64{1}))
	require.NoError(t, c.Kill(5, restored))
	require.NoError(t, c.MapOutput(5, model.TaskID{Job: restored}, []int64{1}), "the newest job")
	require.ErrorIs(t, c.MapOutput(4, m, nil), core.ErrTimeBackwards)
	beat(t, c, 6, n, model.Status{Attempt: r[0], State: model.StateSucceeded}, model.Status{Attempt: r[1], State: model.StateSucceeded})
	require.Equal(t, model.JobSucceeded, c.View().State(1))
	require.NoError(t, c.MapOutput(6, m, []int64{1}))
	require.Nil(t, c.Job(1).Outputs)
}

// An attempt's progress never decreases and stays between 0 and 1; other reports do not change it.
func TestFalseProgressIsIgnored(t *testing.T) {
	c, n := newTestCore(t, "fifo", nil)
	submit(t, c, model.JobSpec{Maps: 1})
	id := beat(t, c, 0, n[0])[0]
	for _, x := range []struct{ said, want float64 }{
		{0, 0}, {0.5, 0.5}, {0.2, 0.5}, {-1, 0.5}, {1.5, 0.5}, {math.Inf(1), 0.5}, {math.NaN(), 0.5}, {0.7, 0.7}, {1, 1}, {2, 1},
	} {
		beat(t, c, 0, n[0], model.Status{Attempt: id, Progress: x.said, ReduceProgress: x.said})
		v, ok := c.View().Attempt(id)
		require.True(t, ok)
		require.Equal(t, x.want, v.Progress, "after %v", x.said)
		require.Equal(t, x.want, c.Attempts[c.LiveAttempt(id)].Reduced, "after %v", x.said)
	}
}
