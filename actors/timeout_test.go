package actors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
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

// hangingFirst returns a word count whose first map attempt calls hang at the first line.
func hangingFirst(hang func(*mapreduce.Task) error) mapreduce.Job[[]byte, string, int64, pair] {
	job := counting(1)
	var first atomic.Bool
	job.Map, job.MapTask = nil, func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
		return mapreduce.Mapper[[]byte, string, int64]{Map: func(line []byte, emit func(string, int64)) error {
			if !first.Swap(true) {
				if err := hang(t); err != nil {
					return err
				}
			}
			return words(line, emit)
		}}, nil
	}
	return job
}

// An attempt without progress for the task timeout is stopped and counts as failed. Another attempt
// completes the task.
func TestTaskTimeout(t *testing.T) {
	var rec recorder
	bubble(t, Config{Events: rec.add, TaskTimeout: 3 * time.Minute}, func(t *testing.T, c *Cluster) {
		job := hangingFirst(func(t *mapreduce.Task) error {
			<-t.Context().Done()
			return t.Context().Err()
		})
		p, out := bindLines(t, job, "a b\nc\n")
		r := c.submit(t, p, SubmitOptions{}).wait(t)
		require.Equal(t, "a\t1\nb\t1\nc\t1\n", out.String())
		require.EqualValues(t, 1, r.Counters.Named(counter.GroupJob, "Failed map tasks"))
		require.GreaterOrEqual(t, r.Elapsed, 3*time.Minute)
		require.Less(t, r.Elapsed, 3*time.Minute+3*c.env.cfg.HeartbeatInterval)
		failed := rec.of(event.Failed)
		require.Len(t, failed, 1)
		require.Regexp(t, `^text: at byte 0, "a b": task timeout: no progress for 3m0s, in text, bytes 0 to \d+, at actors/timeout_test.go:\d+$`, failed[0].Err)
		c.requireNothingHeld(t)
	})
}

// An attempt that ignores its context after a timeout is abandoned. Another one completes the task
// in the same slot, with the same compute token. What the first one does later has no effect.
func TestAbandonedAttempt(t *testing.T) {
	var heard bytes.Buffer
	log := slog.New(slog.NewTextHandler(&heard, nil))
	bubble(t, Config{MapSlots: 1, ReduceSlots: 1, Parallelism: 1, Logger: log}, func(t *testing.T, c *Cluster) {
		release := make(chan struct{})
		job := hangingFirst(func(t *mapreduce.Task) error {
			t.Counter("own", "first").Add(1)
			<-release
			return nil
		})
		p, out := bindLines(t, job, "a b\nc\n")
		r := c.submit(t, p, SubmitOptions{}).wait(t)
		require.Equal(t, "a\t1\nb\t1\nc\t1\n", out.String())
		require.EqualValues(t, 1, r.Counters.Named(counter.GroupJob, "Failed map tasks"))
		require.EqualValues(t, 2, r.Counters.Get(counter.MapInputRecords))
		require.EqualValues(t, 0, r.Counters.Named("own", "first"))
		require.Less(t, r.Elapsed, 10*time.Minute+abandonAfter+time.Second)
		require.Regexp(t, `is abandoned: .* attempt="job_0001_m_000000_0 of .* at=actors/timeout_test.go:\d+`, heard.String())
		require.Positive(t, c.env.memory.Used()-c.env.buffers.Idle(), "it holds its memory until it ends")
		require.Empty(t, c.env.computeTokens)

		again, count := bindLines(t, counting(1), "d\n")
		c.submit(t, again, SubmitOptions{}).wait(t)
		require.Equal(t, "d\t1\n", count.String(), "the slot goes on")
		close(release)
		synctest.Wait()
		require.Equal(t, "a\t1\nb\t1\nc\t1\n", out.String())
		require.Empty(t, c.env.computeTokens)
		c.requireNothingHeld(t)
	})
}

