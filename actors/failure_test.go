package actors

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
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
func holding(release <-chan struct{}) func(*mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
	return func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
		return mapreduce.Mapper[[]byte, string, int64]{Map: func(line []byte, emit func(string, int64)) error {
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
	job := counting(1)
	job.Map, job.MapTask = nil, holding(release)
	p, out := bindLines(t, job, "hold me\n")
	h = c.submit(t, p, o)
	synctest.Wait()
	return h, out, release
}

func TestFourAttempts(t *testing.T) {
	for fails, succeeds := range map[int32]bool{3: true, 4: false} {
		bubble(t, Config{}, func(t *testing.T, c *Cluster) {
			var tries atomic.Int32
			job := counting(1)
			job.Map = func(line []byte, emit func(string, int64)) error {
				if tries.Add(1) <= fails {
					return errors.New("not yet")
				}
				return words(line, emit)
			}
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

func TestKill(t *testing.T) {
	bubble(t, Config{Nodes: 3, MapSlots: 2, BlockSize: 4}, func(t *testing.T, c *Cluster) {
		job := counting(2)
		job.Map, job.MapTask = nil, untilKilled
		p, out := bindLines(t, job, "a b\nc d\ne f\ng h\n")
		h := c.submit(t, p, SubmitOptions{})
		synctest.Wait()
		require.Equal(t, 4, h.Progress().Maps.Running)
		began := time.Now()
		require.NoError(t, h.Kill("no longer wanted"))
		r, err := h.Wait(context.Background())
		require.ErrorIs(t, err, ErrJobKilled)
		require.ErrorContains(t, err, "no longer wanted")
		require.Less(t, time.Since(began), c.env.cfg.HeartbeatInterval, "nodes are poked")
		require.EqualValues(t, 4, r.Counters.Named(counter.GroupJob, "Killed map tasks"))
		require.Empty(t, out.String())
		require.NoError(t, h.Kill("twice"))
		synctest.Wait()
		c.requireNothingHeld(t)
	})
}

func TestKillOfCodeThatDoesNotReturn(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		release := make(chan struct{})
		job := counting(1)
		job.Map = func([]byte, func(string, int64)) error { <-release; return nil }
		h := c.submit(t, first(bindLines(t, job, "a\n")), SubmitOptions{})
		synctest.Wait()
		began := time.Now()
		require.NoError(t, h.Kill(""))
		_, err := h.Wait(context.Background())
		require.ErrorIs(t, err, ErrJobKilled)
		require.Equal(t, endGrace, time.Since(began))
		close(release)
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
