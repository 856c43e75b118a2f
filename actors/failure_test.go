package actors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// recorder records a cluster's events: its method add is a Config.Events.
type recorder struct {
	mu   sync.Mutex
	list []Event
}

func (r *recorder) add(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, e)
}

// of returns the recorded events of a type.
func (r *recorder) of(want event.Type) []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.list), func(e Event) bool { return e.Type != want })
}

// holding returns a map that counts words. At a line that begins with "hold" it waits until release
// is closed or its attempt ends.
func holding(release <-chan struct{}) func(*mapreduce.Task) (mapper, error) {
	return func(t *mapreduce.Task) (mapper, error) {
		return mapper{Map: func(line []byte, emit func(string, int64)) error {
			if len(line) >= 4 && string(line[:4]) == "hold" {
				select {
				case <-release:
				case <-t.Context().Done():
					return t.Context().Err()
				}
			}
			return words(line, emit)
		}}, nil
	}
}

// hold submits a word count of "hold me", and returns when its map waits. The map waits until the
// test closes release or the attempt is stopped.
func (c *Cluster) hold(t *testing.T, o SubmitOptions) (h *JobHandle, out *bytes.Buffer, release chan struct{}) {
	t.Helper()
	release = make(chan struct{})
	job := tasked(1, holding(release))
	p, out := bindLines(t, job, "hold me\n")
	h = c.submit(t, p, o)
	synctest.Wait()
	return h, out, release
}

func TestFourAttempts(t *testing.T) {
	for fails, succeeds := range map[int32]bool{3: true, 4: false} {
		bubble(t, Config{}, func(t *testing.T, c *Cluster) {
			var tries atomic.Int32
			job := mapped(1, func(line []byte, emit func(string, int64)) error {
				if tries.Add(1) <= fails {
					return errors.New("not yet")
				}
				return words(line, emit)
			})
			p, out := bindLines(t, job, "a b a\n")
			r, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
			if succeeds {
				require.NoError(t, err)
				require.Equal(t, "a\t2\nb\t1\n", out.String())
			} else {
				require.ErrorIs(t, err, ErrJobFailed)
				require.ErrorContains(t, err, "not yet")
				require.ErrorContains(t, err, "job_0001_m_000000")
			}
			require.EqualValues(t, fails, r.Counters.Named(counter.GroupJob, "Failed map tasks"))
			require.EqualValues(t, 4, tries.Load())
		})
	}
}

