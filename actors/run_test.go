package actors

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// aRun returns the run of a job with this number of maps, without a cluster.
func aRun(t testing.TB, maps int) *run {
	r := newRun(&env{start: time.Now()}, wordCount(t, "a b\n", 1), "ann", "_jobs/1")
	r.shuffle, r.splits = newShuffle(maps), make([]cluster.Split, maps)
	return r
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A run accepts no attempt after it is closed. It is empty when each attempt has left or was
// abandoned, and drained when the abandoned ones have left, too. Lists of attempts are the model.
func TestRunCountsItsAttempts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := aRun(t, 1)
		var live, left []*attempt
		ended := false
		take := func(list *[]*attempt) *attempt {
			i := rapid.IntRange(0, len(*list)-1).Draw(rt, "which")
			a := (*list)[i]
			*list = slices.Delete(*list, i, i+1)
			return a
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch step := rapid.IntRange(0, 6).Draw(rt, "step"); {
			case step <= 1:
				a := new(attempt)
				require.Equal(rt, !ended, r.enter(a))
				if !ended {
					live = append(live, a)
				}
			case step == 2 && len(live) > 0:
				r.leave(take(&live))
			case step == 3 && len(live) > 0:
				a := take(&live)
				r.abandon(a)
				r.abandon(a)
				left = append(left, a)
			case step == 4 && len(left) > 0:
				r.leave(take(&left))
			case step == 5:
				r.close(false)
				ended = true
			}
			require.Equal(rt, ended && len(live) == 0, isClosed(r.empty))
			require.Equal(rt, ended && len(live)+len(left) == 0, isClosed(r.drained))
		}
	})
}

// The JobTracker's tally of a run has the sums of the run's events and reports.
func TestTallyIsPlainSums(t *testing.T) {
	r := aRun(t, 2)
	event := func(k scheduling.TaskKind, index int32, l scheduling.Locality, at time.Duration) *Event {
		e := new(Event)
		e.Attempt.Task = scheduling.TaskID{Kind: k, Index: index}
		e.Locality, e.At = l, at
		return e
	}
	reported := func(start time.Duration, n int64) *report {
		rep := &report{totals: totals{Records: n, Bytes: 10 * n, Shuffled: 100 * n, Spilled: 1000 * n}}
		rep.phases.Start = start
		rep.shuffled = [distances]int64{n, 2 * n, 3 * n}
		return rep
	}
	for _, l := range []scheduling.Locality{
		scheduling.NodeLocal, scheduling.NodeLocal, scheduling.NodeLocal, scheduling.RackLocal, scheduling.RackLocal,
		scheduling.OffRack, scheduling.AnyPlace, scheduling.AnyPlace, scheduling.AnyPlace, scheduling.AnyPlace,
	} {
		r.launched(event(scheduling.Map, 0, l, 0))
	}
	for range 4 {
		r.launched(event(scheduling.Reduce, 0, scheduling.NodeLocal, 0))
	}
	require.Equal(t, [4]int{3, 2, 1, 4}, r.tally.locality)
	require.Equal(t, [2]int{10, 4}, r.tally.launched)
	require.Equal(t, [2]int{10, 4}, r.tally.active)

	r.succeeded(event(scheduling.Map, 0, 0, 5*time.Second), reported(2*time.Second, 1), nil)
	r.succeeded(event(scheduling.Map, 1, 0, 9*time.Second), reported(2*time.Second, 2), nil)
	r.succeeded(event(scheduling.Reduce, 0, 0, 8*time.Second), reported(7*time.Second, 4), nil)
	r.failed(event(scheduling.Map, 0, 0, 4*time.Second), reported(2*time.Second, 8))
	r.failed(event(scheduling.Reduce, 0, 0, 4*time.Second), nil)
	r.killed(event(scheduling.Map, 0, 0, 0))
	r.killed(event(scheduling.Reduce, 0, 0, 0))
	require.Equal(t, [2]int{6, 1}, r.tally.active)
	require.Equal(t, [2]int{2, 1}, r.tally.doneTasks)
	require.Equal(t, [2]int{1, 1}, r.tally.failed)
	require.Equal(t, [2]int{1, 1}, r.tally.killed)
	require.Equal(t, [2]time.Duration{12 * time.Second, time.Second}, r.tally.time)
	require.Equal(t, [distances]int64{4, 8, 12}, r.tally.shuffled, "of reduces")
	require.Equal(t, totals{7, 70, 700, 7000}, r.tally.totals, "of those that succeeded")

	r.outputLost(1)
	require.Equal(t, [2]int{1, 1}, r.tally.doneTasks)
	require.Equal(t, totals{5, 50, 500, 5000}, r.tally.totals)
	require.Nil(t, r.shuffle.output(1).out)

	c := r.total()
	for name, n := range map[string]int64{
		"Launched map tasks": 10, "Launched reduce tasks": 4, "Data-local map tasks": 3, "Rack-local map tasks": 2,
		"Other local map tasks": 5, "Failed map tasks": 1, "Failed reduce tasks": 1, "Killed map tasks": 1, "Killed reduce tasks": 1,
		"Total time spent by all map tasks (ms)": 12_000, "Total time spent by all reduce tasks (ms)": 1000,
	} {
		require.Equal(t, n, c.Named(counter.GroupJob, name), name)
	}
	require.EqualValues(t, 8, c.Named("CoGRS", "Rack-local shuffle bytes"))
	for v := range aRun(t, 1).total().All() {
		require.Fail(t, "a job that has done nothing has no counters", v)
	}
}

