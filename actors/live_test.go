package actors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Halt lets running attempts end, launches no others, and removes the output.
func TestHalt(t *testing.T) {
	bubble(t, Config{MapSlots: 1, BlockSize: 1}, func(t *testing.T, c *Cluster) {
		var ran atomic.Int32
		job := counting(1)
		job.Map = func([]byte, func(string, int64)) error {
			ran.Add(1)
			<-time.After(time.Minute)
			return nil
		}
		p, out := bindLines(t, job, "a\nb\nc\nd\n")
		h := c.submit(t, p, SubmitOptions{})
		synctest.Wait()
		began := time.Now()
		require.NoError(t, c.Halt(context.Background()))
		require.InDelta(t, time.Minute, time.Since(began), float64(time.Second))
		r, err := h.Wait(context.Background())
		require.ErrorIs(t, err, ErrJobKilled)
		require.EqualValues(t, 1, ran.Load())
		require.EqualValues(t, 1, r.Counters.Get(counter.MapInputRecords), "the counters tell what was done")
		require.Empty(t, out.String())
		_, err = c.Submit(context.Background(), wordCount(t, "a", 1), SubmitOptions{})
		require.ErrorIs(t, err, ErrClosed)
	})
}

func TestHaltGivesUpWithItsContext(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		job := counting(1)
		job.Map, job.MapTask = nil, untilKilled
		h := c.submit(t, first(bindLines(t, job, "a\n")), SubmitOptions{})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		began := time.Now()
		require.NoError(t, c.Halt(ctx))
		require.Equal(t, 3*time.Second, time.Since(began))
		_, err := h.Wait(context.Background())
		require.ErrorIs(t, err, ErrJobKilled)
	})
}

// If a call of the scheduling core panics, the running jobs fail. The cluster continues with a new
// core.
func TestSchedulerPanic(t *testing.T) {
	bubble(t, Config{Nodes: 2}, func(t *testing.T, c *Cluster) {
		job := counting(1)
		job.Map, job.MapTask = nil, untilKilled
		h := c.submit(t, first(bindLines(t, job, "a\n")), SubmitOptions{})
		synctest.Wait()
		err := c.ask(onTurn(func(*jobTracker) error { panic("a bug") }))
		require.ErrorIs(t, err, errScheduler)
		_, err = h.Wait(context.Background())
		require.ErrorIs(t, err, ErrJobFailed)
		require.ErrorIs(t, err, errScheduler)
		require.ErrorIs(t, h.SetPriority(scheduling.High), scheduling.ErrJobEnded)

		p, out := bindLines(t, counting(1), "a b\n")
		c.submit(t, p, SubmitOptions{}).wait(t)
		require.Equal(t, "a\t1\nb\t1\n", out.String())
	})
}

// After a panic of the JobTracker the last policy that Reload accepted still applies.
func TestPolicyOutlivesTheJobTracker(t *testing.T) {
	bubble(t, Config{Nodes: 2, Scheduler: "fifo"}, func(t *testing.T, c *Cluster) {
		inForce := func() string {
			order := ""
			require.NoError(t, c.Inspect(func(v scheduling.View) { order = v.Policy().Order }))
			return order
		}
		capacity, err := scheduling.Preset("capacity")
		require.NoError(t, err)
		require.NoError(t, c.Reload(capacity, nil))
		bad := capacity
		bad.Order = "none such"
		require.Error(t, c.Reload(bad, nil))
		require.ErrorIs(t, c.ask(onTurn(func(*jobTracker) error { panic("a bug") })), errScheduler)
		require.Equal(t, "capacity", inForce())
		p, out := bindLines(t, counting(1), "a b\n")
		c.submit(t, p, SubmitOptions{Queue: "default"}).wait(t)
		require.Equal(t, "a\t1\nb\t1\n", out.String())
	})
}