// If every attempt of a job hangs for ever, the job fails and its error has the place in the code.
// Kill, Halt and Close do not wait for such code.
func TestAbandonedForGood(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	hang := func(t *testing.T) *mapreduce.Plan {
		job := counting(1)
		job.Map = func([]byte, func(string, int64)) error { <-release; return nil }
		return first(bindLines(t, job, "a\n"))
	}
	start := func(t *testing.T) *Cluster {
		c, err := Start(Config{MaxAttempts: 2, Parallelism: 1})
		require.NoError(t, err)
		return c
	}
	for name, end := range map[string]func(*testing.T, *Cluster, *JobHandle) time.Duration{
		"timeout": func(t *testing.T, _ *Cluster, h *JobHandle) time.Duration {
			_, err := h.Wait(context.Background())
			require.ErrorIs(t, err, ErrTaskTimeout)
			require.ErrorIs(t, err, ErrJobFailed)
			require.ErrorContains(t, err, "in text, bytes 0 to 2, at actors/timeout_test.go:")
			require.ErrorContains(t, err, "failed 2 times")
			return 21 * time.Minute
		},
		"kill": func(t *testing.T, _ *Cluster, h *JobHandle) time.Duration {
			require.NoError(t, h.Kill(""))
			_, err := h.Wait(context.Background())
			require.ErrorIs(t, err, ErrJobKilled)
			return abandonAfter
		},
		"halt": func(t *testing.T, c *Cluster, h *JobHandle) time.Duration {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			require.NoError(t, c.Halt(ctx))
			return time.Second + abandonAfter
		},
		"close": func(t *testing.T, c *Cluster, _ *JobHandle) time.Duration {
			require.NoError(t, c.Close())
			return abandonAfter
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release = make(chan struct{})
				c := start(t)
				h := c.submit(t, hang(t), SubmitOptions{})
				synctest.Wait()
				began := time.Now()
				most := end(t, c, h)
				require.LessOrEqual(t, time.Since(began), most)
				began = time.Now()
				require.NoError(t, c.Close())
				require.Less(t, time.Since(began), time.Second)
				close(release)
				pass(time.Minute)
				release = make(chan struct{})
			})
		})
	}
}

// The compute token of an attempt that hangs on a stopped node goes to other attempts.
func TestAbandonedOnALostNode(t *testing.T) {
	bubble(t, Config{Nodes: 2, Parallelism: 1, MapSlots: 1, ReduceSlots: 1}, func(t *testing.T, c *Cluster) {
		release := make(chan struct{})
		var rec atomic.Value
		job := hangingFirst(func(task *mapreduce.Task) error {
			rec.Store(task.ID())
			<-release
			return nil
		})
		p, out := bindLines(t, job, "a\n")
		h := c.submit(t, p, SubmitOptions{})
		synctest.Wait()
		require.NotNil(t, rec.Load())
		for _, name := range c.names() {
			if c.running(t, name) > 0 {
				require.NoError(t, c.StopNode(name))
			}
		}
		r := h.wait(t)
		require.Less(t, r.Elapsed, abandonAfter+2*time.Second)
		require.Equal(t, "a\t1\n", out.String())
		close(release)
		synctest.Wait()
		c.requireNothingHeld(t)
	})
}

// running returns the number of maps that run on a node, as the scheduler counts them.
func (c *Cluster) running(t *testing.T, node string) (n int) {
	t.Helper()
	id, err := c.node(node)
	require.NoError(t, err)
	require.NoError(t, c.Inspect(func(v scheduling.View) {
		n = v.Nodes()[id].Running[scheduling.Map]
	}))
	return n
}

