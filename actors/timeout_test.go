package actors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
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

// hangingFirst returns a word count whose first map attempt calls hang at the first line.
func hangingFirst(hang func(*mapreduce.Task) error) countJob {
	job := counting(1)
	var first atomic.Bool
	job.Map, job.MapTask = nil, func(t *mapreduce.Task) (mapper, error) {
		return mapper{Map: func(line []byte, emit func(string, int64)) error {
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
		r, out := runLines(t, c, job, "a b\nc\n")
		require.Equal(t, "a\t1\nb\t1\nc\t1\n", out)
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
		h, out := submitLines(t, c, job, "a b\nc\n")
		r := h.wait(t)
		require.Equal(t, "a\t1\nb\t1\nc\t1\n", out.String())
		require.EqualValues(t, 1, r.Counters.Named(counter.GroupJob, "Failed map tasks"))
		require.EqualValues(t, 2, r.Counters.Get(counter.MapInputRecords))
		require.EqualValues(t, 0, r.Counters.Named("own", "first"))
		require.Less(t, r.Elapsed, 10*time.Minute+abandonAfter+time.Second)
		require.Regexp(t, `is abandoned: .* attempt="job_0001_m_000000_0 of .* at=actors/timeout_test.go:\d+`, heard.String())
		require.Positive(t, c.env.memory.Used()-c.env.buffers.Idle(), "it holds its memory until it ends")
		require.Empty(t, c.env.computeTokens)

		c.requireAlive(t) // the slot goes on
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
		job := mapped(1, func([]byte, func(string, int64)) error { <-release; return nil })
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
			require.ErrorContains(t, err, "left behind")
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

// The last report of an abandoned attempt says killed if the attempt had to stop, and failed after
// a timeout.
func TestStateOfAbandonedAttempts(t *testing.T) {
	for cause, want := range map[error]scheduling.AttemptState{
		errStopped: scheduling.StateKilled, ErrTaskTimeout: scheduling.StateFailed,
	} {
		a := newAttempt(&env{start: time.Now()}, aRun(t, 1), scheduling.AttemptID{}, nil)
		a.cancel(cause)
		require.Equal(t, want, a.lastReport().status.State)
		require.Equal(t, want == scheduling.StateFailed, errors.Is(a.lastReport().err, cause))
	}
}

// A job does not wait for an attempt of a lost node whose user code continues: another attempt gets
// its compute token and completes the task. The first one ends later and changes nothing.
func TestAbandonedOnALostNode(t *testing.T) {
	for _, kill := range []bool{false, true} {
		var events recorder
		cfg := Config{Nodes: 2, Parallelism: 1, MapSlots: 1, ReduceSlots: 1, Events: events.add}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			release := make(chan struct{})
			h, out := submitLines(t, c, hangingFirst(func(*mapreduce.Task) error { <-release; return nil }), "a b\n")
			synctest.Wait()
			lose, within := c.StopNode, abandonAfter+2*time.Second
			if kill {
				lose, within = c.KillNode, c.env.cfg.Expiry+time.Minute
			}
			require.NoError(t, lose(events.of(event.Launched)[0].NodeName))
			require.Less(t, h.wait(t).Elapsed, within)
			close(release)
			synctest.Wait()
			require.Equal(t, "a\t1\nb\t1\n", out.String())
			c.requireNothingHeld(t)
		})
	}
}

// An attempt with frequent progress of any kind, such as records or emits, does not time out.
// Neither does one that waits for other tasks or for its compute token.
func TestSignsOfLife(t *testing.T) {
	const limit = 10 * time.Minute
	slowly := func(step func()) error {
		for range 5 {
			time.Sleep(limit - time.Minute)
			step()
		}
		return nil
	}
	emits := mapped(1, func(_ []byte, emit func(string, int64)) error { return slowly(func() { emit("a", 1) }) })
	kept := emits
	kept.Sum = false
	reduced := func(f func(k string, values iter.Seq[int64], emit func(pair)) error) countJob {
		job := counting(1)
		job.Sum, job.Reduce = false, f
		return job
	}
	for name, job := range map[string]countJob{
		"records": mapped(1, func(line []byte, emit func(string, int64)) error {
			time.Sleep(limit - time.Minute)
			return words(line, emit)
		}),
		"emits":                       emits,
		"emits without combiner":      kept,
		"waiting for a compute token": emits,
		"counter": hangingFirst(func(t *mapreduce.Task) error {
			n := t.Counter("own", "steps")
			return slowly(func() { n.Add(1) })
		}),
		"progress": hangingFirst(func(t *mapreduce.Task) error { return slowly(t.Progress) }),
		"values of a reduce": reduced(func(k string, values iter.Seq[int64], emit func(pair)) error {
			for range values {
				time.Sleep(limit - time.Minute)
			}
			emit(mapreduce.MakePair(k, int64(1)))
			return nil
		}),
		"emits of a reduce": reduced(func(k string, _ iter.Seq[int64], emit func(pair)) error {
			return slowly(func() { emit(mapreduce.MakePair(k, int64(1))) })
		}),
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{TaskTimeout: limit}
			if strings.HasPrefix(name, "waiting") { // three maps, one at a time
				cfg.BlockSize, cfg.MapSlots, cfg.Parallelism = 2, 3, 1
			}
			bubble(t, cfg, func(t *testing.T, c *Cluster) {
				r, _ := runLines(t, c, job, "a\na\na\n", SubmitOptions{SlowStart: 1e-9})
				require.Zero(t, r.Counters.Named(counter.GroupJob, "Failed map tasks"))
				require.Zero(t, r.Counters.Named(counter.GroupJob, "Failed reduce tasks"))
				require.Greater(t, r.Elapsed, 2*limit)
			})
		})
	}
}

// TestNoTaskTimeout: a negative timeout disables it.
func TestNoTaskTimeout(t *testing.T) {
	bubble(t, Config{TaskTimeout: -1}, func(t *testing.T, c *Cluster) {
		_, out := runLines(t, c, hangingFirst(func(*mapreduce.Task) error { time.Sleep(time.Hour); return nil }), "a\n")
		require.Equal(t, "a\t1\n", out)
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
