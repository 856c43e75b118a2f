package actors

import (
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// aRun returns the run of a job with this number of maps, without a cluster.
func aRun(t testing.TB, maps int) *run {
	r := newRun(&env{start: time.Now()}, wordCount(t, "a b\n", 1))
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

// A run accepts no attempt after it is closed. It waits for those that have not left: for all, or
// for those that were not abandoned. Lists of attempts are the model.
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
			require.Len(rt, r.live, len(live))
			require.Equal(rt, len(left), r.abandoned)
		}
		for len(live) > 0 {
			r.leave(take(&live))
		}
		r.running.Wait()
		for len(left) > 0 {
			r.leave(take(&left))
		}
		r.entered.Wait()
	})
}

// Slot times and totals are sums over the reports of a run's attempts. Those of a lost output do
// not count.
func TestTallyIsPlainSums(t *testing.T) {
	r := aRun(t, 2)
	event := func(k scheduling.TaskKind, index int32, at time.Duration) *Event {
		e := new(Event)
		e.Attempt.Task, e.At = scheduling.TaskID{Kind: k, Index: index}, at
		return e
	}
	reported := func(start time.Duration, n int64) *report {
		rep := &report{totals: totals{Records: n, Bytes: 10 * n, Shuffled: 100 * n, Spilled: 1000 * n}}
		rep.phases.Start = start
		rep.shuffled = [distances]int64{n, 2 * n, 3 * n}
		return rep
	}
	r.succeeded(event(scheduling.Map, 0, 5*time.Second), reported(2*time.Second, 1), nil)
	r.succeeded(event(scheduling.Map, 1, 9*time.Second), reported(2*time.Second, 2), nil)
	r.succeeded(event(scheduling.Reduce, 0, 8*time.Second), reported(7*time.Second, 4), nil)
	r.failed(event(scheduling.Map, 0, 4*time.Second), reported(2*time.Second, 8))
	r.failed(event(scheduling.Reduce, 0, 4*time.Second), nil)
	require.Equal(t, totals{7, 70, 700, 7000}, r.tally.totals, "of those that succeeded")
	r.outputLost(1)
	require.Equal(t, [2]TaskCounts{{Done: 1, Running: -3, Failed: 1}, {Done: 1, Running: -2, Failed: 1}}, r.tally.tasks)
	require.Equal(t, totals{5, 50, 500, 5000}, r.tally.totals)
	require.Nil(t, r.shuffle.output(1).out)

	r.tally.locality = [4]int{4, 3, 2, 1}
	c := r.total()
	for name, n := range map[string]int64{
		"Other local map tasks": 5, "Total time spent by all map tasks (ms)": 12_000, "Total time spent by all reduce tasks (ms)": 1000,
	} {
		require.Equal(t, n, c.Named(counter.GroupJob, name), name)
	}
	require.EqualValues(t, 8, c.Named("CoGRS", "Rack-local shuffle bytes"), "of reduces")
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

// only cordons all nodes except the one with this name.
func (c *Cluster) only(t *testing.T, name string) {
	t.Helper()
	for _, n := range c.names() {
		require.NoError(t, c.Cordon(n, n != name))
	}
}

// neighbors returns three of the four nodes of a cluster with two racks: the node with the input of
// the job's only map, the other one in its rack, and one in the other rack.
func (h *JobHandle) neighbors(t *testing.T) [distances]string {
	t.Helper()
	require.Len(t, h.run.splits, 1)
	require.Len(t, h.run.splits[0].Hosts, 1)
	at := h.cluster.env.placeOf(h.run.splits[0].Hosts[0])
	return [distances]string{at.name, nodeName((at.id + 2) % 4), nodeName((at.id + 1) % 4)}
}

// Counters and progress count launched maps by locality and shuffled bytes by distance. Cordons
// place the job's map and reduce at each pair of distances.
func TestDistancesAreCounted(t *testing.T) {
	maps := [...]string{"Data-local map tasks", "Rack-local map tasks", "Other local map tasks"}
	bytes := [...]string{"Node-local shuffle bytes", "Rack-local shuffle bytes", "Off-rack shuffle bytes"}
	for mapAt := range distances {
		for reduceAt := range distances {
			cfg := Config{Nodes: 4, Racks: 2, Replication: 1, Scheduler: "fifo", ReducePlacement: "any"}
			bubble(t, cfg, func(t *testing.T, c *Cluster) {
				c.only(t, "none")
				h, _, release := c.hold(t, SubmitOptions{SlowStart: 1})
				nodes := h.neighbors(t)
				c.only(t, nodes[mapAt])
				pass(time.Minute)
				c.only(t, nodes[reduceAt])
				close(release)
				r := h.wait(t)
				p := h.Progress()
				for d, n := range []int{p.NodeLocal, p.RackLocal, p.OffRack} {
					require.Equal(t, d == mapAt, n == 1, "%d of distance %d", n, d)
					require.EqualValues(t, n, r.Counters.Named(counter.GroupJob, maps[d]))
				}
				require.Zero(t, p.AnyPlace)
				went := c.env.placeOf(nodes[mapAt]).distance(c.env.placeOf(nodes[reduceAt]))
				require.Positive(t, p.Shuffled)
				for d, name := range bytes {
					want := int64(0)
					if d == went {
						want = p.Shuffled
					}
					require.Equal(t, want, r.Counters.Named("CoGRS", name), name)
				}
			})
		}
	}
}

// The phases of an attempt sum to its time: the wait for a compute token, a reduce's shuffle, the
// work, and the commit, which waits for the JobTracker.
func TestPhasesAddUp(t *testing.T) {
	const asking = 700 * time.Millisecond
	for _, x := range []struct {
		parallelism   int
		second        time.Duration // work of the second map; the first one works for four seconds
		wait, shuffle time.Duration // expected: wait of a map, shuffle of the reduce
	}{
		{parallelism: 1, second: 4 * time.Second, wait: 4 * time.Second},
		{parallelism: 2, second: 9 * time.Second, shuffle: 5 * time.Second},
	} {
		var events recorder
		cfg := Config{MapSlots: 2, ReduceSlots: 1, Parallelism: x.parallelism, BlockSize: 4, Events: events.add}
		cfg.deliver = func(msg any) []time.Duration {
			if _, asks := msg.(*commitRequest); asks {
				return []time.Duration{asking}
			}
			return atOnce
		}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			work := map[string]time.Duration{"a b": 4 * time.Second, "c d": x.second}
			job := mapped(1, func(line []byte, emit func(string, int64)) error {
				time.Sleep(work[string(line)])
				return words(line, emit)
			})
			job.Reduce = func(k string, vs iter.Seq[int64], emit func(pair)) error {
				time.Sleep(time.Second)
				return sum(k, vs, emit)
			}
			runLines(t, c, job, "a b\nc d\n", SubmitOptions{SlowStart: 0.5})
			var waited, worked time.Duration
			for _, e := range events.of(event.Succeeded) {
				ph := e.Phases
				require.Equal(t, e.At-ph.Start, ph.Wait+ph.Read+ph.Shuffle+ph.Work+ph.Commit, e.Attempt)
				if e.Attempt.Task.Kind == scheduling.Map {
					require.Zero(t, ph.Shuffle+ph.Commit)
					waited, worked = waited+ph.Wait, worked+ph.Work
					continue
				}
				require.Equal(t, 4*time.Second, ph.Work, "a second a word")
				require.Equal(t, asking, ph.Commit)
				require.Equal(t, x.shuffle, ph.Shuffle)
			}
			require.Equal(t, x.wait, waited)
			require.Equal(t, 4*time.Second+x.second, worked)
		})
	}
}
