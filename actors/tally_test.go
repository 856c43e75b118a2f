package actors

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

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

// Counters have the total time of attempts in their slots, by kind and including failed attempts.
func TestTimesAreCounted(t *testing.T) {
	bubble(t, Config{MapSlots: 1, ReduceSlots: 1}, func(t *testing.T, c *Cluster) {
		job := counting(1)
		var mapped, reduced atomic.Bool
		job.Map = func(line []byte, emit func(string, int64)) error {
			if time.Sleep(3 * time.Second); !mapped.Swap(true) {
				return errors.New("once")
			}
			return words(line, emit)
		}
		job.Reduce = func(k string, vs iter.Seq[int64], emit func(pair)) error {
			if time.Sleep(5 * time.Second); !reduced.Swap(true) {
				return errors.New("once")
			}
			return sum(k, vs, emit)
		}
		r := c.submit(t, first(bindLines(t, job, "a\n")), SubmitOptions{SlowStart: 1}).wait(t)
		require.EqualValues(t, 2*3000, r.Counters.Named(counter.GroupJob, "Total time spent by all map tasks (ms)"))
		require.EqualValues(t, 2*5000, r.Counters.Named(counter.GroupJob, "Total time spent by all reduce tasks (ms)"))
	})
}

// Counters and progress count attempts killed with their job by kind, and none of them as running.
func TestKilledAttemptsAreCounted(t *testing.T) {
	bubble(t, Config{MapSlots: 2, ReduceSlots: 3, BlockSize: 4}, func(t *testing.T, c *Cluster) {
		job := counting(3)
		job.Map, job.MapTask = nil, untilKilled
		h := c.submit(t, first(bindLines(t, job, "a b\nc d\n")), SubmitOptions{SlowStart: 1e-9})
		synctest.Wait()
		p := h.Progress()
		require.Equal(t, TaskCounts{Total: 2, Running: 2}, p.Maps)
		running := p.Reduces.Running
		require.NoError(t, h.Kill(""))
		r, err := h.Wait(context.Background())
		require.ErrorIs(t, err, ErrJobKilled)
		require.EqualValues(t, 2, r.Counters.Named(counter.GroupJob, "Killed map tasks"))
		require.EqualValues(t, running, r.Counters.Named(counter.GroupJob, "Killed reduce tasks"))
		p = h.Progress()
		require.Equal(t, TaskCounts{Total: 2, Killed: 2}, p.Maps)
		require.Equal(t, TaskCounts{Total: 3, Killed: running}, p.Reduces)
	})
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
			job := counting(1)
			job.Map = func(line []byte, emit func(string, int64)) error {
				time.Sleep(work[string(line)])
				return words(line, emit)
			}
			job.Reduce = func(k string, vs iter.Seq[int64], emit func(pair)) error {
				time.Sleep(time.Second)
				return sum(k, vs, emit)
			}
			c.submit(t, first(bindLines(t, job, "a b\nc d\n")), SubmitOptions{SlowStart: 0.5}).wait(t)
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
