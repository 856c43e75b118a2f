package play

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/event"
)

// waits returns the events that begin the waits of a run: a job lets a slot pass to wait.
func waits(t *testing.T, lines string) (list []event.Event) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var e event.Event
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		if e.Type == event.Skipped && e.Reason.Cause.Waits() && e.Count <= 1 && e.Node >= 0 {
			list = append(list, e)
		}
	}
	return list
}

// For each wait, a request "fork" compares the run with it and without it. For a recording of the
// run, it finds the same wait and about the same times.
func TestForkHasItsPrice(t *testing.T) {
	s := Setup{Workload: mine, Policy: "hfs", Nodes: 6, Racks: 2}
	run, events := handle(t, Request{Op: "run", Setup: s})
	list := waits(t, events[0])
	require.NotEmpty(t, list)
	changed, waited := 0, time.Duration(0)
	for _, e := range list {
		f := Fork{At: e.At, Job: e.JobID, Kind: e.Kind, Node: e.Node}
		a, branch := handle(t, Request{Op: "fork", Setup: s, Fork: &f})
		require.Empty(t, a.Error)
		b := a.Branch
		require.Equal(t, f, b.Fork, "the very refusal")
		require.Equal(t, e.NodeName, b.NodeName)
		waited += b.Waited
		require.InDelta(t, run.Report.Sojourn.Mean, b.Mean[0], 1e-5)
		require.InDelta(t, a.Report.Sojourn.Mean, b.Mean[1], 1e-5)
		require.Equal(t, 1, strings.Count(branch[1], event.CauseForked.String()))
		require.Nil(t, b.Error)
		if b.Job[0] != b.Job[1] || b.Others > 0 {
			changed++
		}
		again, _ := handle(t, Request{Op: "fork", Text: events[0], Fork: &f})
		require.Empty(t, again.Error)
		require.Equal(t, f, again.Branch.Fork)
		require.InDelta(t, 0, *again.Branch.Error, 0.001)
		for side := range b.Job {
			require.InEpsilon(t, b.Job[side].Seconds(), again.Branch.Job[side].Seconds(), 0.1)
		}
	}
	require.NotZero(t, changed)
	require.Positive(t, waited)
}

// A request "fork" fails if the job has no wait. It accepts a recording of an unfinished run.
func TestForkOfWhatIsNotThere(t *testing.T) {
	s := Setup{Workload: mine, Policy: "hfs", Nodes: 6, Racks: 2}
	a, _ := handle(t, Request{Op: "fork", Setup: s})
	require.Contains(t, a.Error, "needs a decision")
	a, _ = handle(t, Request{Op: "fork", Setup: s, Fork: &Fork{Job: 77}})
	require.Contains(t, a.Error, "lets no slot of this kind pass")
	_, events := handle(t, Request{Op: "run", Setup: s})
	e := waits(t, events[0])[0]
	f := &Fork{At: e.At, Job: e.JobID, Kind: e.Kind, Node: e.Node}
	cut := events[0][:strings.LastIndex(events[0], `{"at"`)]
	cut = cut[:strings.LastIndex(cut, `{"at"`)] // without the end of the last job
	a, _ = handle(t, Request{Op: "fork", Text: cut, Fork: f})
	require.Empty(t, a.Error)
	require.Equal(t, e.At, a.Branch.Fork.At)
	require.Len(t, a.Branch.Warnings, 1)
	require.Contains(t, a.Branch.Warnings[0], "1 of 5 jobs have not ended")
	a, _ = handle(t, Request{Op: "fork", Text: strings.SplitAfterN(events[0], "\n", 2)[1], Fork: f})
	require.Contains(t, a.Error, "the beginning of the recording is missing")
}

// A request "whatif" without a policy changes the recorded policy by its settings.
func TestWhatIfSetsTheRecordedPolicy(t *testing.T) {
	_, events := handle(t, Request{Op: "run", Setup: Setup{Workload: mine, Policy: "hfs", Nodes: 6, Racks: 2}})
	set := []string{"locality.rule=greedy"}
	a, _ := handle(t, Request{Op: "whatif", Text: events[0], Setup: Setup{Set: set}})
	b, _ := handle(t, Request{Op: "whatif", Text: events[0], Setup: Setup{Policy: "hfs", Set: set}})
	require.Empty(t, a.Error)
	require.Equal(t, b.WhatIf.Asked, a.WhatIf.Asked)
	require.NotEqual(t, a.WhatIf.Again, a.WhatIf.Asked)
}
