package actors

import (
	"bytes"
	"context"
	"encoding/json"
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
		job := mapped(1, func([]byte, func(string, int64)) error {
			ran.Add(1)
			<-time.After(time.Minute)
			return nil
		})
		h, out := submitLines(t, c, job, "a\nb\nc\nd\n")
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

// If a call of the scheduling core panics, the running jobs fail. The cluster continues with a new
// core and the last policy that Reload accepted.
func TestSchedulerPanic(t *testing.T) {
	bubble(t, Config{Nodes: 2, Scheduler: "fifo"}, func(t *testing.T, c *Cluster) {
		capacity, err := scheduling.Preset("capacity")
		require.NoError(t, err)
		require.NoError(t, c.Reload(capacity, nil))
		bad := capacity
		bad.Order = "none such"
		require.Error(t, c.Reload(bad, nil))
		h, _ := submitLines(t, c, tasked(1, untilKilled), "a\n")
		synctest.Wait()
		require.ErrorIs(t, c.ask(onTurn(func(*jobTracker) error { panic("a bug") })), errScheduler)
		_, err = h.Wait(context.Background())
		require.ErrorIs(t, err, ErrJobFailed)
		require.ErrorIs(t, err, errScheduler)
		require.ErrorIs(t, h.SetPriority(scheduling.High), scheduling.ErrJobEnded)
		require.NoError(t, c.Inspect(func(v scheduling.View) { require.Equal(t, "capacity", v.Policy().Order) }))
		c.requireAlive(t)
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

// Under HFSP, a small job takes slots from a large one: it suspends attempts, which stop between
// two records and return slot and compute token. They resume later and no record is mapped twice.
// A suspended attempt can be killed.
func TestSmallJobSuspendsLarge(t *testing.T) {
	line := strings.Repeat("x", 100<<10) + "\n" // long, so that an attempt often checks whether it is suspended
	for _, x := range []struct {
		parallelism int
		kill        bool
	}{{0, false}, {4, false}, {0, true}} {
		var events recorder
		cfg := Config{Nodes: 2, MapSlots: 2, BlockSize: 400 << 10, Scheduler: "hfsp", Parallelism: x.parallelism, Events: events.add}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			var records [2]atomic.Int64 // mapped by the large and the small job
			counting := func(i int) countJob {
				return mapped(1, func(_ []byte, emit func(string, int64)) error {
					records[i].Add(1)
					<-time.After(10 * time.Second)
					emit("x", 1)
					return nil
				})
			}
			h, out := submitLines(t, c, counting(0), strings.Repeat(line, 100), SubmitOptions{User: "large"})
			pass(103 * time.Second) // a moment in the middle of a record
			small, _ := submitLines(t, c, counting(1), strings.Repeat(line, 20), SubmitOptions{User: "small"})
			pass(15 * time.Second)
			before := records[0].Load()
			pass(15 * time.Second)
			require.Equal(t, before, records[0].Load(), "all are suspended")
			require.Positive(t, records[1].Load())
			if x.kill {
				require.NoError(t, h.Kill(""))
				r, err := h.Wait(t.Context())
				require.ErrorIs(t, err, ErrJobKilled)
				require.EqualValues(t, 4, r.Counters.Named(counter.GroupJob, "Killed map tasks"))
				small.wait(t)
				require.Equal(t, before, records[0].Load())
				return
			}
			small.wait(t)
			require.Equal(t, scheduling.JobRunning, h.Progress().State)
			h.wait(t)
			require.Equal(t, "x\t100\n", out.String())
			suspended, resumed := events.of(event.Suspended), events.of(event.Resumed)
			require.NotEmpty(t, suspended)
			require.Len(t, resumed, len(suspended))
			for i := range resumed {
				require.NotEqual(t, scheduling.NoNode, resumed[i].Node)
			}
			require.EqualValues(t, 100, records[0].Load(), "no record is mapped twice")
		})
	}
}

// The events of a job have a sensible order, and are equal after writing and parsing as JSON.
func TestEventsTellTheStory(t *testing.T) {
	var events recorder
	c := start(t, Config{Nodes: 4, Racks: 2, BlockSize: 100, Events: events.add, Explain: true})
	c.submit(t, wordCount(t, prose(1, 50), 2), SubmitOptions{User: "ada", Pool: "p"}).wait(t)

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
// The final progress has the numbers of the whole job.
func TestProgressGrows(t *testing.T) {
	bubble(t, Config{MapSlots: 1, ReduceSlots: 1, BlockSize: 1}, func(t *testing.T, c *Cluster) {
		job := mapped(1, func(line []byte, emit func(string, int64)) error {
			<-time.After(time.Second)
			return words(line, emit)
		})
		h, _ := submitLines(t, c, job, "a\nb\nc\nd\n", SubmitOptions{SlowStart: 0.5})
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
		r, p := h.wait(t), h.Progress()
		require.Equal(t, []float64{1, 1}, []float64{p.MapFraction, p.ReduceFraction})
		require.Equal(t, []TaskCounts{{Total: 8, Done: 8}, {Total: 1, Done: 1}}, []TaskCounts{p.Maps, p.Reduces})
		require.Equal(t, []int64{4, 8, 8}, []int64{p.Records, p.Bytes, p.InputBytes})
		require.Equal(t, 8, p.NodeLocal)
		require.Equal(t, []any{scheduling.JobSucceeded, r.Elapsed}, []any{p.State, p.Elapsed})
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
		h, _ := submitLines(t, c, job, text.String())
		synctest.Wait()
		require.InDelta(t, 1.0/3+2.0/3/2, h.Progress().ReduceFraction, 0.1)
		close(release)
		h.wait(t)
	})
}

// stumble returns a function that takes 100 ms for a line, and in addition long for the first line
// "stone".
func stumble(long time.Duration) func(line []byte) {
	var before atomic.Bool
	return func(line []byte) {
		<-time.After(100 * time.Millisecond)
		if string(line) == "stone" && !before.Swap(true) {
			<-time.After(long)
		}
	}
}

// stumbling returns a plan whose first attempt at the map with the line "stone" is slow. The job
// counts words, or copies lines if mapOnly.
func stumbling(t *testing.T, mapOnly bool, long time.Duration, text string) (*mapreduce.Plan, *bytes.Buffer) {
	pause := stumble(long)
	if !mapOnly {
		job := mapped(2, func(line []byte, emit func(string, int64)) error {
			pause(line)
			return words(line, emit)
		})
		return bindLines(t, job, text)
	}
	job := mapreduce.MapOnly[[]byte, string]{Name: "lines", Map: func(line []byte, emit func(string)) error {
		pause(line)
		emit(string(line))
		return nil
	}}
	out := new(bytes.Buffer)
	p, err := job.Bind(mapreduce.Lines(mapreduce.Bytes("text", []byte(text))), mapreduce.Text[string](mapreduce.Writer("out", out)))
	require.NoError(t, err)
	return p, out
}

// If an attempt is stuck, a speculative attempt on another node completes its task, or the first
// one does if it continues earlier. Output and counters are those of one attempt.
func TestCopiesOfStuckMaps(t *testing.T) {
	text := strings.Repeat("some words and more\n", 40) + "stone\n"
	policy, err := scheduling.Preset("fair")
	require.NoError(t, err)
	policy.Speculation = scheduling.SpeculationPolicy{Rule: scheduling.LATE, Lag: 5 * time.Second}
	for _, long := range []time.Duration{6 * time.Second, 10 * time.Minute} {
		for _, mapOnly := range []bool{false, true} {
			p, want := stumbling(t, mapOnly, 0, text)
			var local *counter.Set
			synctest.Test(t, func(t *testing.T) {
				local, err = mapreduce.RunLocal(context.Background(), p, mapreduce.LocalOptions{})
				require.NoError(t, err)
			})
			var copies, superseded atomic.Int32
			cfg := Config{Nodes: 4, MapSlots: 1, ReduceSlots: 1, Policy: policy, BlockSize: 210, Events: func(e Event) {
				switch {
				case e.Type == event.Launched && e.Reason.Cause == event.CauseSlowTask:
					copies.Add(1)
				case e.Type == event.Killed && e.Reason.Cause == event.CauseSuperseded:
					superseded.Add(1)
				}
			}}
			bubble(t, cfg, func(t *testing.T, c *Cluster) {
				p, out := stumbling(t, mapOnly, long, text)
				res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
				require.NoError(t, err)
				require.Equal(t, want.String(), out.String())
				for _, id := range []counter.ID{counter.MapInputRecords, counter.MapOutputRecords, counter.ReduceOutputRecords} {
					require.Equal(t, local.Get(id), res.Counters.Get(id), "%v", id)
				}
				require.Equal(t, int32(1), copies.Load(), "one task is slow")
				require.Equal(t, int32(1), superseded.Load(), "one attempt wins")
				pass(long) // until the overtaken attempt ends, which ignores its context
				c.requireNothingHeld(t)
			})
		}
	}
}