// After the death of each of three nodes, the store has recreated the lost replicas of a file on
// other nodes. The file stays readable.
func TestLostReplicasAreRecreated(t *testing.T) {
	bubble(t, Config{Nodes: 6, Racks: 2, BlockSize: 10}, func(t *testing.T, c *Cluster) {
		text := prose(1, 10)
		require.NoError(t, c.FS().WriteFile("x", []byte(text)))
		for _, victim := range c.names()[:3] {
			require.NoError(t, c.KillNode(victim))
			synctest.Wait()
			blocks, err := c.FS().Blocks("x")
			require.NoError(t, err)
			for _, b := range blocks {
				require.Len(t, b.Nodes, 3, "%v after the loss of %s", b.ID, victim)
				require.NotContains(t, b.Nodes, victim)
			}
		}
		got, err := c.FS().ReadFile("x")
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	})
}

// A node that restarts before the JobTracker has noticed its death keeps storing blocks: only its
// former incarnation counts as lost.
func TestRestartedNodeHoldsBlocks(t *testing.T) {
	bubble(t, Config{Nodes: 2}, func(t *testing.T, c *Cluster) {
		require.NoError(t, c.FS().WriteFile("x", []byte("text")))
		require.NoError(t, c.KillNode("node-01"))
		require.NoError(t, c.StartNode("node-01"))
		pass(time.Hour)
		require.NoError(t, c.FS().WriteFile("y", []byte("text")))
		for _, name := range []string{"x", "y"} {
			blocks, err := c.FS().Blocks(name)
			require.NoError(t, err)
			require.Len(t, blocks[0].Nodes, 2, name)
		}
	})
}

// Under HFSP, a small job takes slots from a large one: it suspends attempts. They resume later and
// no record is mapped twice.
func TestSmallJobSuspendsLarge(t *testing.T) {
	var events recorder
	cfg := Config{Nodes: 2, MapSlots: 2, BlockSize: 64, Scheduler: "hfsp", Events: events.add}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		var records atomic.Int64
		slow := func(d time.Duration) mapreduce.Job[[]byte, string, int64, pair] {
			job := counting(1)
			job.Map = func(line []byte, emit func(string, int64)) error {
				records.Add(1)
				<-time.After(d)
				return words(line, emit)
			}
			return job
		}
		text := prose(1, 200)
		large, out := bindLines(t, slow(10*time.Second), text)
		h := c.submit(t, large, SubmitOptions{User: "large"})
		pass(5*time.Minute + 3*time.Second) // a moment in the middle of a record
		small, _ := bindLines(t, slow(time.Second), prose(2, 4))
		c.submit(t, small, SubmitOptions{User: "small"}).wait(t)
		require.Equal(t, scheduling.JobRunning, h.Progress().State)
		h.wait(t)
		require.Equal(t, oracle(t, counting(1), text), out.String())
		suspended, resumed := events.of(event.Suspended), events.of(event.Resumed)
		require.NotEmpty(t, suspended)
		require.Len(t, resumed, len(suspended))
		for i := range resumed {
			require.NotEqual(t, scheduling.NoNode, resumed[i].Node)
		}
		require.EqualValues(t, 204, records.Load(), "no record is mapped twice")
	})
}

