package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// shuffling is a Core with a job of 2 maps, both done, and so many reduces that run.
func shuffling(t *testing.T, reduces int) (c *core.Core, n core.NodeID, r []core.AttemptID) {
	t.Helper()
	p, err := Preset("fair")
	require.NoError(t, err)
	c, err = NewCore(core.Config{}, p)
	require.NoError(t, err)
	n, err = c.Join(0, core.Node{Name: "n", MapSlots: 2, ReduceSlots: reduces})
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Name: "j", Maps: 2, Reduces: reduces, SlowStart: 1, MaxAttempts: 3})
	require.NoError(t, err)
	m := beat(t, c, 1, n)
	require.Len(t, m, 2)
	r = beat(t, c, 2, n, core.Status{Attempt: m[0], State: core.StateSucceeded}, core.Status{Attempt: m[1], State: core.StateSucceeded})
	require.Len(t, r, reduces)
	return c, n, r
}

// unreachable is a reduce's report of map 0.
func unreachable(r core.AttemptID, try int32) core.Status {
	return core.Status{Attempt: r, Lost: []core.LostOutput{{Map: 0, Try: try, Unreachable: true}}}
}

func TestThreeReportsRunAMapAgain(t *testing.T) {
	c, n, r := shuffling(t, 4)
	require.Empty(t, beat(t, c, 3, n, unreachable(r[0], 0)))
	require.Empty(t, beat(t, c, 4, n, unreachable(r[0], 0)))
	again := beat(t, c, 5, n, unreachable(r[0], 0))
	require.Equal(t, []core.AttemptID{{Task: core.TaskID{Job: r[0].Task.Job, Kind: core.Map, Index: 0}, Try: 1}}, again)
	require.Empty(t, beat(t, c, 6, n, unreachable(r[0], 0), unreachable(r[1], 0)), "it runs already")
	require.Empty(t, beat(t, c, 7, n, core.Status{Attempt: again[0], State: core.StateSucceeded}, unreachable(r[1], 0),
		unreachable(r[2], 0), unreachable(r[3], 0)), "they tell of the former attempt")
	require.Empty(t, beat(t, c, 8, n, unreachable(r[0], 1), unreachable(r[1], 1)), "the count begins anew")
}

func TestMostReducesRunAMapAgain(t *testing.T) {
	c, n, r := shuffling(t, 2)
	require.Empty(t, beat(t, c, 3, n, unreachable(r[0], 0)), "half of them are not most")
	require.Len(t, beat(t, c, 4, n, unreachable(r[1], 0)), 1)

	c, n, r = shuffling(t, 1)
	require.Len(t, beat(t, c, 3, n, unreachable(r[0], 0)), 1, "there is no other reduce to ask")
}

// TestUnreachableForEver: a map that has been made as often as a task may fail fails its job.
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
	v, err := c.View().Job(r[0].Task.Job)
	require.NoError(t, err)
	require.Equal(t, core.JobFailed, v.State)
	require.Contains(t, v.Err, "job_0001_m_000000 could not be fetched: it was made 3 times")
}
