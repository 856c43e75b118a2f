package actors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

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
				job := counting(1)
				job.Map = func([]byte, func(string, int64)) error {
					if doPanic {
						panic(bad)
					}
					return bad
				}
				p, _ := bindLines(t, job, "a\n")
				_, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
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
		job := counting(1)
		job.Map = func([]byte, func(string, int64)) error { tries++; return fmt.Errorf("try %d", tries) }
		p, _ := bindLines(t, job, "a\n")
		_, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorContains(t, err, `failed 4 times, first so: text: at byte 0, "a": try 1`)

		in := mapreduce.Lines(mapreduce.Stream("pipe", io.MultiReader(strings.NewReader("a\nb\n"), failingReader{})))
		p, err = counting(1).Bind(in, mapreduce.Text[pair](mapreduce.Writer("w", io.Discard)))
		require.NoError(t, err)
		res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorIs(t, err, errUser)
		require.NotErrorIs(t, err, cluster.ErrConsumed)
		require.EqualValues(t, 2, res.Counters.Named(counter.GroupJob, "Failed map tasks"), "what is consumed stays so")
	})
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errUser }

// A mapreduce.Permanent error fails the job at once, without further attempts.
func TestPermanentErrorsAreNotRetried(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		job := counting(1)
		job.Map = func([]byte, func(string, int64)) error { return fmt.Errorf("line: %w", mapreduce.Permanent(errUser)) }
		p, _ := bindLines(t, job, "a\n")
		res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorIs(t, err, errUser)
		require.EqualValues(t, 1, res.Counters.Named(counter.GroupJob, "Failed map tasks"))
		maps, _ := launches(res)
		require.EqualValues(t, 1, maps)
	})
}

// If a context with a deadline or cause ends, the errors of Run and of the job name both.
func TestEndOfContext(t *testing.T) {
	why := errors.New("lunch")
	for name, end := range map[string]struct {
		want error
		ctx  func() (context.Context, context.CancelFunc)
	}{
		"deadline": {context.DeadlineExceeded, func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Minute)
		}},
		"deadline with a cause": {context.DeadlineExceeded, func() (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(context.Background(), time.Minute, why)
		}},
		"canceled with a cause": {context.Canceled, func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(time.Minute, func() { cancel(why) })
			return ctx, func() { cancel(nil) }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				job := counting(1)
				job.Map, job.MapTask = nil, untilKilled
				p, _ := bindLines(t, job, "a\n")
				ctx, cancel := end.ctx()
				defer cancel()
				_, err := Run(ctx, Config{}, p)
				require.ErrorIs(t, err, ErrJobKilled)
				require.ErrorIs(t, err, end.want)
				require.ErrorIs(t, err, context.Cause(ctx))
				pass(time.Second)

				c, err := Start(Config{})
				require.NoError(t, err)
				job = counting(1)
				job.Map, job.MapTask = nil, untilKilled
				p, _ = bindLines(t, job, "a\n")
				h, err := c.Submit(context.Background(), p, SubmitOptions{})
				require.NoError(t, err)
				res, err := h.waitOrKill(ctx)
				require.ErrorIs(t, err, ErrJobKilled)
				require.ErrorIs(t, err, end.want)
				require.ErrorIs(t, err, context.Cause(ctx))
				require.Equal(t, scheduling.JobKilled, res.State)
				require.NoError(t, c.Close())
				pass(time.Second)

				p, _ = bindLines(t, counting(1), "a\n")
				_, err = Run(ctx, Config{}, p)
				if err != nil { // the context ended before the job
					require.ErrorIs(t, err, end.want)
				}
				p, _ = bindLines(t, counting(1), "a\n")
				_, err = mapreduce.RunLocal(ctx, p, mapreduce.LocalOptions{})
				require.ErrorIs(t, err, end.want)
				require.ErrorIs(t, err, context.Cause(ctx))
				pass(time.Second)
			})
		})
	}
}
