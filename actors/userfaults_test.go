package actors

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// User code fails at each place where it runs, by an error, a panic or Goexit. The job ends with an
// error that names the cause, and removes its output. The cluster then runs another job.
func TestFaultsOfUserCode(t *testing.T) {
	places := []string{
		"map task", "map", "close map", "partition", "combine", "marshal", "unmarshal", "view",
		"reduce task", "reduce", "close reduce", "encode",
		"setup", "begin", "write", "close", "complete", "create success", "close source",
	}
	for _, place := range places {
		for way, fail := range ways {
			t.Run(place+" "+way, func(t *testing.T) {
				bubble(t, Config{Nodes: 2, MaxAttempts: 2, BlockSize: 4}, func(t *testing.T, c *Cluster) {
					failAt(t, c, place, way, fail)
					c.requireAlive(t)
					synctest.Wait()
					c.requireNothingHeld(t)
				})
			})
		}
	}
}

func failAt(t *testing.T, c *Cluster, place, way string, fail func() error) {
	p, contents, err := userPlan(t, place, fail)
	require.NoError(t, err)
	type outcome struct {
		h   *JobHandle
		err error
	}
	submitted := make(chan outcome, 1)
	go func() { // user code may exit the goroutine of Submit
		var o outcome
		returned := false
		defer func() {
			if !returned {
				o.err = cluster.Exited()
			}
			submitted <- o
		}()
		o.h, o.err = c.Submit(context.Background(), p, SubmitOptions{})
		returned = true
	}()
	o := <-submitted
	began := time.Now()
	if o.err == nil {
		_, o.err = o.h.Wait(context.Background())
		require.ErrorIs(t, o.err, ErrJobFailed)
	}
	require.Error(t, o.err)
	require.Less(t, time.Since(began), time.Minute)
	blame(t, way, o.err)
	if place == "map" {
		require.ErrorContains(t, o.err, "user.txt: at byte ")
	}
	if place != "close source" { // the abort closes the source after it has removed the output
		require.Empty(t, contents())
	}
}

// A job's counters omit attempts that did all their work but failed at its end or at the commit.
func TestOnlyCommittedAttemptsCount(t *testing.T) {
	for _, place := range []string{"complete", "close", "close reduce", "close map"} {
		bubble(t, Config{BlockSize: 4}, func(t *testing.T, c *Cluster) {
			var calls atomic.Int64 // attempts run in parallel
			p, _, err := userPlan(t, place, func() error {
				if calls.Add(1) == 2 {
					return errUser
				}
				return nil
			})
			require.NoError(t, err)
			r := c.submit(t, p, SubmitOptions{}).wait(t).Counters
			kind := "reduce"
			if place == "close map" {
				kind = "map"
			}
			require.EqualValues(t, 1, r.Named(counter.GroupJob, "Failed "+kind+" tasks"), place)
			require.EqualValues(t, 4, r.Get(counter.MapInputRecords), place)
			require.EqualValues(t, 3, r.Get(counter.ReduceInputGroups), place)
			require.EqualValues(t, 3, r.Get(counter.ReduceOutputRecords), place)
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// lineCopy returns a map-only job that copies lines to w.
func lineCopy(t *testing.T, w io.Writer) *mapreduce.Plan {
	t.Helper()
	job := mapreduce.MapOnly[[]byte, []byte]{Map: func(line []byte, emit func([]byte)) error { emit(line); return nil }}
	p, err := job.Bind(mapreduce.Lines(mapreduce.Bytes("text", []byte("one\ntwo\nthree\n"))), mapreduce.Text[[]byte](mapreduce.Writer("w", w)))
	require.NoError(t, err)
	return p
}

// A part is sent to a Writer only once. If the Writer fails in any way, the job fails at once and
// does not call it again.
func TestFaultsOfAWriter(t *testing.T) {
	for way, fail := range ways {
		bubble(t, Config{BlockSize: 4}, func(t *testing.T, c *Cluster) {
			calls := 0
			p := lineCopy(t, writerFunc(func(p []byte) (int, error) {
				if calls++; calls == 1 {
					return 0, fail()
				}
				return len(p), nil
			}))
			res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
			require.ErrorIs(t, err, ErrJobFailed)
			blame(t, way, err)
			require.Equal(t, 1, calls)
			if way != "goexit" {
				require.EqualValues(t, 1, res.Counters.Named(counter.GroupJob, "Failed map tasks"), "not tried again")
			}
		})
	}
}

// Nodes can replicate a file whose source fails at every read, because they copy no bytes. They
// stay alive.
func TestCopiesOfAFaultySource(t *testing.T) {
	for way, fail := range ways {
		cfg := Config{Nodes: 3, Replication: 2, Expiry: 5 * time.Second, BlockSize: 4}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			src := &userSource{at: func(string) error { return fail() }, data: []byte("one\ntwo\none\nthree\n")}
			require.NoError(t, c.FS().Register("in", src, 4))
			require.NoError(t, c.KillNode("node-01"))
			pass(time.Minute)
			blocks, err := c.FS().Blocks("in")
			require.NoError(t, err)
			for _, b := range blocks {
				require.Len(t, b.Nodes, 2, way)
			}
			c.requireAlive(t)
		})
	}
}
