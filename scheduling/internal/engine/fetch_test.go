package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// shuffling returns a Core, its node and the running reduces of a job whose two maps are done.
func shuffling(t *testing.T, reduces int) (c *core.Core, n core.NodeID, r []core.AttemptID) {
	t.Helper()
	c, n = oneNode(t, "fair", nil, core.Node{Name: "n", MapSlots: 2, ReduceSlots: reduces})
	submit(t, c, core.JobSpec{Name: "j", Maps: 2, Reduces: reduces, SlowStart: 1, MaxAttempts: 3})
	m := beat(t, c, 1, n)
	require.Len(t, m, 2)
	r = beat(t, c, 2, n, core.Status{Attempt: m[0], State: core.StateSucceeded}, core.Status{Attempt: m[1], State: core.StateSucceeded})
	require.Len(t, r, reduces)
	return c, n, r
}

// unreachable returns the report of reduce r that it cannot fetch the output of map 0.
func unreachable(r core.AttemptID, try int32) core.Status {
	return core.Status{Attempt: r, Lost: []core.LostOutput{{Map: 0, Try: try, Unreachable: true}}}
}

// TestUnreachableForEver: a map that reruns as often as a task may fail makes its job fail.
func TestUnreachableForEver(t *testing.T) {
	c, n, r := shuffling(t, 1)
	for try := range int32(2) {
		again := beat(t, c, 3+time.Duration(2*try), n, unreachable(r[0], try))
		require.Len(t, again, 1)
		beat(t, c, 4+time.Duration(2*try), n, core.Status{Attempt: again[0], State: core.StateSucceeded})
	}
	last := unreachable(r[0], 2)
	last.State = core.StateSucceeded
	require.Empty(t, beat(t, c, 9, n, last))
	v := view(t, c, r[0].Task.Job)
	require.Equal(t, core.JobFailed, v.State)
	require.Contains(t, v.Err, "job_0001_m_000000 could not be fetched: it was made 3 times")
}

// A map reruns only when most reduces, suspended ones included, have missed its output. Reports of
// maps that do not exist are ignored.
func TestReportsOfSuspendedReduces(t *testing.T) {
	c, n, r := shuffling(t, 1)
	c.Job(1).Work[core.Reduce].Suspended = 1
	require.Empty(t, beat(t, c, 3, n, unreachable(r[0], 0)), "one of two is not most")
	c.Job(1).Work[core.Reduce].Suspended = 0
	for _, no := range []int32{-1, 2} {
		require.Empty(t, beat(t, c, 3, n, core.Status{Attempt: r[0], Lost: []core.LostOutput{{Map: no}}}))
	}
	require.Len(t, beat(t, c, 3, n, unreachable(r[0], 0)), 1)
}
