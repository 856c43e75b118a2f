package clusterstate

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// A job's counts cover all its events, but Holding returns only those that no later event replaces.
func TestJob(t *testing.T) {
	s := New[int]()
	attempt := func(kind scheduling.TaskKind, task int32) scheduling.AttemptID {
		return scheduling.AttemptID{Task: scheduling.TaskID{Job: 3, Kind: kind, Index: task}}
	}
	m0, m1, m2, r0 := attempt(scheduling.Map, 0), attempt(scheduling.Map, 1), attempt(scheduling.Map, 2), attempt(scheduling.Reduce, 0)
	wait := event.Reason{Cause: event.CauseNoSlot}
	for i, e := range []event.Event{
		{Type: event.Submitted, JobID: 3, Name: "words", Pool: "ann"},
		{Type: event.Skipped, JobID: 3, Reason: wait},
		{Type: event.Skipped, JobID: 3, Kind: scheduling.Reduce, Reason: wait},
		{Type: event.Launched, Attempt: m0, Near: "node-local"}, // the map waits no more
		{Type: event.Launched, Attempt: m1, Near: "rack-local"},
		{Type: event.Launched, Attempt: m2, Near: "level-4"},
		{Type: event.Launched, Attempt: r0},
		{Type: event.Succeeded, Attempt: m0},
		{Type: event.Suspended, Attempt: m1},
		{Type: event.Resumed, Attempt: m1}, // in place of Suspended
		{Type: event.Failed, Attempt: m2},
		{Type: event.Suspended, Attempt: m1}, // in place of Resumed
		{Type: event.Killed, Attempt: r0},
		{Type: event.Pool, JobID: 3, Pool: "bob"},
		{Type: event.OutputLost, Attempt: m0},
		{Type: event.Warning, JobID: 3},
	} {
		e.At = time.Duration(i)
		c := Of(&actors.Event{Event: e})
		s.Add(&c, i)
	}
	jobs := slices.Collect(s.Jobs())
	require.Len(t, jobs, 1)
	j := *jobs[0]
	require.Equal(t, [Places]int64{0, 1, 0, 0}, j.Running())
	require.Equal(t, []int{0, 4, 11, 13}, slices.Sorted(s.Holding()))
	j.running, j.latest = nil, nil
	require.Equal(t, Job[int]{
		ID: 3, Name: "words", Pool: "bob", State: "running", First: 3, Last: 15, Launched: [2]int64{3, 1},
		Near: [Places]int64{1, 1, 1, 0}, Failed: 1, Killed: 1, Suspended: 2, Skips: map[event.Cause]int{wait.Cause: 2},
	}, j)
	s.Forget(3)
	require.False(t, s.Has(3))
	require.Empty(t, slices.Collect(s.Holding()))
}