// The events of a job have a sensible order, and are equal after writing and parsing as JSON.
func TestEventsTellTheStory(t *testing.T) {
	var events recorder
	c := start(t, Config{Nodes: 4, Racks: 2, BlockSize: 100, Events: events.add, Explain: true})
	c.submit(t, wordCount(t, prose(1, 50), 2), SubmitOptions{User: "ada", Pool: "p"}).wait(t)
	<-c.registry.whenIdle()

	submitted, finished := events.of(event.Submitted), events.of(event.Finished)
	require.Len(t, submitted, 1)
	require.Equal(t, "ada", submitted[0].User)
	require.Equal(t, "p", submitted[0].Pool)
	require.Len(t, finished, 1)
	require.EqualValues(t, 50, finished[0].Counters.Get(counter.MapInputRecords))
	launched, succeeded := events.of(event.Launched), events.of(event.Succeeded)
	require.Len(t, succeeded, submitted[0].Tasks[0]+submitted[0].Tasks[1])
	require.Len(t, launched, len(succeeded))
	for _, e := range succeeded {
		require.NotNil(t, e.Phases)
		require.NotNil(t, e.Counters)
		require.LessOrEqual(t, e.Phases.Start+e.Phases.Wait+e.Phases.Read+e.Phases.Shuffle+e.Phases.Work+e.Phases.Commit, e.At)
	}
	for _, e := range launched {
		require.NotEqual(t, event.NoCause, e.Reason.Cause, "%v", e)
		if e.Kind == scheduling.Reduce {
			require.NotNil(t, e.Placed, "%v", e)
		}
	}
	line, err := json.Marshal(finished[0])
	require.NoError(t, err)
	var flat map[string]any
	require.NoError(t, json.Unmarshal(line, &flat))
	require.Equal(t, "finished", flat["type"])
	require.Equal(t, "succeeded", flat["state"])
	require.NotEmpty(t, flat["counters"])
}

// A running job's map progress never falls, its reduce progress stays behind, and both end at 1.
func TestProgressGrows(t *testing.T) {
	bubble(t, Config{MapSlots: 1, ReduceSlots: 1, BlockSize: 1}, func(t *testing.T, c *Cluster) {
		job := counting(1)
		job.Map = func(line []byte, emit func(string, int64)) error {
			<-time.After(time.Second)
			return words(line, emit)
		}
		h := c.submit(t, first(bindLines(t, job, "a\nb\nc\nd\n")), SubmitOptions{SlowStart: 0.5})
		last := 0.0
		for range 8 { // every second byte starts a line: eight blocks, four with a record
			synctest.Wait()
			p := h.Progress()
			require.GreaterOrEqual(t, p.MapFraction, last)
			require.LessOrEqual(t, p.ReduceFraction, p.MapFraction)
			require.Less(t, p.ReduceFraction, 1.0)
			last = p.MapFraction
			pass(500 * time.Millisecond)
		}
		h.wait(t)
		p := h.Progress()
		require.Equal(t, []float64{1, 1}, []float64{p.MapFraction, p.ReduceFraction})
		require.Equal(t, 8, p.Maps.Total)
		require.EqualValues(t, 4, p.Records)
	})
}

// A reduce that has read half of its input reports 2/3 progress: 1/3 for the shuffle, half of 2/3.
func TestReduceProgress(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		release := make(chan struct{})
		seen := 0
		job := counting(1)
		job.Reduce = func(k string, vs iter.Seq[int64], emit func(pair)) error {
			if seen++; seen == 1024 {
				<-release
			}
			return sum(k, vs, emit)
		}
		var text strings.Builder
		for i := range 2048 {
			fmt.Fprintf(&text, "word%d\n", i)
		}
		h := c.submit(t, first(bindLines(t, job, text.String())), SubmitOptions{})
		synctest.Wait()
		require.InDelta(t, 1.0/3+2.0/3/2, h.Progress().ReduceFraction, 0.1)
		close(release)
		h.wait(t)
	})
}

func TestInspectAndReconfigure(t *testing.T) {
	c := start(t, Config{})
	p, err := scheduling.Preset("fifo")
	require.NoError(t, err)
	require.NoError(t, c.Reload(p, nil))
	var name string
	require.NoError(t, c.Inspect(func(v scheduling.View) { name = v.Policy().Name }))
	require.Equal(t, "fifo", name)
	bad := p
	bad.Order = "lottery"
	require.True(t, errors.Is(c.Reload(bad, nil), scheduling.ErrUnknownPolicy))

	job := counting(1)
	job.Map, job.MapTask = nil, untilKilled
	h := c.submit(t, first(bindLines(t, job, "a\n")), SubmitOptions{})
	require.NoError(t, h.SetPriority(scheduling.VeryHigh))
	require.Error(t, h.SetPriority(42))
	require.Error(t, h.SetPool(h.run.who, "x"), "fifo has no pools")
	require.NoError(t, h.Kill("done"))
}