// Kill ends the attempts of a job at once, and counters and progress count them by kind, none of
// them as running.
func TestKill(t *testing.T) {
	bubble(t, Config{Nodes: 3, MapSlots: 2, BlockSize: 4}, func(t *testing.T, c *Cluster) {
		job := tasked(2, holding(make(chan struct{})))
		h, out := submitLines(t, c, job, "a b\nhold\nhold\nhold\n", SubmitOptions{SlowStart: 1e-9})
		pass(time.Second)
		p := h.Progress()
		require.Equal(t, TaskCounts{Total: 5, Done: 2, Running: 3}, p.Maps)
		require.Equal(t, TaskCounts{Total: 2, Running: 2}, p.Reduces)
		began := time.Now()
		require.NoError(t, h.Kill("no longer wanted"))
		r, err := h.Wait(context.Background())
		require.ErrorIs(t, err, ErrJobKilled)
		require.ErrorContains(t, err, "no longer wanted")
		require.Less(t, time.Since(began), c.env.cfg.HeartbeatInterval, "nodes are poked")
		require.EqualValues(t, 3, r.Counters.Named(counter.GroupJob, "Killed map tasks"))
		require.EqualValues(t, 2, r.Counters.Named(counter.GroupJob, "Killed reduce tasks"))
		p = h.Progress()
		require.Equal(t, TaskCounts{Total: 5, Done: 2, Killed: 3}, p.Maps)
		require.Equal(t, TaskCounts{Total: 2, Killed: 2}, p.Reduces)
		require.Empty(t, out.String())
		require.NoError(t, h.Kill("twice"))
		synctest.Wait()
		c.requireNothingHeld(t)
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		h, _, release := c.hold(t, SubmitOptions{})
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, err := h.Wait(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		close(release)
		h.wait(t)
	})
}

// badError is an error whose method panics.
type badError struct{ p *int }

func (e *badError) Error() string { return fmt.Sprint(*e.p) }

// A job reports, in a short error, errors of user code of 5 MB or whose Error method panics.
func TestErrorsCanBeShown(t *testing.T) {
	bubble(t, Config{MaxAttempts: 1}, func(t *testing.T, c *Cluster) {
		for _, bad := range []error{
			fmt.Errorf("bad record %s", strings.Repeat("long ", 1<<20)),
			&badError{},
			(*badError)(nil),
		} {
			for _, doPanic := range []bool{false, true} {
				job := mapped(1, func([]byte, func(string, int64)) error {
					if doPanic {
						panic(bad)
					}
					return bad
				})
				_, err := failLines(t, c, job, "a\n")
				require.ErrorIs(t, err, bad)
				require.Less(t, len(err.Error()), 1000)
			}
		}
	})
}

// A failed job's error has the task's first failure: later ones may only be its consequences.
func TestFirstCauseIsReported(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		tries := 0
		job := mapped(1, func([]byte, func(string, int64)) error { tries++; return fmt.Errorf("try %d", tries) })
		_, err := failLines(t, c, job, "a\n")
		require.ErrorContains(t, err, `failed 4 times, first so: text: at byte 0, "a": try 1`)

		in := mapreduce.Lines(mapreduce.Stream("pipe", io.MultiReader(strings.NewReader("a\nb\n"), failingReader{})))
		p, err := counting(1).Bind(in, mapreduce.Text[pair](mapreduce.Writer("w", io.Discard)))
		require.NoError(t, err)
		h := c.submit(t, p, SubmitOptions{})
		res, err := h.Wait(context.Background())
		require.ErrorIs(t, err, errUser)
		require.NotErrorIs(t, err, cluster.ErrConsumed)
		require.Equal(t, 2, h.Progress().AnyPlace, "a stream is on no node")
		require.EqualValues(t, 2, res.Counters.Named(counter.GroupJob, "Failed map tasks"), "what is consumed stays so")
	})
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errUser }

// A mapreduce.Permanent error fails the job at once, without further attempts.
func TestPermanentErrorsAreNotRetried(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		job := mapped(1, func([]byte, func(string, int64)) error { return fmt.Errorf("line: %w", mapreduce.Permanent(errUser)) })
		res, err := failLines(t, c, job, "a\n")
		require.ErrorIs(t, err, errUser)
		require.EqualValues(t, 1, res.Counters.Named(counter.GroupJob, "Failed map tasks"))
		maps, _ := launches(res)
		require.EqualValues(t, 1, maps)
	})
}

// If a context with a deadline or cause ends, the errors of Run, of the job and of RunLocal name
// both.
func TestEndOfContext(t *testing.T) {
	why := errors.New("lunch")
	for name, end := range map[string]func() (context.Context, context.CancelFunc){
		"deadline": func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Minute)
		},
		"deadline with a cause": func() (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(context.Background(), time.Minute, why)
		},
		"canceled with a cause": func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(time.Minute, func() { cancel(why) })
			return ctx, func() { cancel(nil) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := end()
				defer cancel()
				blame := func(err error) {
					require.ErrorIs(t, err, ctx.Err())
					require.ErrorIs(t, err, context.Cause(ctx))
					pass(time.Second)
				}
				p, _ := bindLines(t, tasked(1, untilKilled), "a\n")
				_, err := Run(ctx, Config{}, p)
				require.ErrorIs(t, err, ErrJobKilled)
				blame(err)

				c, err := Start(Config{})
				require.NoError(t, err)
				h, _ := submitLines(t, c, tasked(1, untilKilled), "a\n")
				res, err := h.waitOrKill(ctx)
				require.ErrorIs(t, err, ErrJobKilled)
				require.Equal(t, scheduling.JobKilled, res.State)
				blame(err)
				require.NoError(t, c.Close())

				_, err = mapreduce.RunLocal(ctx, wordCount(t, "a\n", 1), mapreduce.LocalOptions{})
				blame(err)
			})
		})
	}
}