// The progress of a map is the fraction of its bytes that it has read. That of a reduce is a third
// for its shuffle plus two thirds for its records. Both are at most 1, and 0 if nothing is known.
func TestProgressOfAnAttempt(t *testing.T) {
	r := aRun(t, 4)
	r.splits[2].Length = 200
	m := &attempt{run: r, id: scheduling.AttemptID{Task: scheduling.TaskID{Kind: scheduling.Map, Index: 2}}}
	for bytes, want := range map[int64]float64{0: 0, 50: 0.25, 200: 1, 300: 1} {
		m.progress.Bytes.Store(bytes)
		require.Equal(t, want, m.done(), "%d bytes", bytes)
	}
	for _, n := range []int64{0, -1} {
		r.splits[2].Length = n
		require.Zero(t, m.done(), "a stream")
	}
	m.progress.Records.Store(7)
	m.progress.Spilled.Store(9)
	require.Equal(t, totals{Records: 7, Bytes: m.progress.Bytes.Load(), Spilled: 9}, m.totals())

	red := &attempt{run: r}
	red.id.Task.Kind = scheduling.Reduce
	require.Zero(t, red.done())
	red.fetched.Store(2)
	red.progress.Records.Store(5)
	red.progress.Bytes.Store(11)
	require.InDelta(t, 1.0/6, red.done(), 1e-9)
	require.Zero(t, red.reduced(), "until all is known")
	red.fetched.Store(4)
	red.input.Store(10)
	require.InDelta(t, 2.0/3, red.done(), 1e-9)
	red.progress.Records.Store(12)
	require.InDelta(t, 1, red.done(), 1e-9)
	require.Equal(t, totals{Shuffled: 11}, red.totals())
	r.splits = nil
	require.Zero(t, red.done(), "a job without maps")
}

// Damaged spills do not count as failures of a task, up to the number MaxAttempts. More of them do.
func TestDamageIsForgivenAFewTimes(t *testing.T) {
	r := aRun(t, 1)
	r.env.cfg.MaxAttempts = 2
	one, other := scheduling.TaskID{Index: 1}, scheduling.TaskID{Index: 2}
	require.Equal(t, []bool{true, true, true, false, false},
		[]bool{r.forgives(one), r.forgives(other), r.forgives(one), r.forgives(one), r.forgives(one)})
}

// The registry lists running jobs in order of submission until they end, and tells when none runs.
func TestRegistryOfRuns(t *testing.T) {
	g := new(registry)
	require.True(t, isClosed(g.whenIdle()))
	var runs []*run
	for i := range 4 {
		r := aRun(t, 1)
		r.id = scheduling.JobID(i + 1)
		runs = append(runs, r)
		g.add(r)
	}
	require.Equal(t, runs, g.runs())
	idle := g.whenIdle()
	require.Equal(t, idle, g.whenIdle())
	for i, left := range [][]*run{{runs[0], runs[1], runs[3]}, {runs[1], runs[3]}, {runs[1]}, nil} {
		ends := []int{2, 0, 3, 1}[i]
		require.False(t, isClosed(idle))
		require.False(t, isClosed(runs[ends].done))
		g.retire(runs[ends])
		require.True(t, isClosed(runs[ends].done))
		require.Equal(t, left, g.runs())
	}
	require.True(t, isClosed(idle))
	require.True(t, isClosed(g.whenIdle()))
}
