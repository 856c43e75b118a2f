package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A policy that launches where or what it must not is stopped at once.
func TestBadLaunchesPanic(t *testing.T) {
	c, n := newTestCore(t, "fifo", func(_ *Config, p *Policy) { p.Spread = false })
	j := c.job(submit(t, c, JobSpec{Maps: 3}))
	got := beat(t, c, 0, n[0])
	require.Len(t, got, 1) // without places a heartbeat gets one
	i := got[0].Task.Index
	start := func(i int32, at NodeID, why Cause) func() {
		return func() { c.launch(j, Map, i, c.nodes[at], AnyPlace, Reason{Cause: why}, nil) }
	}
	pending := "scheduling: fifo launches a task that is not pending"
	require.PanicsWithValue(t, pending, start(i, n[1], CauseLocal), "it runs")
	start(i, n[0], CauseSlowTask)()
	require.PanicsWithValue(t, "scheduling: fifo launches on a full node", start(2, n[0], CauseLocal))
	_, err := c.Heartbeat(0, Heartbeat{Node: n[0], NoWork: true, Statuses: []Status{{Attempt: got[0], State: StateSucceeded}}})
	require.NoError(t, err)
	require.PanicsWithValue(t, pending, start(i, n[1], CauseSlowTask), "it is done")
}

// The places of attempts that have ended are used again, the first one as well.
func TestSlabIsUsedAgain(t *testing.T) {
	c, n := newTestCore(t, "fifo", nil)
	submit(t, c, JobSpec{Maps: 5})
	var last []Status
	for range 5 {
		got := beat(t, c, 0, n[0], last...)
		require.Len(t, got, 1)
		last = []Status{{Attempt: got[0], State: StateSucceeded}}
	}
	require.Len(t, c.atts, 1)
}

// A task whose only attempt fails is no longer to be copied: it is launched again.
func TestSlowTaskThatFails(t *testing.T) {
	s := newSlowJob(t, "fair", nil, JobSpec{})
	s.progress(minuteAndMore, map[int]float64{2: 0.03})
	require.Equal(t, [kinds]int{1, 0}, s.c.slow)
	s.end(minuteAndMore, 2, StateFailed)
	require.Equal(t, [kinds]int{}, s.c.slow)
	require.Equal(t, []AttemptID{s.copyOf(2)}, beat(t, s.c, minuteAndMore, s.nodes[3]))
	require.Len(t, s.c.View().Attempts(s.attempts[2].Task), 1, "it runs again, once")
}

// A copy in the first place of the slab is an attempt like others: it may commit, and goes on when
// the first attempt fails.
func TestCopyInTheFirstPlace(t *testing.T) {
	s := newSlowJob(t, "fair", nil, JobSpec{})
	first := s.c.atts[0].id.Task.Index
	slow := int(first+2) % 7
	s.end(minuteAndMore, int(first), StateSucceeded)
	s.progress(minuteAndMore, map[int]float64{slow: 0.03})
	got := append(beat(t, s.c, minuteAndMore, s.nodes[3]), beat(t, s.c, minuteAndMore, s.at[first])...)
	require.Equal(t, []AttemptID{s.copyOf(slow)}, got)
	require.Equal(t, s.copyOf(slow), s.c.atts[0].id)
	require.True(t, s.c.MayCommit(s.copyOf(slow)))
	require.False(t, s.c.MayCommit(s.attempts[slow]), "the copy may")
	require.Equal(t, []AttemptID{s.attempts[slow], s.copyOf(slow)}, ids(s.c.View().Attempts(got[0].Task)))
	s.end(minuteAndMore, slow, StateFailed)
	require.Equal(t, []AttemptID{s.copyOf(slow)}, ids(s.c.View().Attempts(got[0].Task)))
	require.Equal(t, 1, view(t, s.c, s.id).Kinds[Map].Failed)
	v, ok := s.c.View().Attempt(s.copyOf(slow))
	require.True(t, ok)
	_, err := s.c.Heartbeat(minuteAndMore, Heartbeat{Node: v.Node, NoWork: true, Statuses: []Status{{Attempt: v.ID, State: StateSucceeded}}})
	require.NoError(t, err)
	node, try, ok := s.c.View().Output(v.ID.Task)
	require.Equal(t, []any{v.Node, int32(1), true}, []any{node, try, ok})
	_, _, ok = s.c.View().Output(TaskID{Job: s.id, Kind: Map, Index: int32(slow+1) % 7})
	require.False(t, ok, "it is not done")
	for _, unknown := range []TaskID{{}, {Job: 9}, {Job: s.id, Kind: 2}, {Job: s.id, Index: -1}, {Job: s.id, Index: 7}} {
		node, _, ok = s.c.View().Output(unknown)
		require.Equal(t, []any{NoNode, false}, []any{node, ok})
		_, ok = s.c.View().Live(unknown)
		require.False(t, ok)
		require.Empty(t, s.c.View().Attempts(unknown))
	}
	_, ok = s.c.View().Live(v.ID.Task)
	require.False(t, ok, "it is done")
}

