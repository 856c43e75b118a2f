package actors

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Close waits at most the task timeout for user code that completes a job's output, and its error
// names the job. If that code returns earlier, or the timeout is off, Close waits for it. Callers
// of Wait get the job's result when the job has ended.
func TestCloseWaitsAtMostTheTimeout(t *testing.T) {
	for limit, after := range map[time.Duration]time.Duration{
		time.Minute: time.Hour, time.Hour: time.Minute, -1: 20 * time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, err := Start(Config{TaskTimeout: limit})
			require.NoError(t, err)
			release := make(chan struct{})
			p, out, err := userPlan("create success", func() error { <-release; return nil })
			require.NoError(t, err)
			h := c.submit(t, p, SubmitOptions{})
			pass(time.Second)
			time.AfterFunc(after, func() { close(release) })
			began := time.Now()
			err = c.Close()
			if took := time.Since(began); limit == time.Minute {
				require.ErrorIs(t, err, ErrTaskTimeout)
				require.ErrorContains(t, err, `the end of job_0001 "faults" does not return`)
				require.GreaterOrEqual(t, took, limit)
				require.Less(t, took, limit+30*time.Second)
			} else {
				require.NoError(t, err)
				require.Equal(t, after, took)
			}
			h.wait(t)
			require.Contains(t, out.files, "out/_SUCCESS")
			pass(time.Minute)
		})
	}
}

// Close waits for a Submit whose job is being prepared. This Submit returns ErrClosed, and nothing
// of its job remains.
func TestCloseWaitsForSubmits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := Start(Config{IdleMemory: -1})
		require.NoError(t, err)
		release := make(chan struct{})
		p, out, err := userPlan("setup", func() error { <-release; return nil })
		require.NoError(t, err)
		ended, closed := make(chan error, 1), make(chan error, 1)
		go func() {
			h, err := c.Submit(t.Context(), p, SubmitOptions{})
			if err == nil {
				_, err = h.Wait(t.Context())
			}
			ended <- err
		}()
		synctest.Wait()
		go func() { closed <- c.Close() }()
		pass(20 * time.Minute)
		require.Empty(t, closed, "a job is under way")
		require.Empty(t, ended)
		close(release)
		require.ErrorIs(t, <-ended, ErrClosed)
		require.NoError(t, <-closed)
		require.Empty(t, out.files)
		require.Zero(t, c.env.memory.Used())
		pass(time.Minute)
	})
}

// An abandoned attempt that ends after its job does not change the output of a successful job.
// After a killed job it creates none.
func TestLateAttemptAndTheOutput(t *testing.T) {
	for _, succeeds := range []bool{true, false} {
		bubble(t, Config{MaxAttempts: 2, MapSlots: 1, ReduceSlots: 1}, func(t *testing.T, c *Cluster) {
			release, first := make(chan struct{}), true
			p, out, err := userPlan("map", func() error {
				if first || !succeeds {
					first = false
					<-release
				}
				return nil
			})
			require.NoError(t, err)
			h := c.submit(t, p, SubmitOptions{})
			_, err = h.Wait(t.Context())
			require.Equal(t, succeeds, err == nil, "%v", err)
			before := len(out.files)
			require.Equal(t, succeeds, before > 0)
			close(release)
			pass(time.Minute)
			require.Len(t, out.files, before)
		})
	}
}
