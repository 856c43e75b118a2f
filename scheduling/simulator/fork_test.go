package simulator

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// eventLines simulates w, and returns the events and their lines of JSON.
func eventLines(t *testing.T, fork *scheduling.Fork, policy scheduling.Policy, w *workload.Workload) (list []event.Event, lines []string) {
	t.Helper()
	cfg := Config{Cluster: Cluster{Nodes: 8, Racks: 2}, Policy: policy, Seed: 2}
	cfg.Core.Explain, cfg.Core.Fork = true, fork
	cfg.Core.Events = func(e event.Event) {
		list, lines = append(list, e), append(lines, string(e.AppendJSON(nil)))
	}
	run(t, cfg, w)
	return list, lines
}

// A Fork for a refusal that never occurs changes no byte of a run. A Fork for one that occurs turns
// it into a launch on that node, and changes no event before it.
func TestFork(t *testing.T) {
	t.Parallel()
	w := workload.Workload{Jobs: []workload.Job{
		{Name: "long", Maps: 60, Reduces: 6, InputBytes: 60 << 26, ShuffleBytes: 1 << 30, Map: workload.Cost{Time: 5 * time.Second}},
		{Name: "short", Submit: 12 * time.Second, Maps: 9, Reduces: 4, InputBytes: 9 << 26, ShuffleBytes: 1 << 28, Map: workload.Cost{Time: 3 * time.Second}},
	}}
	for k, cause := range []string{"waiting for locality", "waiting for its center of gravity"} {
		policy := preset(t, "hfs")
		policy.Reduce.Rule = scheduling.CoGRS
		list, lines := eventLines(t, nil, policy, &w)
		_, same := eventLines(t, &scheduling.Fork{At: 24 * time.Hour, Job: 1, Node: scheduling.NoNode}, policy, &w)
		require.True(t, slices.Equal(lines, same))
		forks := 0
		for i, e := range list {
			if e.Type != event.Skipped || e.Reason.Cause.String() != cause || e.Count > 1 {
				continue
			}
			forks++
			fork := &scheduling.Fork{At: e.At, Job: e.JobID, Kind: e.Kind, Node: e.Node}
			branch, others := eventLines(t, fork, policy, &w)
			at := slices.IndexFunc(branch, func(e event.Event) bool { return e.Reason.Cause == event.CauseForked })
			require.True(t, at >= 0 && at <= i, "job %d refuses at %v, perhaps without an event before", e.JobID, e.At)
			require.True(t, slices.Equal(lines[:at], others[:at]))
			require.NotEqual(t, lines[at], others[at])
			got := branch[at]
			require.Equal(t, event.Launched, got.Type)
			require.Equal(t, scheduling.TaskKind(k), got.Attempt.Task.Kind)
			require.Equal(t, []any{e.At, e.JobID, e.Node}, []any{got.At, got.Attempt.Task.Job, got.Node})
			for _, e := range branch[at+1:] {
				require.NotEqual(t, event.CauseForked, e.Reason.Cause, "one launch at most")
			}
		}
		require.NotZero(t, forks, cause)
	}
}