func ids(list []AttemptView) (ids []AttemptID) {
	for _, v := range list {
		ids = append(ids, v.ID)
	}
	return ids
}

// A map that failed on the node of its data, or in its rack, is found there again.
func TestFailedMapIsFoundAgain(t *testing.T) {
	for at, want := range []Locality{NodeLocal, RackLocal, OffRack} {
		c, n := newTestCore(t, "fair", nil)
		submit(t, c, JobSpec{Maps: 2, Places: on(2, n[0])})
		for range 3 {
			got, err := c.Heartbeat(0, Heartbeat{Node: n[at]})
			require.NoError(t, err)
			require.Len(t, got.Actions, 2)
			var failed []Status
			for i, a := range got.Actions {
				require.Equal(t, want, a.Locality)
				require.Equal(t, int32(i), a.Attempt.Task.Index, "the first comes first")
				failed = append(failed, Status{Attempt: a.Attempt, State: StateFailed})
			}
			_, err = c.Heartbeat(0, Heartbeat{Node: n[at], NoWork: true, Statuses: failed})
			require.NoError(t, err)
		}
	}
}

// A job that ends leaves nothing of its data in the tables: another one that gets its index, and
// the nodes it named, find none.
func TestIndexOfAnEndedJob(t *testing.T) {
	c, n := newTestCore(t, "hfs", func(_ *Config, p *Policy) { p.Spread = false })
	require.NoError(t, c.Kill(0, submit(t, c, JobSpec{User: "u", Maps: 3, Places: on(3, n[0])})))
	submit(t, c, JobSpec{User: "u", Maps: 1, Places: on(1, n[3])})
	require.Zero(t, c.job(2).index)
	for _, at := range n[:3] {
		require.Empty(t, beat(t, c, 0, at), "it waits for its data")
	}
	require.Len(t, beat(t, c, 0, n[3]), 1)
}

// When a node with data comes back in another rack, its former rack has none any more.
func TestNodeMovesToAnotherRack(t *testing.T) {
	c, n := newTestCore(t, "fair", nil)
	submit(t, c, JobSpec{Maps: 4, Places: on(4, n[0])})
	localities := func(at NodeID) (list []Locality) {
		got, err := c.Heartbeat(c.now, Heartbeat{Node: at})
		require.NoError(t, err)
		for _, a := range got.Actions {
			list = append(list, a.Locality)
		}
		return list
	}
	require.Equal(t, []Locality{RackLocal, RackLocal}, localities(n[1]))
	_, err := c.Join(0, Node{Name: "n1", Rack: "r2", MapSlots: 2})
	require.NoError(t, err)
	require.NoError(t, c.Leave(0, n[1]))
	_, err = c.Join(0, Node{Name: "n2", Rack: "r1", MapSlots: 2})
	require.NoError(t, err)
	require.Equal(t, []Locality{OffRack, OffRack}, localities(n[1]))
	require.Equal(t, []Locality{RackLocal, RackLocal}, localities(n[2]))
	checkInvariants(t, c)
}

// A place may be named before the node joins; where it stands is known from then on.
func TestPlaceThatJoinsLater(t *testing.T) {
	c, n := newTestCore(t, "fair", nil)
	late := c.NodeID("late")
	submit(t, c, JobSpec{Maps: 9, Places: on(9, late)})
	localities := func(at NodeID) (list []Locality) {
		got, err := c.Heartbeat(0, Heartbeat{Node: at})
		require.NoError(t, err)
		for _, a := range got.Actions {
			list = append(list, a.Locality)
		}
		return list
	}
	require.Equal(t, []Locality{OffRack, OffRack}, localities(n[0]))
	topo := c.topo
	_, err := c.Join(0, Node{Name: "late", Rack: "r2", MapSlots: 1})
	require.NoError(t, err)
	require.Greater(t, c.topo, topo)
	require.Equal(t, []Locality{RackLocal, RackLocal}, localities(n[2]))
	require.Equal(t, []Locality{NodeLocal}, localities(late))
	require.Equal(t, []Locality{OffRack, OffRack}, localities(n[1]))
	topo = c.topo
	_, err = c.Join(0, Node{Name: "late", Rack: "r2", MapSlots: 2})
	require.NoError(t, err)
	_, err = c.Join(0, Node{Name: "new", Rack: "r9", MapSlots: 2})
	require.NoError(t, err)
	require.Equal(t, topo, c.topo, "no job can have meant another place")
}