// An attempt with frequent progress of any kind, such as records or emits, does not time out.
// Neither does one that waits for other tasks.
func TestSignsOfLife(t *testing.T) {
	const limit = 10 * time.Minute
	slowly := func(step func()) error {
		for range 5 {
			time.Sleep(limit - time.Minute)
			step()
		}
		return nil
	}
	for name, job := range map[string]func() mapreduce.Job[[]byte, string, int64, pair]{
		"records": func() mapreduce.Job[[]byte, string, int64, pair] {
			job := counting(1)
			job.Map = func(line []byte, emit func(string, int64)) error {
				time.Sleep(limit - time.Minute)
				return words(line, emit)
			}
			return job
		},
		"emits": func() mapreduce.Job[[]byte, string, int64, pair] {
			job := counting(1)
			job.Map = func(_ []byte, emit func(string, int64)) error { return slowly(func() { emit("a", 1) }) }
			return job
		},
		"emits without combiner": func() mapreduce.Job[[]byte, string, int64, pair] {
			job := counting(1)
			job.Sum = false
			job.Map = func(_ []byte, emit func(string, int64)) error { return slowly(func() { emit("a", 1) }) }
			return job
		},
		"counter": func() mapreduce.Job[[]byte, string, int64, pair] {
			return hangingFirst(func(t *mapreduce.Task) error {
				n := t.Counter("own", "steps")
				return slowly(func() { n.Add(1) })
			})
		},
		"progress": func() mapreduce.Job[[]byte, string, int64, pair] {
			return hangingFirst(func(t *mapreduce.Task) error { return slowly(t.Progress) })
		},
		"values of a reduce": func() mapreduce.Job[[]byte, string, int64, pair] {
			job := counting(1)
			job.Sum = false
			job.Reduce = func(k string, values iter.Seq[int64], emit func(pair)) error {
				n := int64(0)
				for v := range values {
					time.Sleep(limit - time.Minute)
					n += v
				}
				emit(mapreduce.MakePair(k, n))
				return nil
			}
			return job
		},
		"emits of a reduce": func() mapreduce.Job[[]byte, string, int64, pair] {
			job := counting(1)
			job.Reduce = func(k string, _ iter.Seq[int64], emit func(pair)) error {
				return slowly(func() { emit(mapreduce.MakePair(k, int64(1))) })
			}
			return job
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, Config{TaskTimeout: limit}, func(t *testing.T, c *Cluster) {
				p, _ := bindLines(t, job(), "a\na\na\n")
				r := c.submit(t, p, SubmitOptions{SlowStart: 1e-9}).wait(t)
				require.Zero(t, r.Counters.Named(counter.GroupJob, "Failed map tasks"))
				require.Zero(t, r.Counters.Named(counter.GroupJob, "Failed reduce tasks"))
				require.Greater(t, r.Elapsed, 2*limit)
			})
		})
	}
}

// An attempt that waits for its compute token does not time out.
func TestWaitingIsNoHanging(t *testing.T) {
	bubble(t, Config{MapSlots: 2, Parallelism: 1}, func(t *testing.T, c *Cluster) {
		job := counting(1)
		job.Map = func(line []byte, emit func(string, int64)) error {
			for range 4 {
				time.Sleep(9 * time.Minute)
				emit(string(line), 1)
			}
			return nil
		}
		var out [2]*bytes.Buffer
		var jobs [2]*JobHandle
		for i := range jobs {
			var p *mapreduce.Plan
			p, out[i] = bindLines(t, job, "a\n")
			jobs[i] = c.submit(t, p, SubmitOptions{})
		}
		for i, h := range jobs {
			r := h.wait(t)
			require.Zero(t, r.Counters.Named(counter.GroupJob, "Failed map tasks"))
			require.Equal(t, "a\t4\n", out[i].String())
		}
	})
}

// TestNoTaskTimeout: a negative timeout disables it.
func TestNoTaskTimeout(t *testing.T) {
	bubble(t, Config{TaskTimeout: -1}, func(t *testing.T, c *Cluster) {
		p, out := bindLines(t, hangingFirst(func(*mapreduce.Task) error { time.Sleep(time.Hour); return nil }), "a\n")
		c.submit(t, p, SubmitOptions{}).wait(t)
		require.Equal(t, "a\t1\n", out.String())
	})
}

// The error of a hanging attempt says how far it had come: its fetched outputs or its records.
func TestPlaceOfAHangingAttempt(t *testing.T) {
	a, _ := aReduce(3)
	a.fetched.Store(2)
	require.Equal(t, "with the outputs of 2 maps of 3", a.stand())
	a.fetched.Store(3)
	a.input.Store(40)
	a.progress.Records.Store(30)
	require.Equal(t, "after about 30 of 40 records", a.stand())
	m := &attempt{run: aRun(t, 1)}
	require.Equal(t, "before the first record", m.stand())

	hung := fmt.Errorf("%w: still", ErrTaskTimeout)
	at := &mapreduce.RecordError{Input: "in", Offset: 3, Err: errors.New("was")}
	require.ErrorIs(t, placed(hung, fmt.Errorf("map: %w", at)), ErrTaskTimeout)
	require.ErrorContains(t, placed(hung, at), "in: at byte 3")
	require.Equal(t, "was", at.Err.Error(), "the error itself stays as it was")
	require.Equal(t, hung, placed(hung, errors.New("no record")))
	require.Equal(t, errStopped, placed(errStopped, at))
}
