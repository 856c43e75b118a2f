package actors

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
)

// The last report of an abandoned attempt says killed if the attempt had to stop, and failed after
// a timeout.
func TestStateOfAbandonedAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempt(&env{start: time.Now()}, aRun(t, 1), scheduling.AttemptID{Try: 2}, nil)
		time.Sleep(time.Second)
		a.cancel(errStopped)
		rep := a.lastReport()
		require.Equal(t, scheduling.Status{Attempt: a.id, State: scheduling.StateKilled}, rep.status)
		require.NoError(t, rep.err)
		require.Zero(t, rep.phases.Start, "when it came to its node")
		b := newAttempt(&env{start: time.Now()}, aRun(t, 1), scheduling.AttemptID{}, nil)
		b.cancel(ErrTaskTimeout)
		rep = b.lastReport()
		require.Equal(t, scheduling.StateFailed, rep.status.State)
		require.ErrorIs(t, rep.err, ErrTaskTimeout)
		require.Equal(t, rep.err.Error(), rep.status.Err)
		require.Contains(t, rep.status.Err, "left behind")
	})
}