// Counts of a job's work.
func TestCountsOfWork(t *testing.T) {
	w := work{running: 30, suspended: 7, copies: 2, done: 11, again: 5}
	require.Equal(t, 51, w.launched())
	for _, x := range []struct {
		share float64
		maps  int
		want  int
	}{{0, 9, 0}, {-1, 9, 0}, {0.05, 1, 1}, {0.05, 20, 1}, {0.05, 21, 2}, {0.3, 10, 3}, {1, 7, 7}, {1, 0, 0}, {0.5, 3, 2}, {math.Inf(-1), 5, 0}} {
		require.Equal(t, x.want, slowStartMaps(x.share, x.maps), "%+v", x)
	}
	for _, x := range []struct{ maps, placed, nodes, want int }{
		{0, 0, 0, 1}, {5, 0, 0, 1}, {4, 4, 12, 3}, {4, 2, 6, 3}, {2, 2, 3, 2}, {4, 4, 5, 1}, {3, 3, 8, 3},
	} {
		j := &job{spec: JobSpec{Maps: x.maps}}
		if x.nodes > 0 {
			offsets := make([]int32, x.maps+1)
			for m := range x.maps {
				offsets[m+1] = int32(min(m+1, x.placed))
			}
			offsets[x.placed] = int32(x.nodes)
			for m := x.placed; m < len(offsets); m++ {
				offsets[m] = int32(x.nodes)
			}
			j.spec.Places = Places{Offsets: offsets, Nodes: make([]NodeID, x.nodes)}
		}
		require.Equal(t, x.want, j.replicas(), "%+v", x)
	}
}

// When the last map was done is known from the first time it was, and again if it runs again; ends
// of reduces do not move it.
func TestWhenTheMapsWereDone(t *testing.T) {
	c, n, r := shuffling(t, 2)
	j := c.job(1)
	require.Equal(t, time.Duration(2), j.mapsDone)
	beat(t, c, 7, n, Status{Attempt: r[1], State: StateSucceeded})
	require.Equal(t, time.Duration(2), j.mapsDone)
	again := beat(t, c, 8, n, Status{Attempt: r[0], Lost: []LostOutput{{Map: 1}, {Map: -1}, {Map: 2}, {Map: 0, Try: 1}}})
	require.Len(t, again, 1)
	beat(t, c, 9, n, Status{Attempt: again[0], State: StateSucceeded})
	require.Equal(t, time.Duration(9), j.mapsDone)

	c, nodes := newTestCore(t, "fair", nil)
	submit(t, c, JobSpec{Maps: 2})
	got := beat(t, c, 0, nodes[0])
	beat(t, c, 3, nodes[0], Status{Attempt: got[0], State: StateSucceeded})
	require.Zero(t, c.job(1).mapsDone, "one is left")
}

// A failure that would come again fails the job at once, unless nobody is to blame.
func TestFinalFailures(t *testing.T) {
	for blameless, want := range map[bool]string{false: "task job_0001_m_000000 failed for good: no such file", true: ""} {
		c, n := newTestCore(t, "fifo", nil)
		submit(t, c, JobSpec{Maps: 1})
		got := beat(t, c, 0, n[0])
		beat(t, c, 0, n[0], Status{Attempt: got[0], State: StateFailed, Final: true, Blameless: blameless, Err: "no such file"})
		v := view(t, c, 1)
		require.Equal(t, want, v.Err)
		require.Equal(t, !blameless, v.State == JobFailed)
		require.Equal(t, map[bool]int{false: 1, true: 0}[blameless], v.Kinds[Map].Failed)
	}
}

// The sizes of an output may come later, of a map that is done; of a job that has ended they come
// too late, which is no error.
func TestSizesThatComeLater(t *testing.T) {
	c, n, r := shuffling(t, 2)
	m := TaskID{Job: 1, Kind: Map, Index: 1}
	require.NoError(t, c.MapOutput(5, m, []int64{1, 20}))
	total, err := c.View().WTND(r[1].Task, n)
	require.NoError(t, err)
	require.Zero(t, total, "it lies here")
	require.Equal(t, 1, c.outputs[0].Known())
	require.NoError(t, c.MapOutput(5, m, []int64{1, 2}))
	require.Equal(t, 1, c.outputs[0].Known(), "corrected")
	running := submit(t, c, JobSpec{Maps: 1})
	gone := submit(t, c, JobSpec{Maps: 1})
	require.NoError(t, c.Kill(5, gone))
	restored, err := c.Resume(5, 0, JobSpec{Maps: 2}, []int32{0})
	require.NoError(t, err)
	for _, bad := range []TaskID{
		{}, {Job: -1}, {Job: restored + 1}, {Job: 1, Kind: Reduce}, {Job: 1, Index: 2}, {Job: 1, Index: -1}, {Job: running}, {Job: restored, Index: 0}, {Job: restored, Index: 1},
	} {
		require.ErrorIs(t, c.MapOutput(5, bad, []int64{1}), ErrUnknownTask, bad)
	}
	require.NoError(t, c.MapOutput(5, TaskID{Job: gone}, []int64{1}))
	require.ErrorIs(t, c.MapOutput(4, m, nil), ErrTimeBackwards)
	beat(t, c, 6, n, Status{Attempt: r[0], State: StateSucceeded}, Status{Attempt: r[1], State: StateSucceeded})
	require.Equal(t, JobSucceeded, c.View().State(1))
	require.NoError(t, c.MapOutput(6, m, []int64{1}))
	require.Nil(t, c.outputs[0])
}
