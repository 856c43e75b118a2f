package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// shuffling returns a Core, its node and the running reduces of a job whose two maps are done.
func shuffling(t *testing.T, reduces int) (c *core.Core, n model.NodeID, r []model.AttemptID) {
	t.Helper()
	c, n = oneNode(t, "fair", nil, model.Node{Name: "n", MapSlots: 2, ReduceSlots: reduces})
	submit(t, c, model.JobSpec{Name: "j", Maps: 2, Reduces: reduces, SlowStart: 1, MaxAttempts: 3})
	m := beat(t, c, 1, n)
	require.Len(t, m, 2)
	r = beat(t, c, 2, n, model.Status{Attempt: m[0], State: model.StateSucceeded}, model.Status{Attempt: m[1], State: model.StateSucceeded})
	require.Len(t, r, reduces)
	return c, n, r
}

// unreachable returns the report of reduce r that it cannot fetch the output of map 0.
func unreachable(r model.AttemptID, try int32) model.Status {
	return model.Status{Attempt: r, Lost: []model.LostOutput{{Map: 0, Try: try, Unreachable: true}}}
}

// TestUnreachableForEver: a map that reruns as often as a task may fail makes its job fail.
func TestUnreachableForEver(t *testing.T) {
	c, n, r := shuffling(t, 1)
	for try := range int32(2) {
		again := beat(t, c, 3+time.Duration(2*try), n, unreachable(r[0], try))
		require.Len(t, again, 1)
		beat(t, c, 4+time.Duration(2*try), n, model.Status{Attempt: again[0], State: model.StateSucceeded})
	}
	last := unreachable(r[0], 2)
	last.State = model.StateSucceeded
	require.Empty(t, beat(t, c, 9, n, last))
	v := jobView(t, c, r[0].Task.Job)
	require.Equal(t, model.JobFailed, v.State)
	require.Contains(t, v.Err, "job_0001_m_000000 could not be fetched: it was made 3 times")
}

// A map reruns only when most reduces, suspended ones included, have missed its output.
func TestReportsOfSuspendedReduces(t *testing.T) {
	c, n, r := shuffling(t, 1)
	c.Job(1).Work[model.Reduce].Suspended = 1
	require.Empty(t, beat(t, c, 3, n, unreachable(r[0], 0)), "one of two is not most")
	c.Job(1).Work[model.Reduce].Suspended = 0
	require.Len(t, beat(t, c, 3, n, unreachable(r[0], 0)), 1)
}
